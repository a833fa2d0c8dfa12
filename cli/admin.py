"""`matchbox admin ...` and `matchbox migrate`: for the person who runs the server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Final

import typer

from cli import backups, output, rotation
from cli.arenas import arena
from cli.playing import JsonOption
from cli.users import opened, user

admin = typer.Typer(help="Run a server.", no_args_is_help=True)
admin.add_typer(user, name="user")
admin.add_typer(arena, name="arena")


def prune(
    data: backups.DataOption = Path("data"),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="only say what would be removed")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Remove data that is older than the settings keep it; the ledger does so every hour, too."""
    from server.services import retention, tick

    with opened(data) as context:
        with context.read() as session:
            found = retention.count(session, context.settings, now=context.now())
        days = {kind.name: kind.days(context.settings) for kind in retention.KINDS}
        removed = dict.fromkeys(found, 0)
        while not dry_run and (some := tick.prune_some(context)):
            for name, count in some.items():
                removed[name] += count
    counts = {name: count or 0 for name, count in found.items()} if dry_run else removed
    if json:
        output.document(
            {name: {"kept_days": days[name] or None, "rows": counts[name]} for name in found}
        )
        return
    rows = [(name, days[name] or "for ever", f"{counts[name]:,}") for name in found]
    output.table(["kind", "days kept", "would be removed" if dry_run else "removed"], rows)


_COMMANDS: Final[tuple[Callable[..., None], ...]] = (
    *(backups.backup, backups.check, backups.restore),
    *(prune, rotation.rotate_secrets, rotation.end_sessions),
)
for command in _COMMANDS:
    admin.command()(command)


def migrate(data: backups.DataOption = Path("data"), json: JsonOption = False) -> None:
    """Update the database to this program's schema; `matchbox up` does so by itself."""
    from cli import folder, prepare
    from server.backup.folder import older_schema
    from server.context import database_url

    settings = folder.settings_for(data)
    runs = folder.was_started(data) and older_schema(database_url(settings)) is not None
    with folder.locked(data.resolve()) if runs else nullcontext():  # An older release may run.
        prepare.upgrade(settings, output.note)
    output.outcome({"migrated": True}, "The database has this program's schema.", json)
