"""`matchbox season export` and `season verify`: exports and verifies a finished season."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

import typer

from cli import output
from cli.complete_file import complete_file
from cli.playing import BoxOption, JsonOption
from cli.proof import DataOption, files_from_folder
from cli.remote import connect, quoted
from cli.seasons import SeasonArgument
from matchbox.errors import BadOption, Forbidden, MatchboxError, Unavailable

if TYPE_CHECKING:
    from cli.client import Client
    from matchbox.league.verification import LessonFinding, StandingFinding
    from matchbox.match.verification import Find
    from matchbox.match.wire import Finding
    from matchbox.settings import Settings
    from sandbox.box import Box

Whose = Literal["mine", "allowed", "all"]
Thing = TypeVar("Thing")

MOST_NAMED: Final = 1000
"""The most matches, or lessons, with a finding that are named to a server: what it takes at a time
has at most 1 MiB."""


@dataclass(frozen=True, slots=True)
class LessonReport:
    """The result of giving a season's lessons again; the lists name the bot and the round."""

    lessons: int
    out_of: int
    same: int
    different: list[str]
    unrepeatable: list[str]
    not_repeated: list[str]


@dataclass(frozen=True, slots=True)
class SeasonReport:
    """The result of verifying a season; the lists hold the ids of matches."""

    season: str
    matches: int
    out_of: int
    same: int
    different: list[str]
    unrepeatable: list[str]
    replayed_only: list[str]
    lessons: LessonReport
    standing: StandingFinding


def export(
    season: SeasonArgument,
    file: Annotated[Path, typer.Argument(help="the zip to be written")],
    bundles: Annotated[
        Whose,
        typer.Option(
            help="whose bots' files and memories to include: yours, also those of owners who allow "
            "it, or all (for operators)"
        ),
    ] = "allowed",
) -> None:
    """Write a finished season to one archive, which anybody can verify."""
    with connect() as client, complete_file(file) as zipped:
        _fetch(client, season, bundles, zipped)
    output.note(f"{file}: check it with `matchbox season verify {file}`")


