"""`matchbox admin ...` and `matchbox migrate`: for the person who runs the server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import typer

from cli import backups, output, rotation, upkeep
from cli.arenas import arena
from cli.playing import JsonOption
from cli.users import user

admin = typer.Typer(help="Run a server.", no_args_is_help=True)
admin.add_typer(user, name="user")
admin.add_typer(arena, name="arena")

_COMMANDS: Final[tuple[Callable[..., None], ...]] = (
    *(backups.backup, backups.check, backups.restore),
    *(upkeep.prune, rotation.rotate_secrets, rotation.end_sessions),
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
