"""The faults that can be planted into a module: its source with one place changed."""

from __future__ import annotations

import ast
import hashlib
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests import ROOT

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_ANNOTATIONS = ("annotation", "returns", "decorator_list", "type_params")


@dataclass(frozen=True)
class Fault:
    """``before`` at a place of a file becomes ``after``; offsets count the bytes of the file."""

    path: str
    line: int
    last_line: int
    kind: str
    start: int
    end: int
    before: str
    after: str
    text: str
    """The lines that it stands in."""

    @property
    def key(self) -> str:
        """Stays the same as long as the line and the fault do, wherever the line moves."""
        text = "\0".join((self.path, self.kind, self.before, self.after, self.text))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def package(self) -> str:
        """The folder below tzconv, or the name of a module that stands there itself."""
        return Path(self.path).parts[1].removesuffix(".py")

    def planted(self, source: bytes) -> bytes:
        """The source with the fault in it."""
        if source[self.start : self.end].decode() != self.before:
            raise ValueError(f"{self.path} has changed: draw the sample again")
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        before, after = (" ".join(text.split())[:90] for text in (self.before, self.after))
        return f"{self.path}:{self.line}: {self.kind}: {before} -> {after}"


def _visited(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that run; annotations and decorators do not count."""
    for name, value in ast.iter_fields(node):
        if name in _ANNOTATIONS:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from _visited(child)


def _tests(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    # an assertion decides nothing: it says what is so
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        yield from [("branch", node.test)] * (ast.unparse(node.test) != "TYPE_CHECKING")
    if isinstance(node, ast.comprehension):
        yield from (("filter", condition) for condition in node.ifs)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST, str]]:  # noqa: PLR0912
    """What can be planted at a node: a kind, the node that changes, and its new text."""
    # one table of all kinds, as the cases of one statement
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARED:
            for other in _COMPARED[type(operator)]:
                changed = ast.Compare(node.left, [other()], node.comparators)
                yield "comparison", node, ast.unparse(changed)
        case ast.BoolOp():
            for out in range(len(node.values)):
                kept = [value for at, value in enumerate(node.values) if at != out]
                left = kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)
                yield "condition left out", node, f"({ast.unparse(left)})"
        case ast.BinOp() if type(node.op) in _COMPUTED and not isinstance(
            node.left, ast.Constant | ast.JoinedStr
        ):
            changed_op = ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right)
            yield "operator", node, f"({ast.unparse(changed_op)})"
        case ast.Constant(value=bool()):
            yield "constant", node, repr(not node.value)
        case ast.Constant(value=int() as number):
            yield "one off", node, repr(number + 1)
        case ast.Call(args=[first, second, *rest]) if not isinstance(first, ast.Starred):
            if (
                not isinstance(second, ast.Starred)
                and ast.dump(first) != ast.dump(second)
                # raises at once, so that every test notices, or gives the same
                and ast.unparse(node.func)
                not in ("isinstance", "max", "min", "contextlib.suppress")
            ):
                swapped = ast.Call(node.func, [second, first, *rest], node.keywords)
                yield "arguments swapped", node, ast.unparse(swapped)
        case ast.UnaryOp(op=ast.Not()):
            yield "not", node, f"({ast.unparse(node.operand)})"
        case ast.Return(value=ast.expr() as value) if not (
            isinstance(value, ast.Constant)
            and (value.value is None or value.value is False)  # as good as None
        ):
            yield "return", node, "return None"
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()) | ast.AugAssign():
            yield "statement left out", node, "pass"
        case ast.Continue() | ast.Break() | ast.Raise():
            yield "statement left out", node, "pass"
        case _:
            pass
    for kind, test in _tests(node):
        if not isinstance(test, ast.Constant):  # as in while True
            yield f"{kind} always", test, "True"
        yield f"{kind} never", test, "False"


def faults(path: Path) -> list[Fault]:
    """All faults of a module."""
    source = path.read_bytes()
    lines = [0]
    for text in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(text))
    found = []
    for node in _visited(ast.parse(source)):
        for kind, place, after in _changes(node):
            assert isinstance(place, ast.expr | ast.stmt)
            assert place.end_lineno is not None
            assert place.end_col_offset is not None
            start = lines[place.lineno - 1] + place.col_offset
            end = lines[place.end_lineno - 1] + place.end_col_offset
            before = source[start:end].decode()
            name = str(path.relative_to(ROOT))
            around = source[lines[place.lineno - 1] : lines[place.end_lineno]].decode().strip()
            found.append(
                Fault(name, place.lineno, place.end_lineno, kind, start, end, before, after, around)
            )
    return found


def _can_be_planted(fault: Fault) -> bool:
    """Not inside an f-string, whose parts have no places of their own."""
    try:
        ast.parse(fault.planted((ROOT / fault.path).read_bytes()))
    except (SyntaxError, ValueError):
        return False
    return True


def everything() -> list[Fault]:
    """All faults of the package."""
    return [fault for path in sorted((ROOT / "tzconv").rglob("*.py")) for fault in faults(path)]


def sample(of: Iterable[Fault], count: int, seed: str) -> list[Fault]:
    """So many faults on different lines, drawn by the seed alone, some in each package."""
    packages: dict[str, list[Fault]] = defaultdict(list)
    for fault in of:
        packages[fault.package].append(fault)
    drawn: list[Fault] = []
    total = sum(map(len, packages.values()))
    for name, members in sorted(packages.items()):
        draw = random.Random(f"{seed} {name}")
        share = max(1, round(count * len(members) / total))
        lines: set[tuple[str, int]] = set()
        for fault in draw.sample(members, len(members)):
            if len(lines) == share:
                break
            if (fault.path, fault.line) not in lines and _can_be_planted(fault):
                lines.add((fault.path, fault.line))
                drawn.append(fault)
    return drawn
