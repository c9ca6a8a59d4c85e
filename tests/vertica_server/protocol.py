"""Messages and framing: bytes on a socket to and from values, with no idea what they are for.

The layouts are those of PostgreSQL's protocol 3 with Vertica's changes, read in the source of
vertica-python 1.4: ``kind(1) length(4, counts itself) body``, all numbers big endian.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from struct import pack, unpack_from
from typing import cast

VERSION = 3 << 16 | 16
"""The newest protocol that the server offers, and what vertica-python 1.4 asks for."""

SSL_REQUEST, LOAD_BALANCE_REQUEST, CANCEL_REQUEST = 80877103, 80936960, 80877102

OK, CLEARTEXT, MD5, SHA512 = 0, 3, 5, 65536 + 512

_LONGEST = 1 << 26  # a frame beyond this is noise, not a message
_BUFFER = 1 << 16


class DisconnectedError(Exception):
    """The client is gone, or was thrown out."""


class ProtocolError(Exception):
    """The client sent what no client sends here: the session cannot go on."""


@dataclass(frozen=True)
class Startup:
    """What a client says before anything else."""

    version: int
    parameters: Mapping[str, str]


@dataclass(frozen=True)
class Column:
    """One column of a result, in Vertica's types."""

    name: str
    type: int
    size: int = -1
    modifier: int = -1


@dataclass
class Stream:
    """A socket that reads whole frames and collects the answers until they are flushed."""

    socket: socket.socket
    _reader: BufferedReader | None = None
    _out: list[bytes] = field(default_factory=list)
    _size: int = 0

    def packet(self) -> bytes:
        """A frame without a kind, as clients send before the session begins.

        Read without a buffer: what follows may belong to TLS.
        """
        (length,) = unpack_from("!I", self._exactly(4))
        if not 8 <= length <= 1 << 16:
            raise ProtocolError(f"a first packet of {length} bytes")
        return self._exactly(length - 4)

    def _exactly(self, wanted: int) -> bytes:
        parts = b""
        while len(parts) < wanted:
            part = self._received(wanted - len(parts))
            if not part:
                raise DisconnectedError
            parts += part
        return parts

    def _received(self, most: int) -> bytes:
        try:
            return self.socket.recv(most)
        except OSError as error:
            raise DisconnectedError from error

    def read(self) -> tuple[bytes, bytes]:
        """The next message: its kind and its body."""
        if self._reader is None:
            made = self.socket.makefile("rb", buffering=_BUFFER)
            self._reader = cast(BufferedReader, made)
        try:
            if hasattr(socket, "TCP_QUICKACK"):  # else clients that write in pieces wait for it
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            head = self._reader.read(5)
            if len(head) < 5:
                raise DisconnectedError
            (length,) = unpack_from("!I", head, 1)
            if not 4 <= length <= _LONGEST:
                raise ProtocolError(f"a message {head[:1]!r} of {length} bytes")
            body = self._reader.read(length - 4)
        except (OSError, ValueError) as error:
            raise DisconnectedError from error
        if len(body) < length - 4:
            raise DisconnectedError
        return head[:1], body

    def send(self, *messages: bytes) -> None:
        """Queue messages; they leave when there are many, or with `flush`."""
        self._out += messages
        self._size += sum(map(len, messages))
        if self._size >= _BUFFER:
            self.flush()

    def flush(self) -> None:
        """Send what was queued; waits while the client does not read."""
        data, self._out, self._size = b"".join(self._out), [], 0
        if not data:
            return
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise DisconnectedError from error

    def hung_up(self) -> bool:
        """Whether a socket that can be read has only the end to offer."""
        try:
            return self.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except ValueError:  # TLS has no peeking
            return False
        except OSError:
            return True

    def shut(self) -> None:
        """End both directions, from any thread: who reads sees the end."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Free the socket; for the thread that reads."""
        if self._reader is not None:
            with contextlib.suppress(OSError):
                self._reader.close()
        with contextlib.suppress(OSError):
            self.socket.close()


# what clients send


def startup(packet: bytes) -> Startup:
    """Read the start-up packet: the protocol that is asked for, then names and values."""
    first = b"protocol_version\0"
    if not packet.startswith(first, 4):
        raise ProtocolError("a start-up packet without protocol_version")
    (version,) = unpack_from("!I", packet, 4 + len(first))
    words = packet[4 + len(first) + 5 :].split(b"\0")
    pairs = zip(words[0::2], words[1::2], strict=False)
    parameters = {name.decode(): value.decode() for name, value in pairs if name}
    return Startup(version, parameters)


def word(body: bytes, start: int = 0) -> tuple[str, int]:
    """A text that ends with a zero byte, and where the next thing starts."""
    end = body.index(b"\0", start)
    return body[start:end].decode(), end + 1


# what the server sends


def message(kind: bytes, body: bytes = b"") -> bytes:
    """One message."""
    return kind + pack("!I", len(body) + 4) + body


def _text(value: str) -> bytes:
    return value.encode() + b"\0"


EMPTY_QUERY = message(b"I")


def authentication(code: int, extra: bytes = b"") -> bytes:
    """Ask for a password in one of several ways, or say that all is well."""
    return message(b"R", pack("!I", code) + extra)


def parameter_status(name: str, value: str) -> bytes:
    """Tell the client a setting of its session."""
    return message(b"S", _text(name) + _text(value))


def backend_key(pid: int, key: int) -> bytes:
    """What the client needs to cancel a statement."""
    return message(b"K", pack("!II", pid, key))


def ready(status: str) -> bytes:
    """The server waits; ``status`` is I without, T inside, E inside a failed transaction."""
    return message(b"Z", status.encode())


def row_description(columns: Sequence[Column]) -> bytes:
    """The columns of the rows that follow; none of them says which table it is from."""
    body = [pack("!H", len(columns))]
    if columns:
        body.append(pack("!I", 0))  # no user-defined types
    for number, column in enumerate(columns, 1):
        body += [
            _text(column.name),
            pack("!QH", 0, number),
            pack("!BIhHHiH", 0, column.type, column.size, 1, 0, column.modifier, 0),
        ]
    return message(b"T", b"".join(body))


def data_row(values: Sequence[bytes | None]) -> bytes:
    """One row, each value as text."""
    parts = [pack("!H", len(values))]
    for value in values:
        parts.append(b"\xff\xff\xff\xff" if value is None else pack("!I", len(value)) + value)
    return message(b"D", b"".join(parts))


def command_complete(tag: str) -> bytes:
    """The end of one statement."""
    return message(b"C", _text(tag))


def copy_in(columns: int) -> bytes:
    """Ask the client for the data of a COPY."""
    return message(b"G", pack("!BH", 0, columns) + bytes(2 * columns))


def report(kind: bytes, fields: Iterable[tuple[str, str]]) -> bytes:
    """An error (E) or a notice (N): letters and what they say."""
    parts = (letter.encode() + _text(value.replace("\0", "")) for letter, value in fields)
    return message(kind, b"".join(parts) + b"\0")
