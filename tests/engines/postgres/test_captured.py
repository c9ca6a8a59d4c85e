"""Objects of a user with CREATE on every schema of the path, named like those of the system."""

import datetime as dt
from pathlib import Path

import pytest
import sqlalchemy as sa

import tzconv
from tests import command, postgres
from tzconv import compare, engines, health, target, view
from tzconv.errors import DatabaseError, TzconvError
from tzconv.refresher import refresh
from tzconv.sqlalchemy import rewrite_queries

START, END = dt.date(2025, 1, 1), dt.date(2027, 1, 1)
ZONES = ("America/New_York", "Europe/Berlin", "Asia/Kolkata")
QUERY = (
    "SELECT (e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.zone)::date AS day, count(*) AS number "
    "FROM events e JOIN accounts a ON a.id = e.account GROUP BY 1"
)

FUNCTIONS = """
hashtextextended(varchar, int) bigint; hashtextextended(varchar, bigint) bigint
hashint4extended(int, int) bigint; hashint8extended(bigint, int) bigint
timestamp_hash_extended(timestamp, int) bigint; hashint4extended(bigint, int) bigint
width_bucket(timestamp, timestamp[]) int; width_bucket(timestamptz, timestamptz[]) int
lower(varchar) text; lower(name) text; date_part(varchar, timestamp) float8
date_trunc(varchar, timestamp) timestamp; format(text, name, name) text; quote_ident(name) text
make_interval(secs int) interval; array_append(timestamp[], timestamp) timestamp[]
array_append(timestamptz[], timestamptz) timestamptz[]; unnest(varchar[]) text
to_regclass(varchar) regclass; to_regclass(text) regclass; current_setting(varchar) text
format_type(oid, int) text; has_schema_privilege(oid, varchar) bool
has_schema_privilege(oid, text) bool; has_any_column_privilege(oid, varchar) bool
pg_table_is_visible(oid) bool; timezone(varchar, timestamp) timestamp
timezone(varchar, timestamptz) timestamp; timezone(text, timestamp) timestamptz
pg_advisory_xact_lock(int, bigint) bool; pg_total_relation_size(varchar) bigint
concat_ws(text, text, text) text; left(varchar, int) text; current_schema() name
clock_timestamp() timestamptz; isfinite(date) bool; pg_get_viewdef(oid) text
substr(varchar, int, int) text; ascii(varchar) int; length(varchar) int
""".replace("\n", ";")
OPERATORS = """
varchar = varchar bool; varchar <> varchar bool; varchar = text bool; name = varchar bool
name <> varchar bool; name ~~ name bool; oid = regclass bool; oid = int bool; "char" = text bool
smallint > bigint bool; timestamp[] || timestamp timestamp[]; text || varchar text
timestamptz[] || timestamptz timestamptz[]; int * interval interval; bigint * interval interval
timestamp + interval timestamp; timestamp >= timestamp bool; varchar < varchar bool
bigint + numeric numeric; bigint % numeric numeric; text !~* varchar bool; name ~~ text bool
""".replace("\n", ";")
RELATIONS = (
    *("pg_class", "pg_attribute", "pg_namespace", "pg_proc", "pg_constraint", "pg_locks"),
    *("pg_timezone_names", "pg_timezone_abbrevs", "pg_index", "pg_roles", "pg_type"),
)
TYPES = (
    "int2",
    "char",
    "text",
    "timestamp",
    "varchar",
    "int8",
    "bigint",
    "name",
    "oid",
    "regclass",
    "float8",
)


def body(name: str, returns: str) -> str:
    """The rest of a CREATE FUNCTION, which leaves a line in the server's log if it runs."""
    return (
        f"RETURNS {returns} LANGUAGE plpgsql AS $$ BEGIN "
        f"RAISE WARNING 'captured % by %', $m${name}$m$, session_user; "
        f"RETURN NULL::{returns}; END $$"
    )