def verify(
    season: Annotated[str, typer.Argument(help="the season's name or number, or an archive")],
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="verify only this many matches and lessons, drawn at random"),
    ] = None,
    box: BoxOption = "auto",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play a season's matches again and compare every digest; exits 1 if one differs.

    If an operator verifies a season of a server, the server keeps the report and shows it on the
    season's page.
    """
    from cli import limits
    from cli.box import open_box

    path, trouble = Path(season), ""
    is_path = "/" in season or season.endswith(".zip")
    if is_path and not path.is_file():
        raise BadOption(
            f"there is no file {season}: name an archive, or a season by name or number"
        )
    under = limits.choose()
    if is_path or (path.is_file() and not season.isdecimal()):
        with (
            path.open("rb") as file,
            open_box(box, under.settings) as opened,
            files_from_folder(data) as find_more,
        ):
            report = verify_archive(file, sample, opened, under.settings, find_more)
    else:
        report, trouble = _verify_on_server(season, sample, box, under.settings, data)
    if json:
        output.document(asdict(report) | {"limits": limits.document(under)})
    else:
        _print_report(report)
        output.note(f"verified under {limits.described(under)}")
    if trouble:
        raise Unavailable(f"the season is verified, but the server did not keep it: {trouble}")
    if report.different or report.lessons.different or not report.standing.same:
        output.exit_no()


def _verify_on_server(
    season: str, sample: int | None, box: str, settings: Settings, data: Path | None
) -> tuple[SeasonReport, str]:
    """Verifies a season of the server by its name or number. The server keeps the report of an
    operator; returns the report, and the reason if that fails."""
    from cli.box import open_box
    from matchbox.answers.lessons import Verification

    with connect() as client, TemporaryFile() as file:
        everything = True
        try:
            _fetch(client, season, "all", file)
        except Forbidden:
            everything = False
            _fetch(client, season, "allowed", file)
        file.seek(0)
        with open_box(box, settings) as opened, files_from_folder(data) as find_more:
            report = verify_archive(file, sample, opened, settings, find_more)
        if everything:
            try:
                path = f"/seasons/{quoted(season)}/verifications"
                client.post(Verification, path, _for_server(report))
            except MatchboxError as error:  # It may have taken hours.
                return report, str(error)
    return report, ""


def _for_server(report: SeasonReport) -> dict[str, Any]:
    """The report as a server keeps it. A long list is cut, and the counts are given beside it."""
    findings = asdict(report)
    del findings["season"]
    findings["standing"] = "same" if report.standing.same else "different"
    for part, counts in ((findings, "counts"), (findings["lessons"], "lesson_counts")):
        lists = {name: names for name, names in part.items() if isinstance(names, list)}
        if any(len(names) > MOST_NAMED for names in lists.values()):
            findings[counts] = {name: len(names) for name, names in lists.items()}
            part |= {name: names[:MOST_NAMED] for name, names in lists.items()}
    return findings


def verify_archive(
    file: IO[bytes], sample: int | None, box: Box | None, settings: Settings, find_more: Find
) -> SeasonReport:
    """Verifies the archive.

    `find_more` may find bundles and memories that the archive does not hold. Raises BadArchive.
    """
    from cli.verification import teacher, verifier
    from matchbox.league.archive import Archive
    from matchbox.league.verification import LESSON_FINDINGS, SeasonVerifier
    from matchbox.match.verification import FINDINGS

    archive = Archive(file)

    def memory(name: str) -> bytes | None:
        kept = archive.memory(name)  # It may be empty.
        return find_more(name) if kept is None else kept

    again = verifier(lambda name: archive.bundle(name) or find_more(name), memory, box, settings)
    season = SeasonVerifier(archive, again, teacher(box, settings))
    matches = [one for one in archive.matches if one.state == "finished"]
    findings: dict[Finding, list[str]] = {name: [] for name in FINDINGS}
    lesson_findings: dict[LessonFinding, list[str]] = {name: [] for name in LESSON_FINDINGS}
    with output.progress() as bar:
        for match in bar.track(_sampled(matches, sample), description="playing again"):
            findings[season.match(match)].append(match.match)
        for taught in bar.track(
            _sampled(archive.head.lessons, sample), description="learning again"
        ):
            lesson_findings[season.lesson(taught)].append(f"{taught.entrant} {taught.round + 1}")
    return SeasonReport(
        season=archive.head.season.name,
        matches=sum(map(len, findings.values())),
        out_of=len(matches),
        same=len(findings["same"]),
        different=findings["different"],
        unrepeatable=findings["unrepeatable"],
        replayed_only=findings["replayed_only"],
        lessons=LessonReport(
            lessons=sum(map(len, lesson_findings.values())),
            out_of=len(archive.head.lessons),
            same=len(lesson_findings["same"]),
            different=lesson_findings["different"],
            unrepeatable=lesson_findings["unrepeatable"],
            not_repeated=lesson_findings["not_repeated"],
        ),
        standing=season.standing(),
    )


def _sampled(items: Sequence[Thing], sample: int | None) -> Sequence[Thing]:
    """All items, or `sample` of them drawn at random, in order."""
    if sample is None or sample >= len(items):
        return items
    drawn = random.SystemRandom().sample(range(len(items)), sample)
    return [items[place] for place in sorted(drawn)]


def _fetch(client: Client, season: str, bundles: Whose, file: IO[bytes]) -> None:
    client.save(f"/seasons/{quoted(season)}/archive?bundles={bundles}", file)


def _print_report(report: SeasonReport) -> None:
    lessons, standing = report.lessons, report.standing
    print(f"matches: {report.matches} of {report.out_of} played again")
    _print_counts(report)
    print(f"replayed_only: {len(report.replayed_only)}")
    if lessons.out_of:
        print(f"lessons: {lessons.lessons} of {lessons.out_of} given again")
        _print_counts(lessons)
        print(f"not_repeated: {len(lessons.not_repeated)}")
    print(f"standing: {'same' if standing.same else 'different'} ({standing.digest[:16]})")
    if standing.earlier is not None:
        print(
            "The figures were not compared: another version of Matchbox computed them, by method "
            f"{standing.earlier}. The digest shows whether the results are the same."
        )


def _print_counts(found: SeasonReport | LessonReport) -> None:
    print(f"same: {found.same}")
    print(f"different: {len(found.different)}", *found.different)
    print(f"unrepeatable: {len(found.unrepeatable)}")
