#!/bin/sh
# Gives Postgres the password POSTGRES_PASSWORD, or that in the file POSTGRES_PASSWORD_FILE, if it has another one,
# as after a rotation of the secrets.
# The image itself uses this variable at its first start only.
# SERVER is the host of Postgres, where it asks for the password. PGHOST is the folder of its socket, where it asks
# for none.
set -eu
POSTGRES_PASSWORD=${POSTGRES_PASSWORD:-$(cat "${POSTGRES_PASSWORD_FILE:?set it or POSTGRES_PASSWORD}")}
: "${POSTGRES_PASSWORD:?the file of the password of Postgres is empty}"
export POSTGRES_PASSWORD
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
