"""What a database needs to look like Vertica: functions, and catalogs as views on PostgreSQL's.

NEW_TIME is the composition of two `timezone` calls: that it is so in Vertica for names of the IANA
database is an assumption, drawn from its documentation for abbreviations and from the numbers of
its functions. The rules go on after 2037 here, and in Vertica they do not. Views show what their
reader may use. Columns are those that are documented, without the ones about storage, nodes and
resource pools.
"""

from __future__ import annotations

from tests.vertica_server.engine import Engine

VERSION = "Vertica Analytic Database v24.4.0-0"
NODE = "v_vmart_node0001"

_FUNCTIONS = f"""
CREATE OR REPLACE FUNCTION pg_catalog.version() RETURNS text LANGUAGE sql STABLE
    AS $$ SELECT '{VERSION}'::text $$;
CREATE FUNCTION pg_catalog.new_time(timestamp, text, text) RETURNS timestamp
    LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT timezone($3, timezone($2, $1)) $$;
CREATE FUNCTION pg_catalog.getutcdate() RETURNS timestamp LANGUAGE sql STABLE
    AS $$ SELECT statement_timestamp() AT TIME ZONE 'UTC' $$;
CREATE FUNCTION pg_catalog.getdate() RETURNS timestamp LANGUAGE sql STABLE
    AS $$ SELECT statement_timestamp()::timestamp $$;
CREATE FUNCTION pg_catalog.datediff(text, timestamp, timestamp) RETURNS bigint
    LANGUAGE sql IMMUTABLE AS $$ SELECT CASE $1
        WHEN 'second' THEN
            floor(date_part('epoch', $3))::bigint - floor(date_part('epoch', $2))::bigint
        WHEN 'microsecond' THEN (extract(epoch FROM $3 - $2) * 1000000)::bigint
        ELSE ('DATEDIFF of the part ' || $1)::bigint END $$;
CREATE FUNCTION pg_catalog.analyze_statistics(text) RETURNS bigint LANGUAGE plpgsql
    AS $$ BEGIN EXECUTE format('ANALYZE %s', $1::regclass); RETURN 0; END $$;
CREATE FUNCTION pg_catalog.analyze_statistics(text, text) RETURNS bigint LANGUAGE plpgsql
    AS $$ BEGIN EXECUTE format('ANALYZE %s (%s)', $1::regclass, $2); RETURN 0; END $$;
CREATE FUNCTION pg_catalog.get_num_accepted_rows() RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT coalesce(current_setting('vertica.accepted', true), '0')::bigint $$;
CREATE FUNCTION pg_catalog.get_num_rejected_rows() RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT coalesce(current_setting('vertica.rejected', true), '0')::bigint $$;
CREATE FUNCTION pg_catalog.close_session(text) RETURNS text LANGUAGE sql VOLATILE
    AS $$ SELECT 'Session close command sent. Check v_monitor.sessions for progress.'::text
          FROM pg_terminate_backend(split_part(split_part($1, '-', 2), ':', 1)::int) $$;
CREATE FUNCTION pg_catalog.sleep(int) RETURNS int LANGUAGE sql VOLATILE
    AS $$ SELECT 0 FROM pg_sleep($1) $$;
CREATE FUNCTION pg_catalog.current_session() RETURNS text LANGUAGE sql STABLE
    AS $$ SELECT '{NODE}-' || pg_backend_pid() || ':0x1' $$;
CREATE FUNCTION pg_catalog.throw_error(text) RETURNS boolean LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'USER GENERATED ERROR: %', $1; END $$;
CREATE FUNCTION v_internal.type_name(type oid, modifier int) RETURNS text LANGUAGE sql STABLE
    AS $$ SELECT CASE
        WHEN type IN (20, 21, 23) THEN 'int'
        WHEN type = 701 THEN 'float'
        WHEN type = 16 THEN 'boolean'
        WHEN type = 25 THEN 'long varchar(1048576)'
        WHEN type = 17 THEN 'varbinary(80)'
        WHEN type = 1043 THEN 'varchar(' || modifier - 4 || ')'
        WHEN type = 1042 THEN 'char(' || modifier - 4 || ')'
        WHEN type = 1114 THEN 'timestamp'
        WHEN type = 1184 THEN 'timestamptz'
        ELSE format_type(type, modifier) END $$;
"""

