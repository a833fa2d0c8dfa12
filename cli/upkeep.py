"""`matchbox admin prune`: removes old data, as the settings say.

Works on the database itself, and needs no account.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli import output
from cli.backups import DataOption
from cli.playing import JsonOption
from cli.users import opened


def prune(
    data: DataOption = Path("data"),
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
