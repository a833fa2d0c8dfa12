"""`matchbox doctor`: checks what works on this machine."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
from importlib.util import find_spec
from typing import Final, NotRequired, TypedDict

from cli import output
from cli.playing import JsonOption
from matchbox.errors import BrokerUnavailable, Unavailable

_BUILDS: Final = {
    "": "the hot path compiled",
    "refused": "the hot path in plain Python, as MATCHBOX_COMPILED asks for",
    "changed": "the hot path in plain Python: its source was changed since it was compiled, so "
    "install it again",
    "partial": "the hot path in plain Python: it was compiled for another Python, or not whole, so "
    "install it again",
    "missing": "the hot path in plain Python (install it with a C compiler to make it faster)",
}
"""Explanations of why the hot path runs as plain Python, by the reason."""


class Box(TypedDict):
    """The self-test of a kind of box."""

    walled: bool
    layers: dict[str, bool]
    missing: list[str]
    lacking: list[str]


class Cores(TypedDict):
    """The numbers of usable cores, of arenas of `up`, and of arenas with a core of their own."""

    usable: int
    arenas: int
    pinned: int


class Database(TypedDict):
    """Whether the driver of a kind of database is installed; the version of SQLite, or the path of
    a server."""

    works: bool
    version: NotRequired[str]
    server: NotRequired[str | None]


class Report(TypedDict):
    """The document that `doctor --json` prints."""

    python: str
    system: str
    build: str
    plain: str
    past_the_filter: list[str]
    walled: bool
    box: str
    boxes: dict[str, Box]
    servers: dict[str, str | None]
    brokers: dict[str, str | None]
    databases: dict[str, Database]
    games: dict[str, list[str]]
    cores: Cores


def doctor(json: JsonOption = False) -> None:
    """Check which boxes, brokers and databases work; exits 1 if strangers cannot play here."""
    report = examine()
    if json:
        output.document(report)
    else:
        _show(report)
    if not report["walled"] or any(report["servers"].values()):
        output.exit_no()


def examine() -> Report:
    """Every box with its self-test, and every broker and database found."""
    from cli import named_bots
    from matchbox import build, registry
    from sandbox.box import KINDS
    from sandbox.kernel_gaps import past_the_filter

    boxes = {kind: _box(kind) for kind in KINDS}
    walled = [kind for kind, box in boxes.items() if box["walled"]]
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "build": build.in_use(),
        "plain": build.why_plain(),
        "past_the_filter": past_the_filter(),
        "walled": bool(walled),
        "box": walled[0] if walled else "process",
        "boxes": boxes,
        "servers": _servers(),
        "brokers": _brokers(),
        "databases": {
            "sqlite": {"works": True, "version": sqlite3.sqlite_version},
            "postgres": {
                "works": find_spec("psycopg") is not None,
                "server": shutil.which("postgres"),
            },
        },
        "games": {name: named_bots.shipped_names(name) for name in registry.games()},
        "cores": _cores(),
    }


def _box(kind: str) -> Box:
    from matchbox.settings import read_settings
    from worker.arena import boxes

    found = boxes.examine(kind, read_settings(os.environ))
    return {
        "walled": found.walled,
        "layers": dict(found.layers),
        "missing": list(found.missing),
        "lacking": list(found.lacking),
    }


def _cores() -> Cores:
    from matchbox.settings import read_settings
    from worker.arena import cpu_affinity

    settings, usable = read_settings(os.environ), len(cpu_affinity.usable_cores())
    arenas = settings.arenas or usable
    pinned = min(arenas, usable) if settings.pin and cpu_affinity.CAN_PIN else 0
    return {"usable": usable, "arenas": arenas, "pinned": pinned}


def _servers() -> dict[str, str | None]:
    """The broker and the database that are set, each with what is wrong with it or None."""
    from matchbox.settings import read_settings
    from server.db.errors import check_connection
    from server.services.broker import waiting_results

    settings = read_settings(os.environ, open)
    found: dict[str, str | None] = {}
    for setting, url, check in (
        ("MATCHBOX_BROKER_URL", settings.broker_url, waiting_results),
        ("MATCHBOX_DATABASE_URL", settings.database_url, check_connection),
    ):
        if url:
            try:
                check(url)
                found[setting] = None
            except BrokerUnavailable as error:
                found[setting] = f"{error} ({error.__cause__})"
            except Unavailable as error:
                found[setting] = str(error)
    return found


def _brokers() -> dict[str, str | None]:
    from worker import broker

    try:
        embedded: str | None = str(broker.binary())
    except BrokerUnavailable:
        embedded = None
    installed = {name: shutil.which(name) for name in ("valkey-server", "redis-server")}
    return {"embedded": embedded, **installed}


def _driver_text(database: Database) -> str:
    if not database["works"]:
        return "its driver is not installed"
    if "server" not in database:
        return "works"
    return f"its driver is installed; its server is {database['server'] or 'not found here'}"


def _show(report: Report) -> None:
    print(f"Python {report['python']} on {report['system']}, {_BUILDS[report['plain']]}")
    for kind, box in report["boxes"].items():
        found = "not walled, trusted bots only" if box["layers"] else "cannot be opened here"
        print(f"box {kind}: {'walled' if box['walled'] else found}")
        for sentence in (*box["missing"], *box["lacking"]):
            print(f"  {sentence}")
    if report["past_the_filter"]:
        print(f"kernel: seccomp filters do not see {' and '.join(report['past_the_filter'])}")
        print("  Bots gain nothing by calling them: the kernel refuses the call or kills the bot.")
    for setting, wrong in report["servers"].items():
        print(f"{setting}: {wrong or 'works'}")
    for name, path in report["brokers"].items():
        print(f"broker {name}: {path or 'not found'}")
    for name, database in report["databases"].items():
        print(f"database {name}: {_driver_text(database)}")
    cores = report["cores"]
    print(
        f"cores: {cores['usable']}; {cores['arenas']} {output.plural(cores['arenas'], 'arena')} in "
        f"`matchbox up`, {cores['pinned']} on a core of "
        f"{output.plural(cores['pinned'], 'its', 'their')} own"
    )
    for game, bots in report["games"].items():
        print(f"game {game}: {', '.join(bots)}")
    if not report["walled"]:
        print("No box is walled here, so only operators may submit bots; see above why.")
