#!/bin/sh
# Starts Redis for docker-compose.yml.
#   BROKER_PASSWORD        its password
#   BROKER_PASSWORD_FILE   or the file that the password is in
# Redis reads the password from its standard input, so that no list of processes shows it.
set -eu
password=${BROKER_PASSWORD:-$(cat "${BROKER_PASSWORD_FILE:?set it or BROKER_PASSWORD; run \`make env\` first}")}
: "${password:?the file of the password of Redis is empty}"
# The queue is kept by appending alone. Redis would refuse all messages once it cannot fork for a snapshot, as on a
# machine with little memory.
# The image's own start gives the data to the account of Redis, and takes that account.
start=$(command -v docker-entrypoint.sh || true)
exec $start redis-server - << END
appendonly yes
save ""
requirepass "$password"
END
