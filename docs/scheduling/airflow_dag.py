"""Refresh the time zone conversion tables each night; fail the run if they are wrong."""

import datetime as dt

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

URL = "postgresql+psycopg://tzconv@db.example.com/reports"

with DAG(
    "tzconv_refresh",
    schedule="10 3 * * *",
    start_date=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": dt.timedelta(minutes=10)},
):
    # from an Airflow connection, not from the command line
    secret = {"PGPASSWORD": "{{ conn.reports.password }}"}
    refresh = BashOperator(
        task_id="refresh", bash_command=f"tzconv refresh --url {URL}", env=secret, append_env=True
    )
    check = BashOperator(
        task_id="check", bash_command=f"tzconv status --url {URL}", env=secret, append_env=True
    )
    refresh >> check
