#!/bin/sh
# Upgrades the tz release, then refreshes the tables and checks them. Install it as /etc/tzconv/refresh.
# The virtual environment in /opt/tzconv belongs to the user of the job, so that pip can write there.
bin=/opt/tzconv/bin

"$bin/python" -m pip install --quiet --no-input --timeout 20 --retries 2 --upgrade tzdata ||
    echo 'tzdata was not upgraded; the refresh uses the installed one' >&2

# 3: a host with a newer tz release or tzconv keeps the tables, and this one left them alone
"$bin/tzconv" refresh || test $? -eq 3 || exit 1
exec "$bin/tzconv" status --max-age 36h
