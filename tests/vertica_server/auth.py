"""Passwords: a challenge to the client and what it must answer."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import Literal

from tests.vertica_server import protocol
from tests.vertica_server.errors import wrong_password
from tests.vertica_server.protocol import ProtocolError, Stream


@dataclass(frozen=True)
class User:
    """Who may connect, and how."""

    password: str = ""
    method: Literal["trust", "cleartext", "md5", "sha512"] = "trust"


def authenticate(stream: Stream, name: str, known: User | None) -> None:
    """Let a user in or raise the refusal.

    One that does not exist is asked for a password too, so that nothing shows it.
    """
    if known is None or known.method != "trust":
        expected, challenge = _challenge(name, known or User(secrets.token_hex(), "sha512"))
        stream.send(challenge)
        stream.flush()
        kind, body = stream.read()
        if kind != b"p":
            raise ProtocolError(f"a message {kind!r} where the password belongs")
        if not secrets.compare_digest(body.removesuffix(b"\0"), expected):
            raise wrong_password()
    stream.send(protocol.authentication(protocol.OK))


def _challenge(name: str, user: User) -> tuple[bytes, bytes]:
    """The answer that is expected, and the question."""
    secret, salt, user_salt = (
        user.password.encode(),
        secrets.token_bytes(4),
        secrets.token_bytes(16),
    )
    if user.method == "cleartext":
        return secret, protocol.authentication(protocol.CLEARTEXT)
    if user.method == "md5":
        inner = hashlib.md5(secret + name.encode()).hexdigest().encode()
        expected = b"md5" + hashlib.md5(inner + salt).hexdigest().encode()
        return expected, protocol.authentication(protocol.MD5, salt)
    inner = hashlib.sha512(secret + user_salt).hexdigest().encode()
    expected = b"sha512" + hashlib.sha512(inner + salt).hexdigest().encode()
    extra = salt + len(user_salt).to_bytes(4, "big") + user_salt
    return expected, protocol.authentication(protocol.SHA512, extra)
