"""URLs of servers that are read without SQLAlchemy, against SQLAlchemy."""

from __future__ import annotations

import itertools

import pytest
from sqlalchemy.engine import URL, make_url

from tzconv.engines import urls
from tzconv.engines.postgres import session

pytestmark = pytest.mark.not_core

_PARTS = [
    ["postgresql", "postgresql+psycopg"],
    ["", "me@", "me:s3cret@", "me.too:x-y@"],
    ["", "db", "db.example.com", "10.0.0.1", "db:5433", ":5433"],
    ["/reports", "/re_ports-2"],
    ["", "?host=/tmp/pg-1", "?sslmode=require"],
]


@pytest.mark.parametrize("driver", _PARTS[0])
def test_a_plain_url_is_what_sqlalchemy_reads(driver: str) -> None:
    for rest in itertools.product(*_PARTS[1:]):
        text = f"{driver}://{''.join(rest)}"
        found, expected = urls.parse(text), make_url(text)
        assert type(found).__name__ == "_Plain", text
        assert "s3cret" not in f"{found} {found!r}"
        names = ("drivername", "username", "password", "host", "port", "database")
        for name in names:
            assert getattr(found, name) == getattr(expected, name), (text, name)
        assert dict(found.query) == dict(expected.query)
        assert found.get_backend_name() == expected.get_backend_name()
        assert session.options(found) == session.options(expected)


@pytest.mark.parametrize(
    "rest",
    [
        "me:p%40ss@db/reports",
        "me@db/reports?host=a:1&host=b:2",
        "me@db/reports?host=a&sslmode=require",
        "me@[::1]:5432/reports",
        "db/reports?application_name=a+b",
        "me:@db/reports",
        "db/",
        "db/réports",
    ],
)
def test_other_urls_are_left_to_sqlalchemy(rest: str) -> None:
    assert isinstance(urls.parse(f"postgresql://{rest}"), URL)
