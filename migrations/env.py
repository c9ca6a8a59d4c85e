"""Alembic's entry: the database comes from ``-x url=``, the dialect of a script from ``-x dialect=``.

Imports nothing of tzconv: a migration says the same for ever, whatever the package says today.
"""

from alembic import context
from sqlalchemy import create_engine

VERSION_TABLE = "time_zone_conversion_migration"

arguments = context.get_x_argument(as_dictionary=True)

if context.is_offline_mode():
    context.configure(
        dialect_name=arguments.get("dialect", "postgresql"),
        version_table=VERSION_TABLE,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()
else:
    if "url" not in arguments:
        raise SystemExit("Name the database: alembic -x url=postgresql+psycopg://… upgrade head")
    with create_engine(arguments["url"]).connect() as connection:
        context.configure(
            connection=connection, version_table=VERSION_TABLE, transactional_ddl=True
        )
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()
