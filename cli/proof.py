"""`matchbox replay`, `verify` and `season verify`: a match told, and played again."""

from __future__ import annotations

import os
import re
from json import dumps as encode
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from cli import say
from cli.export import ExportOption, write_export
from cli.playing import BoxOption, JsonOption
from cli.remote import connect
from cli.seasons import SeasonArgument, season

if TYPE_CHECKING:
    from cli.client import Client
    from matchbox.match.record import Bout, Record
    from sandbox.box import Box

Finding = Literal["same", "different", "unrepeatable", "replayed_only"]

MatchArgument = Annotated[str, typer.Argument(help="the match's id")]
DataOption = Annotated[
    Path | None, typer.Option(help="a data folder: its server hands out every bot's file")
]
_MEANING: Final = {
    "same": "the bots played again gave the same record",
    "different": "the bots played again gave another record",
    "unrepeatable": "a bot does not repeat itself; the recorded moves replay",
    "replayed_only": "the recorded moves replay; a bot's file or memory is not yours to play again",
}


def replay(
    match: MatchArgument,
    bout: Annotated[int | None, typer.Option(min=0, help="only this bout")] = None,
    export: ExportOption = None,
    json: JsonOption = False,
) -> None:
    """Show the record of a match as a transcript."""
    with connect() as client:
        told = _match(client, match)
        record = record_in(told)
        own = client.get(f"/matches/{told['id']}/log")["items"] if told.get("mine") else []
    names = [entrant["bot"] for entrant in told["entrants"]]
    if export is not None:
        write_export(record, names, export)
    if json:
        say.document(told)
        return
    for number, lines in enumerate(transcripts(record, names)):
        if bout in (None, number):
            print(f"Bout {number}")
            print("\n".join(lines + reported(own, record.bouts[number])))


def verify(
    match: MatchArgument, box: BoxOption = "auto", data: DataOption = None, json: JsonOption = False
) -> None:
    """Play a match again and compare the digests; exits 1 where they differ."""
    from cli.engine import open_box

    with connect() as client:
        told = _match(client, match)
        record = record_in(told)
        with say.opened(open_box(box)) as opened:
            finding = Witness(client, data, opened).finding(record, told.get("digest"))
    if json:
        say.document({"match": told["id"], "verdict": finding, "digest": told.get("digest")})
    else:
        print(f"{finding}: {_MEANING[finding]}")
    if finding == "different":
        say.no()


@season.command("verify")
def verify_season(
    name: SeasonArgument, box: BoxOption = "auto", data: DataOption = None, json: JsonOption = False
) -> None:
    """Play a season's matches again and compare every digest; exits 1 where one differs."""
    import msgspec

    from cli.engine import open_box

    found: dict[str, list[str]] = {kind: [] for kind in _MEANING}
    with connect() as client:
        lines = client.read(f"/seasons/{name}/export").splitlines()
        with say.opened(open_box(box)) as opened, say.progress() as bar:
            witness = Witness(client, data, opened)
            for line in bar.track(lines, description="playing again"):
                told = msgspec.json.decode(line)
                record = read_record(told["record"])
                found[witness.finding(record, told["digest"])].append(record.match)
    document = {"matches": len(lines), **found, "same": len(found["same"])}
    if json:
        say.document(document)
    else:
        for kind, matches in found.items():
            print(f"{kind}: {len(matches)}", *(matches if kind == "different" else []))
    if found["different"]:
        say.no()


def reported(logs: list[dict[str, Any]], bout: Bout) -> list[str]:
    """What the players of one's own bots said of their moves in that bout, a line each."""
    return [
        f"  - {log['bot']}, decision {one['decision']}: {encode(one['report'])}"
        for log in logs
        for one in log["diagnostics"]
        if (one["deal"], one["rotation"]) == (bout.deal, bout.rotation)
    ]