_VIEWS = f"""
CREATE TABLE v_internal.design (relation oid PRIMARY KEY, declared jsonb NOT NULL);
CREATE VIEW v_internal.relations AS
    SELECT c.oid AS relation, c.relname, c.relkind, c.relpersistence = 't' AS is_temporary,
        CASE c.relpersistence WHEN 't' THEN 'v_temp_schema' ELSE n.nspname END AS schema,
        c.relowner, r.rolname AS owner
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_roles r ON r.oid = c.relowner
    WHERE c.relkind IN ('r', 'v') AND n.nspname NOT LIKE 'v\\_%'
        AND (n.oid = pg_my_temp_schema() OR n.nspname NOT LIKE 'pg\\_%')
        AND n.nspname <> 'information_schema'
        AND has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE');
CREATE VIEW v_internal.columns AS
    SELECT r.*, a.attnum, a.attname, a.atttypid, a.atttypmod, a.attnotnull,
        pg_get_expr(d.adbin, d.adrelid) AS initial
    FROM v_internal.relations r JOIN pg_attribute a ON a.attrelid = r.relation
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attnum > 0 AND NOT a.attisdropped;
CREATE VIEW v_catalog.schemata AS
    SELECT n.oid::bigint AS schema_id, n.nspname::varchar AS schema_name,
        n.nspowner::bigint AS schema_owner_id, r.rolname::varchar AS schema_owner,
        ''::varchar AS system_schema_creator, n.nspname LIKE 'v\\_%' AS is_system_schema
    FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
    WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
        AND has_schema_privilege(n.oid, 'USAGE');
CREATE VIEW v_catalog.tables AS
    SELECT 0::bigint AS table_schema_id, schema::varchar AS table_schema,
        relation::bigint AS table_id, relname::varchar AS table_name,
        relowner::bigint AS owner_id, owner::varchar AS owner_name,
        is_temporary AS is_temp_table, false AS is_system_table,
        coalesce(d.declared->>'partition_by', '')::varchar AS partition_expression,
        ''::varchar AS table_definition
    FROM v_internal.relations r LEFT JOIN v_internal.design d USING (relation) WHERE relkind = 'r';
CREATE VIEW v_catalog.views AS
    SELECT 0::bigint AS table_schema_id, schema::varchar AS table_schema,
        relation::bigint AS table_id, relname::varchar AS table_name,
        relowner::bigint AS owner_id, owner::varchar AS owner_name,
        pg_get_viewdef(relation)::varchar AS view_definition, false AS is_system_view
    FROM v_internal.relations WHERE relkind = 'v';
CREATE VIEW v_catalog.all_tables AS
    SELECT schema::varchar AS schema_name, relation::bigint AS table_id,
        relname::varchar AS table_name,
        (CASE relkind WHEN 'r' THEN 'TABLE' ELSE 'VIEW' END)::varchar AS table_type,
        obj_description(relation, 'pg_class')::varchar AS remarks
    FROM v_internal.relations;
CREATE VIEW v_catalog.columns AS
    SELECT relation::bigint AS table_id, schema::varchar AS table_schema,
        relname::varchar AS table_name, false AS is_system_table,
        (relation || '-' || attnum)::varchar AS column_id, attname::varchar AS column_name,
        v_internal.type_name(atttypid, atttypmod)::varchar AS data_type,
        CASE WHEN atttypid IN (1042, 1043) THEN (atttypmod - 4)::bigint END
            AS character_maximum_length,
        attnum::bigint AS ordinal_position, NOT attnotnull AS is_nullable,
        coalesce(initial, '')::varchar AS column_default
    FROM v_internal.columns WHERE relkind = 'r';
CREATE VIEW v_catalog.view_columns AS
    SELECT relation::bigint AS table_id, schema::varchar AS table_schema,
        relname::varchar AS table_name,
        (relation || '-' || attnum)::varchar AS column_id, attname::varchar AS column_name,
        v_internal.type_name(atttypid, atttypmod)::varchar AS data_type,
        CASE WHEN atttypid IN (1042, 1043) THEN (atttypmod - 4)::bigint END
            AS character_maximum_length,
        attnum::bigint AS ordinal_position
    FROM v_internal.columns WHERE relkind = 'v';
CREATE VIEW v_catalog.primary_keys AS
    SELECT r.relation::bigint AS constraint_id, (k->>'name')::varchar AS constraint_name,
        c.name::varchar AS column_name, c.position AS ordinal_position,
        r.relname::varchar AS table_name, 'p'::varchar AS constraint_type,
        (k->>'enabled')::boolean AS is_enabled, r.schema::varchar AS table_schema
    FROM v_internal.relations r JOIN v_internal.design d USING (relation),
        jsonb_array_elements(d.declared->'keys') AS k,
        jsonb_array_elements_text(k->'columns') WITH ORDINALITY AS c (name, position)
    WHERE (k->>'primary')::boolean;
CREATE VIEW v_catalog.nodes AS
    SELECT '{NODE}'::varchar AS node_name, 'UP'::varchar AS node_state,
        '127.0.0.1'::varchar AS node_address, '127.0.0.1'::varchar AS export_address;
CREATE VIEW v_monitor.sessions AS
    SELECT '{NODE}'::varchar AS node_name, usename::varchar AS user_name,
        backend_start AS login_timestamp,
        ('{NODE}-' || pid || ':0x1')::varchar AS session_id,
        application_name::varchar AS client_label, pid::bigint AS transaction_id,
        xact_start AS transaction_start,
        (CASE state WHEN 'active' THEN query ELSE '' END)::varchar AS current_statement
    FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend';
CREATE VIEW v_monitor.current_session AS
    SELECT * FROM v_monitor.sessions WHERE session_id = current_session();
CREATE VIEW v_monitor.projection_storage AS
    SELECT '{NODE}'::varchar AS node_name, relname::varchar AS anchor_table_name,
        schema::varchar AS anchor_table_schema, pg_relation_size(relation)::bigint AS used_bytes
    FROM v_internal.relations WHERE relkind = 'r';
CREATE VIEW v_monitor.locks AS
    SELECT DISTINCT ON (l.relation, l.pid, l.granted) '{NODE}'::varchar AS node_names,
        ('Table:' || r.schema || '.' || r.relname)::varchar
            AS object_name, r.relation::bigint AS object_id,
        l.pid::bigint AS transaction_id,
        ('Txn: user ' || a.usename)::varchar AS transaction_description,
        (CASE l.mode WHEN 'RowExclusiveLock' THEN 'I' WHEN 'ShareLock' THEN 'S'
            WHEN 'ShareUpdateExclusiveLock' THEN 'IV' WHEN 'ShareRowExclusiveLock' THEN 'SI'
            WHEN 'ExclusiveLock' THEN 'X' ELSE 'O' END)::varchar AS lock_mode,
        (CASE WHEN l.granted THEN 'TRANSACTION' ELSE 'REQUESTED' END)::varchar AS lock_scope,
        l.waitstart AS request_timestamp
    FROM pg_locks l JOIN v_internal.relations r ON r.relation = l.relation
        JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'relation' AND r.relkind = 'r'
        AND l.mode NOT IN ('AccessShareLock', 'RowShareLock')
    ORDER BY l.relation, l.pid, l.granted, array_position(ARRAY['AccessExclusiveLock',
        'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock', 'ShareUpdateExclusiveLock'], l.mode);
"""

