"""Refresh the time zone conversion tables each night; fail the run if they are wrong."""

import datetime as dt

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

# a virtual environment of its own: Airflow's pins tzdata
BIN = "/opt/tzconv/bin"
PIP = f"{BIN}/python -m pip install --quiet --no-input --timeout 20 --retries 2"

with DAG(
    "tzconv_refresh",
    schedule="10 3 * * *",
    start_date=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    catchup=False,
    max_active_runs=1,
    default_args={
        "retries": 2,
        "retry_delay": dt.timedelta(minutes=10),
        "append_env": True,
        "env": {
            "TZCONV_URL": "postgresql+psycopg://tzconv@db.example.com/reports",
            # from an Airflow connection, not from the command line
            "PGPASSWORD": "{{ conn.reports.password }}",
        },
    },
):
    upgrade = BashOperator(
        task_id="upgrade",
        bash_command=f"{PIP} --upgrade tzdata || echo 'tzdata was not upgraded' >&2",
    )
    refresh = BashOperator(task_id="refresh", bash_command=f"{BIN}/tzconv refresh || test $? -eq 3")
    check = BashOperator(task_id="check", bash_command=f"{BIN}/tzconv status --max-age 36h")
    doctor = BashOperator(
        task_id="doctor",  # on Sundays
        bash_command=f'test "$(date -u +%u)" != 7 || {BIN}/tzconv doctor --detailed-exitcode',
    )
    upgrade >> refresh >> check >> doctor
