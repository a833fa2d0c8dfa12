"""Whether a worker with this environment can reach its queue: `python -m worker.health`.

Knows only the broker's address; leases watch over a worker's tasks. It runs every 30 s beside each
worker, so it imports no more than it needs.
"""

from __future__ import annotations

import os
import sys

import redis

from matchbox.settings import read_settings

PATIENCE_S = 10


def main() -> None:
    """Prints a sentence and exits with 1 if the broker does not answer."""
    url = read_settings(os.environ, open).broker_url.replace("redis+socket://", "unix://")
    if not url:
        sys.exit("set MATCHBOX_BROKER_URL to the broker's address")
    patience = {"socket_connect_timeout": PATIENCE_S, "socket_timeout": PATIENCE_S}
    try:
        with redis.Redis.from_url(url, **patience) as broker:
            broker.ping()
    except redis.RedisError as error:
        sys.exit(f"the broker cannot be reached: {error}")


if __name__ == "__main__":
    main()
