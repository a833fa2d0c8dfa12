#!/bin/sh
# What the published image of Postgres does at its first start, as far as the deployment needs it.
set -eu
cd /var/lib/postgresql/data
export PGDATA=/var/lib/postgresql/data/books
if [ ! -d "$PGDATA" ]; then
    printf '%s' "${POSTGRES_PASSWORD:-$(cat "$POSTGRES_PASSWORD_FILE")}" > password
    initdb --username="$POSTGRES_USER" --pwfile=password --encoding=UTF8 --auth=scram-sha-256 --auth-local=trust > /dev/null
    rm password
    echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
    echo "CREATE DATABASE \"$POSTGRES_DB\"" | postgres --single -j postgres > /dev/null
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/tmp,/var/run/postgresql