_INTEGERS = ("int2", "int4", "int8")

# integers divide to a NUMERIC; PostgreSQL's own operators are made to do so, in this database
_DIVISION = (
    """
SET allow_system_table_mods = on;
"""
    + "".join(
        f"""
CREATE FUNCTION v_internal.divided({left}, {right}) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT
    AS $$ SELECT $1::numeric / $2::numeric $$;
UPDATE pg_operator SET oprcode = 'v_internal.divided({left}, {right})'::regprocedure,
    oprresult = 'numeric'::regtype
WHERE oprname = '/' AND oprleft = '{left}'::regtype AND oprright = '{right}'::regtype;
"""
        for left in _INTEGERS
        for right in _INTEGERS
    )
    + "RESET allow_system_table_mods;"
)

_SCHEMAS = """
CREATE SCHEMA v_catalog; CREATE SCHEMA v_monitor; CREATE SCHEMA v_internal;
"""

_RIGHTS = """
GRANT USAGE ON SCHEMA v_catalog, v_monitor, v_internal TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA v_catalog, v_monitor, v_internal TO PUBLIC;
GRANT INSERT, UPDATE, DELETE ON v_internal.design TO PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO PUBLIC;
"""

SCRIPT = _SCHEMAS + _FUNCTIONS + _VIEWS + _DIVISION + _RIGHTS
"""Everything, for an empty database."""

SEARCH_PATH = '"$user", public, v_catalog, v_monitor, v_internal'


def set_up(engine: Engine) -> None:
    """The settings of every session."""
    engine.run(f"SET search_path = {SEARCH_PATH}")
    engine.run("SET intervalstyle = 'sql_standard'")
    engine.run("SET extra_float_digits = 1")