def hostile(schema: str) -> list[str]:
    """Statements that make the objects."""
    made = []
    for one in filter(None, map(str.strip, FUNCTIONS.split(";"))):
        signature, _, returns = one.rpartition(" ")
        made.append(f"CREATE FUNCTION {schema}.{signature} {body(signature, returns)}")
    for number, one in enumerate(filter(None, map(str.strip, OPERATORS.split(";")))):
        left, operator, right, returns = one.split(" ")
        function = f"{schema}.operator_{number}"
        made.append(f"CREATE FUNCTION {function}({left}, {right}) {body(one, returns)}")
        made.append(
            f"CREATE OPERATOR {schema}.{operator} "
            f"(LEFTARG = {left}, RIGHTARG = {right}, FUNCTION = {function})"
        )
    for name, kind in (("count", "varchar"), ("max", "varchar"), ("array_agg", "timestamp")):
        step = f"{schema}.step_of_{name}"
        made.append(f"CREATE FUNCTION {step}(bigint, {kind}) {body(name, 'bigint')}")
        made.append(f"CREATE AGGREGATE {schema}.{name}({kind}) (SFUNC = {step}, STYPE = bigint)")
    made += [f'CREATE DOMAIN {schema}."{name}" AS pg_catalog.int4' for name in TYPES]
    made += [f"CREATE VIEW {schema}.{name} AS SELECT 1 AS n" for name in RELATIONS]
    made.append(f"CREATE TYPE {schema}.mark AS ENUM ('mark')")
    made.append(f"CREATE FUNCTION {schema}.marked(varchar) {body('cast', f'{schema}.mark')}")
    made.append(f"CREATE FUNCTION {schema}.lower({schema}.mark) {body('lower', 'pg_catalog.text')}")
    made.append(
        f"CREATE CAST (varchar AS {schema}.mark) WITH FUNCTION {schema}.marked(varchar) AS IMPLICIT"
    )
    return made + of_other_kinds(schema)


def of_other_kinds(schema: str) -> list[str]:
    """Domains with a check, casts both ways, a collation, a range, a conversion, rules."""
    made = []
    for name in ("timestamptz", "interval", "date", "bool"):
        base = f"pg_catalog.{name}"
        made.append(
            f"CREATE FUNCTION {schema}.checked({base}) {body(f'check {name}', 'pg_catalog.bool')}"
        )
        made.append(f"CREATE DOMAIN {schema}.{name} AS {base} CHECK ({schema}.checked(VALUE))")
    pair = f"{schema}.pair"
    made.append(f"CREATE TYPE {pair} AS (a pg_catalog.int4)")
    for name in ("timestamp", "text", "numeric"):
        base = f"pg_catalog.{name}"
        made.append(f"CREATE FUNCTION {schema}.to_pair({base}) {body(f'cast of {name}', pair)}")
        of = f"{schema}.to_pair({base})"
        made.append(f"CREATE CAST ({base} AS {pair}) WITH FUNCTION {of} AS IMPLICIT")
    made.append(f"CREATE FUNCTION {schema}.text({pair}) {body('cast to text', 'pg_catalog.text')}")
    made.append(f"CREATE CAST ({pair} AS pg_catalog.text) WITH FUNCTION {schema}.text({pair})")
    made.append(f'CREATE COLLATION {schema}."C" FROM pg_catalog."POSIX"')
    apart = f"{schema}.apart(pg_catalog.timestamp, pg_catalog.timestamp)"
    made.append(f"CREATE FUNCTION {apart} {body('range', 'float8')} IMMUTABLE")
    made.append(
        f"CREATE TYPE {schema}.tsrange AS RANGE "
        f"(SUBTYPE = pg_catalog.timestamp, SUBTYPE_DIFF = {schema}.apart)"
    )
    made.append(
        f"CREATE DEFAULT CONVERSION {schema}.latin FOR 'UTF8' TO 'LATIN1' FROM utf8_to_iso8859_1"
    )
    for name in ("pg_settings", "pg_views", "pg_inherits", "pg_database"):
        rows = f"{schema}.rows_of_{name}()"
        made.append(f"CREATE FUNCTION {rows} {body(name, 'pg_catalog.int4')}")
        made.append(f"CREATE VIEW {schema}.{name} AS SELECT {rows} AS n")
        made.append(f"CREATE RULE r AS ON INSERT TO {schema}.{name} DO INSTEAD SELECT {rows}")
    for one in ("concat(", "width_bucket(timestamp, timestamp[], "):
        signature = f"{one}VARIADIC varchar[])"
        made.append(f"CREATE FUNCTION {schema}.{signature} {body('variadic', 'int4')}")
    return made


