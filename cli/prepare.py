"""Updates the database of `matchbox up`: `python -m cli.prepare`, before anything starts.

It is a process of its own, so that the supervisor stays small. With `--broker` it also makes sure
that the broker answers. Its last line on stdout is a JSON document: {"first_operator": secret or
null}.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from cli import named_bots, output
from matchbox import registry
from matchbox.errors import MatchboxError
from matchbox.settings import Settings, read_settings
from server.backup import folder
from server.context import clock, database_url, make_context
from server.db.errors import check_pages, wait_for_start
from server.db.migrations import migrate
from server.outbox import OfflineSender
from server.services import accounts, bootstrap, broker
from worker import start


def prepare(settings: Settings) -> str | None:
    """Updates the database to this program's schema, with the house account and its bots.

    Backs it up before an upgrade. Returns the secret of the first operator's link, or None if there
    is an operator. Raises Unavailable if the database cannot be used or backed up, is damaged, or
    belongs to a newer release.
    """
    url = database_url(settings)
    wait_for_start(url, settings.database_wait_seconds, _printing("the database"))
    check_pages(url)
    upgrade(settings, _pass_on)
    context = make_context(settings, sender=OfflineSender())
    try:
        with context.database.write() as session:
            bots = [
                bootstrap.ShippedBot(game, bot.name, bot.data)
                for game in registry.games()
                for bot in named_bots.shipped(game)
            ]
            bootstrap.prepare(session, settings, bots, now=context.now())
            return accounts.first_operator_link(session, now=context.now())
    finally:
        context.close()


def upgrade(settings: Settings, report: Callable[[str], None]) -> None:
    """Brings the database to this program's schema, after a backup if that changes any data.

    Reports where the backup is. Raises Unavailable if the backup fails, if the database cannot be
    used, or if it belongs to a newer release.
    """
    kept = folder.take_before_upgrade(settings, now=clock())
    if kept is not None:
        report(f"Before the upgrade, the database was backed up into {kept}.")
    migrate(database_url(settings))


def _printing(name: str) -> Callable[[str], None]:
    return lambda why: _pass_on(f"Waiting for {name} to start: {why}")


def _pass_on(sentence: str) -> None:
    print(f"{output.PASSED_ON}{sentence}", file=sys.stderr, flush=True)


def main() -> int:
    """Prepares the environment's database; prints a sentence and returns 1 if that fails."""
    start.ready()
    os.umask(0o077)
    try:
        settings = read_settings(os.environ, open)
        Path(settings.data).mkdir(mode=0o700, parents=True, exist_ok=True)
        if "--broker" in sys.argv:
            most_s = settings.database_wait_seconds
            broker.wait_for_start(settings.broker_url, most_s, _printing("the broker"))
        secret = prepare(settings)
    except MatchboxError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename} cannot be used: {error.strerror}", file=sys.stderr)
        return 1
    if secret is not None:
        print(f"Become the first operator: {settings.server_url}/first/{secret}", file=sys.stderr)
    print(json.dumps({"first_operator": secret}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
