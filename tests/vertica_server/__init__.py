"""A server for tests that speaks Vertica's wire protocol and keeps its data in PostgreSQL.

README.md says what it imitates, what it was checked against, and what it cannot prove.
"""

from tests.vertica_server.auth import User
from tests.vertica_server.server import Server, running

__all__ = ["Server", "User", "running"]
