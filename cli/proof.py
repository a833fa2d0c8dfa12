"""`matchbox replay` and `verify`: shows a match, and reruns its bots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from json import dumps as encode
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cli import output
from cli.data_option import data_option
from cli.export import ExportOption, write_export
from cli.playing import BoxOption, JsonOption
from cli.remote import connect
from matchbox.errors import BadOption, BadRecord, Forbidden, NotFound

if TYPE_CHECKING:
    from cli.client import Client
    from matchbox.answers.matches import LogLine, Match
    from matchbox.match.record import Bout, Record
    from matchbox.match.verification import Find
    from matchbox.match.wire import Finding

MatchArgument = Annotated[str, typer.Argument(help="the match's id")]
DataOption = Annotated[
    Path | None,
    data_option("the server's data folder, which gives access to every bot's file and memory"),
]
_MEANING: Final[dict[Finding, str]] = {
    "same": "the bots, run again, gave the same record",
    "different": "the record does not replay by its rules, or is not the one that was stored",
    "unrepeatable": "a bot does not repeat itself; the recorded moves replay",
    "replayed_only": "the recorded moves replay; you may not read the file or memory of a bot",
}


def replay(
    match: MatchArgument,
    bout: Annotated[int | None, typer.Option(min=1, help="only this bout; the first is 1")] = None,
    export: ExportOption = None,
    json: JsonOption = False,
) -> None:
    """Show the record of a match as a transcript."""
    from matchbox.answers.matches import Logs

    if json and bout is not None:
        raise BadOption("--json prints the whole match: leave out --bout")
    with connect() as client:
        played = find_match(client, match)
        record = record_of(played)
        own = client.answer(Logs, f"/matches/{played.id}/log").items if played.mine else []
    if bout is not None and bout > len(record.bouts):
        raise BadOption(f"match {played.id} has no bout {bout}: its last is {len(record.bouts)}")
    names = [entrant.bot for entrant in played.entrants]
    if export is not None:
        write_export(record, names, export)
    if json:
        output.document(played.plain())
        return
    numbers = range(1, len(record.bouts) + 1) if bout is None else (bout,)
    for number, lines in zip(numbers, transcripts(record, names, numbers), strict=True):
        print(f"Bout {number}")
        print("\n".join(lines + diagnostic_lines(own, record.bouts[number - 1])))


def verify(
    match: MatchArgument, box: BoxOption = "auto", data: DataOption = None, json: JsonOption = False
) -> None:
    """Play a match again and compare the digests; exits 1 if they differ."""
    from cli import limits
    from cli.box import open_box
    from cli.verification import verifier

    with connect() as client:
        played = find_match(client, match)
        record = record_of(played)
        classes = [entrant.class_name for entrant in played.entrants]
        under = limits.choose()
        with open_box(box, under.settings) as opened, files_from_folder(data) as find_more:
            bundles = _find("/versions/{}/bundle", client, find_more)
            memories = _find("/memories/{}", client, find_more)
            again = verifier(bundles, memories, opened, under.settings)
            found = again.examine(record, played.digest, classes)
    place = found.differs
    if json:
        known = {"match": played.id, "verdict": found.finding, "digest": played.digest}
        at = {"bout": None, "move": None} if place is None else place._asdict()
        output.document(known | at | {"why": found.why, "limits": limits.document(under)})
    elif found.finding == "different" and place is not None:
        where = f"bout {place.bout + 1} at move {place.move + 1}"
        print(f"different: the bots played differently, first in {where}")
    elif found.why:
        print(f"{found.finding}: the recorded moves replay; {found.why}")
    else:
        print(f"{found.finding}: {_MEANING[found.finding]}")
    if not json:
        output.note(f"verified under {limits.described(under)}")
    if found.finding == "different":
        output.exit_no()


def diagnostic_lines(logs: Iterable[LogLine], bout: Bout) -> list[str]:
    """The comments of one's own bots on their moves in that bout, a line each."""
    return [
        f"  - {log.bot}, decision {one.decision}: {encode(one.report)}"
        for log in logs
        for one in log.diagnostics
        if (one.deal, one.rotation) == (bout.deal, bout.rotation)
    ]


def _find(path: str, client: Client, find_more: Find) -> Find:
    """A function that finds the bundle or memory with a digest if this account may read it, else
    asks `find_more`. `path` is its address in the API, with {} for the digest."""

    def find(digest: str) -> bytes | None:
        try:
            return client.read(path.format(digest))
        except Forbidden:
            return find_more(digest)

    return find


@contextmanager
def files_from_folder(data: Path | None) -> Iterator[Find]:
    """Yields a function that finds any bot's bundle or memory in the server's database.

    It needs the server's data folder, which only its operator can read. Without a folder, the
    function finds nothing.
    """
    if data is None:
        yield lambda digest: None
        return
    from cli.users import opened
    from server import queries
    from server.queries import lessons

    with opened(data) as context:

        def find(digest: str) -> bytes | None:
            with context.read() as session:
                for query in (queries.bundle, lessons.memory):
                    with suppress(NotFound):
                        return query(session, digest)
            return None

        yield find


def find_match(client: Client, name: str) -> Match:
    """The match, with its record. Raises NotFound."""
    from matchbox.answers.matches import Match

    if not re.fullmatch("[0-9a-f]{8,32}", name):
        raise NotFound(
            f"{name!r} is not a match's id: copy at least 8 of its hex digits from the match's page"
        )
    return client.answer(Match, f"/matches/{name}")


def record_of(played: Match) -> Record:
    """The record of the match. Raises Forbidden if there is none yet."""
    if played.record is None:
        raise Forbidden(played.embargo or f"match {played.id} is {played.state}: no record")
    return read_record(played.record)


def read_record(data: object) -> Record:
    """The record in this JSON. Raises BadRecord."""
    import msgspec

    from matchbox.match.record import Record

    try:
        return msgspec.convert(data, Record)
    except msgspec.ValidationError as error:
        raise BadRecord(f"the server sent no record: {error}") from error


def transcripts(record: Record, names: list[str], numbers: Iterable[int]) -> Iterator[list[str]]:
    """Yields the lines of these bouts, which count from 1, with each seat's bot by its name.

    Raises BadRecord.
    """
    from matchbox import registry
    from matchbox.match.record import entrant
    from matchbox.match.replay import raising_bad_record
    from matchbox.match.transcript import narrate

    game, seats = registry.game(record.game), range(len(record.seats))
    with raising_bad_record(game, record):
        for number in numbers:
            bout = record.bouts[number - 1]
            bots = [names[entrant(seat, bout.rotation, len(seats))] for seat in seats]
            yield list(narrate(game, record, bout, bots))
