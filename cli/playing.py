"""`matchbox games`, `play` and `check`: the commands that need no server."""

from __future__ import annotations

import os
import secrets
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from cli import output
from cli.export import ExportOption, check_export, write_export
from matchbox.errors import BadOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cli.named_bots import NamedBot
    from matchbox.answers.bots import Report
    from matchbox.game import Spec
    from matchbox.match.record import Record
    from matchbox.match.referee import Played
    from matchbox.match.wire import Diagnostic, PlayMatch, TriedOut
    from matchbox.settings import Settings

_REPORT_BYTES: Final = 1 << 20
"""The most bytes of a bot's reports on its moves that a game shows."""
MAX_GAMES: Final = 10_000_000
"""The most games of an experiment, whose deals take about 1 GB of memory."""
JsonOption = Annotated[bool, typer.Option("--json", help="one JSON document on stdout")]
BoxOption = Annotated[str, typer.Option(help="auto, bwrap, docker, process; none for trusted bots")]
FileArgument = Annotated[
    str, typer.Argument(help="the bot: a .py file, FILE.py:Class, or a zip with player.py")
]
WidthOption = Annotated[
    int | None,
    typer.Option(min=0, max=1024, help="games at once (250); 0: a fresh process for each game"),
]


def games(json: JsonOption = False) -> None:
    """List the installed games."""
    from dashboard.wording import seats
    from matchbox import registry

    specs = {name: game.spec for name, game in registry.games().items()}
    if json:
        output.document([_game_document(name, spec) for name, spec in specs.items()])
        return
    rows = [
        (name, spec.title, seats(spec.seats), ", ".join(spec.options))
        for name, spec in specs.items()
    ]
    output.table(["name", "title", "players", "options"], rows)


def _game_document(name: str, spec: Spec) -> dict[str, object]:
    return {
        "name": name,
        "title": spec.title,
        "seats": list(spec.seats),
        "rules": spec.rules,
        "options": {
            option: {"default": one.default, "choices": list(one.choices), "help": one.help}
            for option, one in spec.options.items()
        },
    }


def play(
    game: Annotated[str, typer.Argument(help="the game, such as bomb")],
    bot: Annotated[
        list[str] | None, typer.Argument(help="a bot for each seat; `human` is you")
    ] = None,
    seed: Annotated[str, typer.Option(help="the same seed deals the same cards")] = "",
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE of the game")] = None,
    box: BoxOption = "auto",
    export: ExportOption = None,
    json: JsonOption = False,
) -> None:
    """Play one game and print its transcript; `human` plays at this terminal."""
    from cli import war_transcript
    from cli.person import HUMAN
    from matchbox.match.transcript import distinct_names

    seed = seed or secrets.token_hex(4)
    if not bot:
        if export is not None:
            raise BadOption("--export is for the games of bots: name one for each seat")
        if box not in ("auto", "none"):
            raise BadOption("--box is for bots: name one for each seat, or leave it out")
        war_transcript.play(game, seed, option or (), json)
        return
    people = [seat for seat, text in enumerate(bot) if text == HUMAN]
    if json and people:
        raise BadOption("a human plays at the terminal: leave --json out")
    if export is not None:
        check_export(game, export)
    bots = _bots(game, bot)
    job = _job(game, bots, seed, option or [])
    kind, played, diagnostics, logs = _play(job, bots, people, box)
    names = distinct_names([one.name for one in bots])
    lines = _transcript(played, names, logs)
    lines += [f"{names[one.entrant]}, decision {one.decision}: {one.text}" for one in diagnostics]
    try:  # The file first: whoever reads stdout may be gone.
        if export is not None:
            write_export(played.record, [one.name for one in bots], export)
    finally:
        if json:
            output.document(_document(seed, kind, bots, played.record, lines, logs))
        else:
            if people:
                print("\nThe whole game:")
            print("\n".join(lines))
            for name, log in zip(names, logs, strict=True):
                _print_log(name, log)
            output.note(f"seed {seed}, box {kind}")


def check(
    file: FileArgument,
    game: Annotated[str, typer.Option(help="the game it plays")],
    class_name: Annotated[
        str | None, typer.Option("--class", help="one of several players")
    ] = None,
    seed: Annotated[str, typer.Option(help="the same seed deals the same cards")] = "",
    box: BoxOption = "auto",
    json: JsonOption = False,
) -> None:
    """Validate a bot as the server does, with its limits; exits 1 if it is refused."""
    from cli import limits, named_bots
    from cli.box import open_box
    from matchbox import registry
    from matchbox.bundle import check_class_name

    registry.game(game)
    path, chosen = named_bots.with_class(file, class_name)
    named_bots.check_no_shipped_name(game, path)
    data, seed = named_bots.read(Path(path)), seed or secrets.token_hex(4)
    under = limits.choose()
    with open_box(box, under.settings) as opened:
        report = try_file(data, game, check_class_name(chosen), opened, seed, under.settings)
    if json:
        told = {"seed": seed, "limits": limits.document(under)}
        output.document(report_of(report) | told)
    else:
        show_report(report, accepted=report.accepted)
        output.note(f"seed {seed}, box {report.box}, {limits.described(under)}")
    if not report.accepted:
        output.exit_no()