# what only a path with pg_catalog behind public finds
FIRST = """
lower(text) text; current_setting(text) text; quote_ident(text) text; to_regclass(text) regclass
date_trunc(text, timestamp) timestamp; pg_table_is_visible(oid) bool; format_type(oid, int) text
has_any_column_privilege(oid, text) bool; width_bucket(anyelement, anyarray) int
timezone(text, timestamptz) timestamp; make_interval(int, int, int, int, int, int, float8) interval
""".replace("\n", ";")


def loaded(url: str) -> None:
    refresh(url, zones=ZONES, start=START, end=END)


def prepared(server: postgres.Server, path: str = "public, other") -> tuple[str, str]:
    """The URLs of the job and of the owner of the server, in a database with hostile objects."""
    url = server.fresh("captured")
    with server.connect("captured") as connection:
        for role in ("job", "mallory", "by_policy"):
            connection.execute(
                f"DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN duplicate_object THEN END $$"
            )
        connection.execute(f"ALTER DATABASE captured SET search_path = {path}")
        connection.execute("CREATE SCHEMA other; GRANT CREATE ON DATABASE captured TO job, mallory")
        connection.execute("GRANT ALL ON SCHEMA public, other TO PUBLIC")
        connection.execute(
            "SET ROLE job; SET search_path = public;"
            "CREATE TABLE accounts (id int PRIMARY KEY, zone varchar(60), tenant text);"
            "INSERT INTO accounts SELECT i, (ARRAY['America/New_York', 'Europe/Berlin', "
            "'Asia/Kolkata', 'EST', NULL, 'Europe/Berlin', 'Asia/Kolkata'])[i % 7 + 1], "
            "'by_policy' FROM generate_series(1, 50) i;"
            "CREATE TABLE events (account int, ts timestamp);"
            "INSERT INTO events SELECT i % 50 + 1, TIMESTAMP '2025-12-30' + i * INTERVAL '1 minute'"
            " FROM generate_series(1, 60000) i; ANALYZE accounts; ANALYZE events"
        )
    job = server.url("captured", user="job")
    return job, url


def infest(server: postgres.Server) -> int:
    """Make the objects as mallory, who is no superuser; returns how many there are."""
    with server.connect("captured") as connection:
        connection.execute("SET ROLE mallory; SET search_path = pg_catalog")
        statements = [one for schema in ("public", "other") for one in hostile(schema)]
        for statement in statements:
            # her own domains must not stand in her way
            connection.execute(statement.encode())
        return len(statements)


def captured(server: postgres.Server, since: int) -> list[str]:
    """Her functions that ran, read from the server's log after that byte."""
    lines = server.log.read_bytes()[since:].decode().splitlines()
    return sorted({line.partition("captured ")[2] for line in lines if "captured " in line})


def days(job: str, *, is_rewritten: bool) -> list[tuple[object, ...]]:
    """The rows that an application gets."""
    engine = sa.create_engine(job, use_native_hstore=False)  # it would read pg_type
    if is_rewritten:
        rewrite_queries(engine)
    with engine.connect() as connection:
        rows = sorted((tuple(row) for row in connection.execute(sa.text(QUERY))), key=str)
    engine.dispose()
    return rows


@pytest.fixture(scope="module")
def before(server: postgres.Server) -> tuple[str, str, list[object]]:
    job, owner = prepared(server)
    with engines.connect(job) as backend:
        native = backend.query(QUERY).rows.to_pylist()
    assert infest(server) >= 60
    size = server.log.stat().st_size
    loaded(job)
    assert captured(server, size) == []
    return job, owner, sorted(native, key=str)


def commands_of_ours(url: str) -> None:
    assert not refresh(url).changed
    assert not refresh(url, repair=True).changed
    with engines.connect(url) as backend:
        assert health.status(backend).healthy
        assert [one for one in health.doctor(backend).findings if one.level == "error"] == []