class Witness:
    """Plays records again with the bots' own files."""

    def __init__(self, client: Client, data: Path | None, box: Box | None) -> None:
        self._client = client
        self._data = data
        self._box = box
        self._bundles: dict[str, bytes | None] = {}
        self._classes: dict[str, str | None] = {}

    def finding(self, record: Record, digest: str | None) -> Finding:
        """What came of playing the record again; `digest` is what the books have."""
        from matchbox import registry
        from matchbox.errors import BadRecord
        from matchbox.match import record as records
        from matchbox.match import replay as proofs

        game = registry.game(record.game)
        if digest is not None and records.digest(record) != digest:
            return "different"
        try:
            proofs.replay(game, record)
        except BadRecord:
            return "different"
        bundles = {version: self._bundle(version) for version in record.seats}
        known = {version: data for version, data in bundles.items() if data is not None}
        elsewhere = record.python not in ("", records.python_minor())
        if len(known) < len(bundles) or elsewhere or any(proofs.memories(record)):
            return "replayed_only"
        return self._play_again(record, known)

    def _play_again(self, record: Record, bundles: dict[str, bytes]) -> Finding:
        from msgspec.structs import replace

        from matchbox import registry
        from matchbox.match import replay as proofs
        from matchbox.match.wire import Entrant
        from matchbox.settings import limits_of, read_settings
        from worker.arena.play import Table

        job = replace(
            proofs.job_of(record),
            limits=limits_of(read_settings(os.environ)),
            seats=[Entrant(version, self._classes.get(version)) for version in record.seats],
        )
        table = Table(job, bundles, self._box)
        return proofs.verify(registry.game(record.game), record, table.open_player)

    def _bundle(self, version: str) -> bytes | None:
        """The version's file, or None where it is somebody else's."""
        from matchbox.errors import Forbidden

        if version not in self._bundles:
            self._classes[version] = self._client.get(f"/versions/{version}").get("class_name")
            try:
                self._bundles[version] = self._client.read(f"/versions/{version}/bundle")
            except Forbidden:
                self._bundles[version] = self._from_folder(version)
        return self._bundles[version]

    def _from_folder(self, version: str) -> bytes | None:
        """The version's file by the arena's door, which who runs the server may use."""
        if self._data is None:
            return None
        from cli.folder import settings_of
        from worker.arena.client import ServerClient

        server = ServerClient(self._client.url, settings_of(self._data).arena_token)
        try:
            return server.bundle(version)
        finally:
            server.close()


def _match(client: Client, name: str) -> dict[str, Any]:
    """The match as the API tells it. Raises NotFound."""
    from matchbox.errors import NotFound

    if not re.fullmatch("[0-9a-f]{8,32}", name):
        raise NotFound(
            f"{name!r} is no match's id: copy its hex digits, 8 at least, from the match's page"
        )
    told: dict[str, Any] = client.get(f"/matches/{name}")
    return told


def record_in(told: dict[str, Any]) -> Record:
    """The record of a match that the API told. Raises Forbidden where there is none yet."""
    from matchbox.errors import Forbidden

    if told.get("record") is None:
        raise Forbidden(told.get("embargo") or f"match {told['id']} is {told['state']}: no record")
    return read_record(told["record"])


def read_record(data: object) -> Record:
    """The record in this JSON. Raises BadRecord."""
    import msgspec

    from matchbox.errors import BadRecord
    from matchbox.match.record import Record

    try:
        return msgspec.convert(data, Record)
    except msgspec.ValidationError as error:
        raise BadRecord(f"the server sent no record: {error}") from error


def transcripts(record: Record, names: list[str]) -> list[list[str]]:
    """Every bout in lines, with the names of who sat where."""
    from matchbox import registry
    from matchbox.match.record import entrant
    from matchbox.match.transcript import tell

    game = registry.game(record.game)
    seats = range(len(record.seats))
    return [
        list(
            tell(game, record, bout, [names[entrant(s, bout.rotation, len(seats))] for s in seats])
        )
        for bout in record.bouts
    ]
