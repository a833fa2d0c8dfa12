"""`matchbox submit`, `bots`, `logs`, `standings`, `activate`, `retire`: with a server."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import quote

import typer

from cli import output
from cli.boards import show_board
from cli.playing import FileArgument, JsonOption
from matchbox.errors import BadOption, Forbidden, NotFound, TooMany, Unavailable, UnknownGame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cli.client import Client
    from matchbox.answers import Answer
    from matchbox.answers.bots import Bot, Report, Version, VersionLine
    from matchbox.answers.matches import LogLine
    from matchbox.answers.standings import Board

POLL_S: Final = (0.3, 2.0)
"""Seconds before a verdict is asked for again: at first, and at most."""
BotArgument = Annotated[str, typer.Argument(help="owner/name, or the name of one of yours")]
ReasonOption = Annotated[str, typer.Option(help="the reason, which is kept and shown")]
PATIENCE_S: Final = 300.0
"""The default number of seconds for which `submit --wait` waits."""
DAYS: Final = 365
"""The default number of days that a token lasts."""
ScopeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scope", help="read, submit or operate; repeat it for several; the default is all"
    ),
]
DaysOption = Annotated[int, typer.Option(min=1, max=3650, help="how long the token lasts")]


def connect() -> Client:
    """A client of the environment's server, or of the last login's."""
    from cli.client import Client
    from cli.login import load_login

    return Client(load_login())


def quoted(name: str) -> str:
    """The name, quoted as a part of an address. Raises BadOption for one that no address can
    hold."""
    if name in ("", ".", ".."):
        raise BadOption(f"{name!r} is not a name: give the whole name, or the number")
    return quote(name, safe="")


def post_and_print(kind: type[Answer], path: str, body: Mapping[str, object], json: bool) -> None:
    """Posts this to the server, and prints the answer: as one document, or its plain fields."""
    with connect() as client:
        answer = client.post(kind, path, body).plain()
    if json:
        output.document(answer)
    else:
        output.fields(answer)


def _finite(seconds: float | None) -> float | None:
    if seconds is not None and not isfinite(seconds):
        raise typer.BadParameter(f"{seconds} is not a number of seconds.")
    return seconds


def submit(
    file: FileArgument,
    game: Annotated[str, typer.Option(help="the game it plays")],
    name: Annotated[str, typer.Option(help="the bot's name; a new one makes a new bot")],
    class_name: Annotated[
        str | None, typer.Option("--class", help="one of several players")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="wait for the verdict")] = False,
    patience: Annotated[
        float | None,
        typer.Option(
            min=1, callback=_finite, help=f"the longest wait, in seconds ({PATIENCE_S:.0f})"
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Upload a bot, or its next version; exits 1 if it is refused."""
    from cli import named_bots
    from matchbox.answers.bots import Version

    if patience is not None and not wait:
        raise BadOption("--patience is for --wait: add it, or leave --patience out")
    path, chosen = named_bots.with_class(file, class_name)
    named_bots.check_no_shipped_name(game, path)
    data = named_bots.read(Path(path))
    with connect() as client:
        fields = {"game": game, "name": name, "class": chosen}
        version = client.upload(Version, "/bots", fields, data)
        known = version.state != "pending"
        if wait:
            version = verdict(client, version, patience or PATIENCE_S)
    if json:
        output.document({**version_document(version), "known": known})
    else:
        if known:
            print(f"The file is the same as version {version.number}: no new version is made")
        _show_version(version)
        if version.state == "accepted":
            name = f"{version.bot} {version.number}"
            print(f"It does not play; `matchbox activate {name}` chooses it")
    if version.state == "refused":
        output.exit_no()
    if version.state == "suspended":
        output.exit_no("Correct the bot and submit it again")


def token_fields(scopes: list[str] | None, days: int) -> dict[str, object]:
    """The rights and the duration of a new token, in the form that the server takes."""
    return {"days": days, **({"scopes": scopes} if scopes else {})}


