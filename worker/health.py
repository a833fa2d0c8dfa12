"""Whether a worker with this environment can reach its queue: `python -m worker.health`.

Knows only the broker's address; leases watch over a worker's tasks.
"""

from __future__ import annotations

import os
import sys

from kombu import Connection
from kombu.exceptions import OperationalError

from matchbox.settings import read_settings
from worker.app import address

PATIENCE_S = 10


def main() -> None:
    """Prints a sentence and exits with 1 if the broker does not answer."""
    settings = read_settings(os.environ, open)
    try:
        with Connection(address(settings.broker_url), connect_timeout=PATIENCE_S) as broker:
            broker.ensure_connection(max_retries=1, timeout=PATIENCE_S)
    except (OperationalError, OSError) as error:
        sys.exit(f"the broker cannot be reached: {error}")


if __name__ == "__main__":
    main()