def commands(job: str, owner: str, native: list[object]) -> None:
    commands_of_ours(job)
    for url in (job, owner):
        with engines.connect(url) as backend:
            assert health.status(backend).healthy
            findings = health.doctor(backend).findings
            assert [one for one in findings if one.level == "error" and one.check != "trust"] == []
            assert backend.contents() is not None
            contents = backend.contents()
            relations = {one.name: one for one in contents.relations()} if contents else {}
            assert "accounts" in relations
            assert contents is not None
            assert contents.sample(relations["accounts"], ["zone"], 5)
            assert backend.stored_objects() is not None
    with engines.connect(job) as backend:
        rewritten = tzconv.rewrite(QUERY, **target.read(backend).options())
        assert rewritten.changes, rewritten.left
        found = compare.compare(backend, QUERY, rewritten.sql)
        assert found.same, found.differences
        assert sorted(backend.query(rewritten.sql).rows.to_pylist(), key=str) == native
    there = days(job, is_rewritten=True)
    assert len(there) == len(native)
    assert there == days(job, is_rewritten=False)
    with engines.connect(job) as backend:
        planned = view.plan(
            backend, "events.ts", zone_column="accounts.zone", key="account=id", columns=["day"]
        )
        assert view.verify(backend, planned, rounds=1).same


def command_line(job: str, folder: Path) -> None:
    """The same by the commands that have work of their own."""
    file = folder / "report.sql"
    file.write_text(QUERY)
    of_view = ("--zone-column", "accounts.zone", "--key", "account=id", "--create", "--force")
    for arguments in (
        ("rewrite", str(file), "--url", job),
        ("compare", str(file), "--url", job),
        (
            "names",
            "--column",
            "accounts.zone",
            "--fact",
            "events.account=accounts.id",
            "--url",
            job,
        ),
        ("impact", "--url", job),
        ("lint", str(file), "--url", job),
        ("refresh", "--dry-run", "--sql", "--url", job),
        ("init", job, "--force"),
        ("view", "events.ts", *of_view, "--url", job),
    ):
        done = command.run(*arguments, cwd=folder)
        assert done.returncode in (0, 2), (arguments, done)
        assert "Traceback" not in done.stderr
        assert arguments[0] != "rewrite" or "pg_catalog.width_bucket(" in done.stdout
    with engines.connect(job) as backend:
        text = "SELECT count(*) AS n, min(local_day) AS a, max(local_day) AS b FROM {}"
        native = f"(SELECT ({QUERY[8:].partition(')::date')[0]})::date AS local_day "
        native += "FROM events e JOIN accounts a ON a.id = e.account) AS n"
        one, other = (
            backend.query(text.format(of)).rows.to_pylist() for of in ("events_local", native)
        )
        assert one == other


def test_nothing_of_a_users_runs(
    server: postgres.Server, before: tuple[str, str, list[object]], tmp_path: Path
) -> None:
    """No function, operator, cast, type, table or view of hers runs, and rows stay the same."""
    size = server.log.stat().st_size
    commands(*before)
    command_line(before[0], tmp_path)
    assert captured(server, size) == []


def test_pg_catalog_last(
    server: postgres.Server, before: tuple[str, str, list[object]], tmp_path: Path
) -> None:
    """Emitted texts would call her functions: they are left, and ours run as they are."""
    job = before[0]
    with server.connect("captured") as connection:
        connection.execute("SET ROLE mallory; SET search_path = pg_catalog")
        for one in filter(None, map(str.strip, FIRST.split(";"))):
            signature, _, returns = one.rpartition(" ")
            text = f"CREATE OR REPLACE FUNCTION public.{signature} {body(signature, returns)}"
            connection.execute(text.encode())
    last = f"{job}&options=-c%20search_path%3Dpublic%2Cpg_catalog"
    size = server.log.stat().st_size
    commands_of_ours(last)
    file = tmp_path / "report.sql"
    file.write_text(QUERY)
    done = command.run("rewrite", str(file), "--url", last, cwd=tmp_path)
    assert done.stdout.strip() == QUERY
    assert "pg_catalog behind a schema" in done.stderr
    assert captured(server, size) == []
    size = server.log.stat().st_size
    rows = days(last, is_rewritten=False)
    of_sqlalchemy, size = captured(server, size), server.log.stat().st_size
    assert days(last, is_rewritten=True) == rows == days(job, is_rewritten=False)
    assert captured(server, size) == of_sqlalchemy


def test_a_mark_is_seen(server: postgres.Server, before: tuple[str, str, list[object]]) -> None:
    """The objects would be called, where nothing is done against it."""
    size = server.log.stat().st_size
    with server.connect("captured") as connection:
        connection.execute("SELECT hashtextextended(zone, 1) FROM public.accounts LIMIT 1")
        connection.execute("SELECT 1 FROM public.accounts WHERE zone = zone LIMIT 1")
    written = server.log.read_bytes()[size:].decode()
    assert "captured hashtextextended(varchar, int) by postgres" in written
    assert "captured varchar = varchar bool by postgres" in written