def try_file(
    data: bytes, game: str, class_name: str | None, box: Any, seed: str, settings: Settings
) -> TriedOut:
    """The verdict of the server's own try-out, on the deals of that seed."""
    from matchbox.bundle import digest
    from matchbox.dice import derive_deals
    from matchbox.match.wire import TryOut
    from matchbox.settings import limits_of
    from worker.arena.tryout import try_out

    job = TryOut(
        attempt=1,
        token="",
        game=game,
        limits=limits_of(settings),
        version=digest(data),
        class_name=class_name,
        deals=derive_deals(seed, settings.tryout_deals),
    )
    return try_out(job, data, box)


def report_of(report: TriedOut) -> dict[str, object]:
    """A try-out's report as the document that --json prints."""
    return {
        "accepted": report.accepted,
        "verdict": report.verdict,
        "reasons": report.reasons,
        "games": report.games,
        "cpu_ms_per_decision": report.cpu_ms_per_decision,
        "log": report.log,
        "class": report.class_name,
        "unrepeatable": report.unrepeatable,
        "stateful": report.stateful,
        "version": report.version,
        "box": report.box,
    }


def show_report(report: Report | TriedOut, *, accepted: bool) -> None:
    """Prints a report for the person at the terminal."""
    verdict = "accepted" if accepted else f"refused ({report.verdict})"
    bouts = output.plural(report.games, "bout")
    cost = f"{report.games} {bouts} against itself, {report.cpu_ms_per_decision:.2f} ms a decision"
    print(f"{verdict}: {cost}" if report.games else verdict)
    for reason in report.reasons:
        print(reason)
    _print_log("the bot", report.log)


def _print_log(name: str, log: str | None) -> None:
    """Prints the output of a bot, if it has printed anything."""
    if log:
        print(f"--- what {name} printed ---")
        print(log.rstrip())


def _bots(game: str, texts: Sequence[str]) -> list[NamedBot]:
    """The bots of these names, files, or people. Raises UnknownGame, BadName."""
    from cli import named_bots
    from cli.person import HUMAN, person
    from matchbox.match.transcript import distinct_names

    found = [None if text == HUMAN else named_bots.find(game, text) for text in texts]
    names = distinct_names([bot.name if bot else HUMAN for bot in found])
    return [bot or person(game, seat, names) for seat, bot in enumerate(found)]


def _job(game: str, bots: list[NamedBot], seed: str, options: list[str]) -> PlayMatch:
    from cli.game_options import read_options
    from matchbox import registry
    from matchbox.dice import derive_deals
    from matchbox.game import check_seats, fill_options
    from matchbox.match.wire import Entrant, PlayMatch
    from matchbox.settings import limits_of, read_settings

    spec = registry.game(game).spec
    check_seats(spec, len(bots))
    return PlayMatch(
        attempt=1,
        token="",
        game=game,
        limits=limits_of(read_settings(os.environ)),
        match=f"play {seed}",
        rules=spec.rules,
        options=fill_options(spec, read_options(options)),
        deals=derive_deals(seed, 1),
        seats=[Entrant(bot.version, bot.class_name) for bot in bots],
    )


def _play(
    job: PlayMatch, bots: list[NamedBot], people: Sequence[int], kind: str
) -> tuple[str, Played, list[Diagnostic], list[str]]:
    """Plays one deal in the seats' own order. Returns the kind of box, the match, and the players'
    comments and output.

    `people` are the seats of people: only they play outside the box. If there are any, the moves
    are printed as they are made.
    """
    from cli.box import open_box
    from cli.person import PersonChannel, answering
    from cli.spectator import Spectator
    from matchbox import registry
    from matchbox.match.referee import play
    from worker.arena.match_seats import MatchSeats, box_kind

    game = registry.game(job.game)
    spectator = Spectator(game, [bot.name for bot in bots])
    channels = {seat: partial(PersonChannel, partial(spectator.turn, seat)) for seat in people}
    kind = "none" if len(people) == len(bots) else kind
    with nullcontext() if people and kind == "none" else open_box(kind) as box:
        bundles = {bot.version: bot.data for bot in bots}
        seats = MatchSeats(job, bundles, box, channels=channels, reports=True)
        with answering() if people else nullcontext():
            rules = spectator.game() if people else game
            played = play(rules, job, seats.open_player, rotations=[0])
        logs = seats.logs(job.limits["log_bytes"])
        return box_kind(box), played, seats.output(_REPORT_BYTES).diagnostics, logs


def _transcript(played: Played, names: list[str], logs: list[str]) -> list[str]:
    from matchbox import registry
    from matchbox.match.replay import check_rules
    from matchbox.match.transcript import narrate
    from worker.arena.verdict_messages import fault_line, fault_place

    record = played.record
    game = registry.game(record.game)
    check_rules(game, [record])
    lines = list(narrate(game, record, record.bouts[0], names))
    for note in played.notes:
        place = fault_place(note.kind, logs[note.entrant])
        found = fault_line(note.kind, note.detail, place)
        lines.append(f"{names[note.entrant]}: {found}")
    return lines


def _document(
    seed: str,
    box: str,
    bots: list[NamedBot],
    record: Record,
    lines: list[str],
    logs: list[str],
) -> dict[str, object]:
    from matchbox.match.record import digest

    bout = record.bouts[0]
    return {
        "game": record.game,
        "seed": seed,
        "box": box,
        "bots": [bot.name for bot in bots],
        "places": bout.places,
        "scores": bout.scores,
        "why": bout.why,
        "moves": bout.moves,
        "faults": [{"seat": fault.seat, "kind": fault.kind} for fault in bout.faults],
        "transcript": lines,
        "logs": logs,
        "digest": digest(record),
    }
