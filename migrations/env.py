"""Alembic's entry. The database comes from ``-x url=``, the schema of the tables from ``-x schema=``,
and the dialect of a script (``--sql``) from ``-x dialect=``.

Imports nothing of tzconv: a migration says the same for ever, whatever the package says today.
"""

from alembic import context
from sqlalchemy import create_engine

VERSION_TABLE = "time_zone_conversion_migration"

arguments = context.get_x_argument(as_dictionary=True)
where = {"version_table": VERSION_TABLE, "version_table_schema": arguments.get("schema")}

if context.is_offline_mode():
    # Alembic itself writes only the table of versions, which every engine reads as PostgreSQL does.
    context.configure(
        dialect_name="postgresql",
        dialect_opts={"paramstyle": "named"},  # else a percent sign in a name is doubled
        transactional_ddl=True,
        **where,
    )
    # nobody reads what it would return, and not every engine has RETURNING
    context.get_context().dialect.insert_returning = False
    context.get_context().dialect.update_returning = False
    context.get_context().dialect.delete_returning = False
    with context.begin_transaction():
        context.run_migrations()
else:
    if "url" not in arguments:
        raise SystemExit("Name the database: alembic -x url=postgresql+psycopg://… upgrade head")
    with create_engine(arguments["url"]).connect() as connection:
        context.configure(connection=connection, transactional_ddl=True, **where)
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()