def verdict(client: Client, version: Version, patience_s: float) -> Version:
    """The version once it has a verdict. Raises Unavailable if that takes too long.

    Goes on asking while the server does not answer: it has the upload.
    """
    pause_s, longest_s = POLL_S
    deadline = time.monotonic() + patience_s
    uploaded, trouble = f"version {version.number} of {version.bot} is uploaded", ""
    while version.state == "pending":
        if version.parked:
            raise Unavailable(
                f"{uploaded}, but its try-out failed, and not because of the bot: an operator has "
                "to send it again"
            )
        if time.monotonic() > deadline:
            why = trouble or f"see `matchbox logs {version.bot}` later"
            raise Unavailable(f"{uploaded}, but has no verdict after {patience_s:.0f} s: {why}")
        time.sleep(pause_s)
        pause_s = min(1.2 * pause_s, longest_s)
        try:
            version = client.answer(type(version), f"/versions/{version.id}")
            trouble = ""
        except (TooMany, Unavailable) as error:
            trouble = str(error)
    return version


def version_document(version: Version) -> dict[str, object]:
    """A version and its report as one document without nesting."""
    report = version.report
    return {
        "bot": version.bot,
        "game": version.game,
        "version": version.number,
        "version_id": version.id,
        "digest": version.digest,
        "state": version.state,
        "accepted": _accepted(version),
        "trouble": version.trouble,
        "verdict": report.verdict if report else None,
        "games": report.games if report else None,
        "cpu_ms_per_decision": report.cpu_ms_per_decision if report else None,
        "box": report.box if report else None,
        "reasons": report.reasons if report else [],
        "log": _log_of(report) if report else "",
    }


def _log_of(report: Report) -> str:
    return report.log or _removed(report)


def _removed(report: Report) -> str:
    """A sentence about the removal of the log, or nothing."""
    if not report.log_days:
        return ""
    days = output.plural(report.log_days, "day")
    return f"The output was removed after {report.log_days} {days}."


def _accepted(version: VersionLine) -> bool | None:
    """Whether its try-out accepted it; None if that is not known yet."""
    return None if version.state in ("pending", "quarantined") else version.state != "refused"


def bots(
    game: Annotated[str | None, typer.Option(help="of this game only")] = None,
    everybody: Annotated[bool, typer.Option("--all", help="everybody's, not only yours")] = False,
    json: JsonOption = False,
) -> None:
    """List your bots, or everybody's."""
    from matchbox.answers.bots import BotLine

    with connect() as client:
        owner = None if everybody else own_name(client)
        found = list(client.answers(BotLine, "/bots", game=game, owner=owner, limit=200))
        if game is not None and not found:
            _check_game(client, game)
    rows = [(one.bot, one.game, one.number, one.state, one.active) for one in found]
    output.listing(found, ["bot", "game", "newest", "state", "plays with"], rows, json)


def _check_game(client: Client, game: str) -> None:
    """Raises UnknownGame if the server has no game of that name."""
    from matchbox.answers.games import Games

    known = [one.name for one in client.answer(Games, "/games").items]
    if game not in known:
        raise UnknownGame(f"there is no game {game!r} there; the games are: {', '.join(known)}")


def logs(
    bot: BotArgument,
    matches: Annotated[int, typer.Option(min=0, max=200, help="the number of last matches")] = 5,
    json: JsonOption = False,
) -> None:
    """Show a bot's output in its try-outs and its last matches."""
    from matchbox.answers.matches import MatchLine

    with connect() as client:
        found = bot_of(client, bot)
        played = client.answers(MatchLine, "/matches", bot=found.bot, state="finished")
        lines = [
            (match.id, line)
            for match in islice(played, matches)
            for line in _log_lines(client, found, match.id)
        ]
    if json:
        answer = [{"match": match, **line.plain()} for match, line in lines]
        output.document(
            {"bot": found.bot, "versions": found.plain()["versions"], "matches": answer}
        )
    else:
        _show_logs(found, lines)


def _log_lines(client: Client, bot: Bot, match: str) -> list[LogLine]:
    """The bot's lines in the log of a match, none if it is still closed. Raises Forbidden for
    somebody else's bot."""
    from matchbox.answers.matches import Logs

    try:
        logs = client.answer(Logs, f"/matches/{match}/log")
    except Forbidden as closed:
        if not bot.mine:
            raise
        output.note(str(closed))
        return []
    return [line for line in logs.items if line.bot == bot.bot]