CHANGES = {
    "ALTER TABLE time_zone_conversion_zone OWNER TO mallory": "owned by",
    "CREATE RULE r AS ON INSERT TO time_zone_offset_conversion DO INSTEAD NOTHING": "the rule",
    "CREATE TRIGGER t BEFORE INSERT ON time_zone_conversion_zone FOR EACH ROW "
    "EXECUTE FUNCTION suppress_redundant_updates_trigger()": "the trigger",
    "ALTER TABLE time_zone_conversion_release ENABLE ROW LEVEL SECURITY": "row-level security",
    "CREATE TABLE child () INHERITS (time_zone_daily_conversion)": "a parent or child table",
    "ALTER TABLE time_zone_daily_conversion ALTER day SET DEFAULT '2000-01-01'": "a default",
    "INSERT INTO time_zone_conversion_migration VALUES ('0001')": "has 2 rows",
    "ALTER TABLE time_zone_conversion_zone DROP CONSTRAINT time_zone_conversion_zone_pkey; "
    "ALTER TABLE time_zone_conversion_zone ADD PRIMARY KEY (zone_id)": "a primary key of zone_id",
    "ALTER TABLE time_zone_conversion_zone ADD mark int": "a column mark",
    "ALTER TABLE time_zone_conversion_zone ADD CONSTRAINT c CHECK (zone_id > -9)": "constraint c",
    "CREATE INDEX i ON time_zone_offset_conversion (abs(utc_offset_seconds))": "the index i of an",
    "GRANT mallory TO postgres; ALTER TABLE time_zone_conversion_zone OWNER TO mallory": (
        'run tzconv refresh as "mallory"'
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_tables_of_somebody_else(server: postgres.Server, change: str) -> None:
    """A refresh leaves them alone, and doctor names what is wrong."""
    url = server.loaded(loaded)
    name = sa.make_url(url).database
    with server.connect(str(name)) as connection:
        connection.execute(
            "DO $$ BEGIN CREATE ROLE mallory LOGIN; EXCEPTION WHEN duplicate_object THEN END $$"
        )
        connection.execute(change.encode())
    with pytest.raises(DatabaseError, match=CHANGES[change]):
        refresh(url)
    with engines.connect(url) as backend:
        try:
            texts = [one.text for one in health.doctor(backend).findings if one.level != "ok"]
        except TzconvError as error:
            texts = [str(error)]
    assert any(CHANGES[change] in text for text in texts)


def test_selection_of_somebody_else(server: postgres.Server) -> None:
    """A stored query runs only if no other role may have written it."""
    url = server.fresh("selection")
    query = "sql:SELECT 'UTC'"
    assert refresh(url, zones=query, start=START, end=END).changed
    with server.connect("selection") as connection:
        connection.execute("GRANT UPDATE (selection) ON time_zone_conversion_release TO PUBLIC")
    with pytest.raises(TzconvError, match=r"is not run, because PUBLIC may write there: REVOKE"):
        refresh(url)
    assert not refresh(url, zones=query).changed


def test_view_reads_with_its_readers_rights(server: postgres.Server) -> None:
    """A reader who is limited by row-level security sees her own rows through the view."""
    job, _ = prepared(server)
    loaded(job)
    with engines.connect(job) as backend:
        release = view.plan(backend, "events.ts", zone_column="accounts.zone", key="account=id")
        view.create(backend, release)
        has_invoker = backend.product() >= "PostgreSQL 15"
        assert has_invoker or any("owner's rights" in note for note in release.notes)
    with server.connect("captured") as connection:
        connection.execute(
            "GRANT SELECT ON ALL TABLES IN SCHEMA public TO by_policy;"
            "ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;"
            "CREATE POLICY limited ON public.events USING (account = 7)"
        )
        connection.execute("SET ROLE by_policy")
        seen, names = "SELECT count(*) FROM {}", ("public.events", "public.events_local")
        rows = [connection.execute(seen.format(one).encode()).fetchall() for one in names]
    assert (rows[0] == rows[1]) is has_invoker
