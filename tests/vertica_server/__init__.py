"""A server for tests that speaks Vertica's wire protocol and keeps its data in PostgreSQL.

It serves unmodified clients such as vertica-python, and refuses what Vertica refuses. It is built
from the public documentation and from the driver's source, never compared with a real server: what
is an assumption about Vertica is marked so in the modules. What it does not imitate: the order of
NULLs, names that keep their case, views that are bound by name, Vertica's plans and its speed.
"""

from tests.vertica_server.auth import User
from tests.vertica_server.server import Server, running

__all__ = ["Server", "User", "running"]