def standings(
    name: Annotated[str, typer.Argument(help="a game's leaderboard, or a season by name")],
    json: JsonOption = False,
) -> None:
    """Show a leaderboard, or a season's standing, with intervals."""
    with connect() as client:
        board = board_of(client, name)
    if json:
        output.document([{**line, "by": board.by} for line in board.plain()["lines"]])
    else:
        show_board(board)


def board_of(client: Client, name: str) -> Board:
    """The game's board, or the season's. Raises NotFound."""
    from matchbox.answers.standings import Board

    with suppress(NotFound):
        return client.answer(Board, f"/leaderboards/{quoted(name)}")
    try:
        return client.answer(Board, f"/seasons/{quoted(name)}/standings")
    except NotFound as unknown:
        hint = str(unknown).partition("; ")[2]
        hint = hint or "`matchbox games` and `matchbox season list` name them"
        raise NotFound(f"there is no game and no season {name!r}; {hint}") from unknown


def activate(
    bot: BotArgument,
    version: Annotated[int, typer.Argument(min=1, help="the number of an accepted version")],
    json: JsonOption = False,
) -> None:
    """Choose the accepted version that a bot plays with."""
    from matchbox.answers.bots import Version

    with connect() as client:
        path = f"{bot_path(client, bot)}/activate"
        active = client.post(Version, path, {"version": version})
    text = f"{active.bot} now plays with version {active.number}"
    output.outcome(version_document(active), text, json)


def retire(bot: BotArgument, json: JsonOption = False) -> None:
    """Remove a bot from every board for good; its matches stay."""
    from matchbox.answers.bots import Bot

    with connect() as client:
        retired = client.post(Bot, f"{bot_path(client, bot)}/retire")
    output.outcome(retired.plain(), f"{retired.bot} is retired", json)


def bot_path(client: Client, bot: str) -> str:
    """The address of owner/name; a name alone is one of the account's own bots."""
    owner, slash, name = bot.rpartition("/")
    at = quoted(name)
    return f"/bots/{quoted(owner if slash else own_name(client))}/{at}"


def own_name(client: Client) -> str:
    """The name of the account that the client's token belongs to."""
    from matchbox.answers.accounts import Account

    return client.answer(Account, "/whoami").name


def bot_of(client: Client, bot: str) -> Bot:
    """The bot with its versions. Raises NotFound."""
    from matchbox.answers.bots import Bot

    return client.answer(Bot, bot_path(client, bot))


def secret_of(what: str, *, twice: bool = False) -> str:
    """A secret: asked for at a terminal, `twice` if a slip would harm; otherwise read as a line of
    stdin."""
    if sys.stdin.isatty():
        secret: str = typer.prompt(what, hide_input=True, err=True, confirmation_prompt=twice)
        return secret
    return sys.stdin.readline().rstrip("\r\n")


def _show_version(version: Version) -> None:
    if version.state == "pending":
        print(f"{version.bot} version {version.number} waits for its try-out")
    else:
        print(f"{version.bot} version {version.number} is {_state_of(version)}")
        _show_report(version)


def _state_of(version: VersionLine) -> str:
    """The version's state, and the reason if it is suspended, quarantined or parked."""
    return f"{version.state}: {version.trouble}" if version.trouble else version.state


def _show_report(version: VersionLine) -> None:
    from cli.playing import show_report

    if version.report:
        show_report(version.report, accepted=version.state != "refused")
        if removed := _removed(version.report):
            print(removed)


def _show_logs(bot: Bot, lines: list[tuple[str, LogLine]]) -> None:
    for version in reversed(bot.versions):
        print(f"Version {version.number} is {_state_of(version)}")
        _show_report(version)
    for match, line in lines:
        print(f"Match {match}: {line.cpu_ms:.0f} ms of processor time")
        for fault in line.notes:
            place = f"deal {fault.deal + 1}, rotation {fault.rotation + 1}"
            print(f"  {place}: {fault.kind}: {fault.detail}")
        if line.text:
            print(line.text.rstrip())
