#!/bin/sh
# Gives Postgres the password POSTGRES_PASSWORD if it has another one, as after a rotation of the secrets.
# What the image makes of this variable at its first start is never changed by the image again.
# SERVER names Postgres to who needs the password; its socket, which asks for none, is in PGHOST.
set -eu
export PGUSER="$POSTGRES_USER" PGDATABASE="$POSTGRES_DB"
if PGPASSWORD="$POSTGRES_PASSWORD" psql --no-password --host "$SERVER" --command 'SELECT 1' > /dev/null; then
    exit 0
fi
# psql reads the password from its environment, so that no list of processes shows it.
psql --no-password --no-psqlrc --quiet --set ON_ERROR_STOP=1 << 'SQL'
\getenv password POSTGRES_PASSWORD
ALTER ROLE CURRENT_USER PASSWORD :'password';
SQL
echo "Postgres has the new password."
