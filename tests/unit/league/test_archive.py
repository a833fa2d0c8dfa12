"""An exported season: an archive reads back as written; a damaged or forged archive is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from io import BytesIO
from types import SimpleNamespace
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec
import pytest
from msgspec.structs import replace

from matchbox import registry
from matchbox.bundle import digest
from matchbox.errors import BadArchive, BadRecord
from matchbox.league import archive_layout as layout
from matchbox.league.archive import Archive, standings_agree, write
from matchbox.league.counts import count
from matchbox.league.rows import rows_of
from matchbox.league.standings import METHOD, digest_of, standing
from matchbox.league.verification import SeasonVerifier
from matchbox.match import record as records
from matchbox.match.learning import Own, lessons
from matchbox.match.referee import play
from matchbox.match.wire import Learned, Teach
from tests.builders import a_job, local_seats, shipped
from tests.traced import memory_traced

MATCH = "ab" * 16
BUNDLE, MEMORY = b"BOT = None\n", b"old"
OUTSIDE = (
    *("../season.json", "/season.json", "records/../../x", "bundles/short", "readme.txt"),
    *("records/" + "AB" * 16, "season.json/x"),
)


@pytest.fixture(scope="module")
def whole() -> bytes:
    """The archive of a season of one match of bomb, with a lesson."""
    game = registry.game("bomb")
    job = a_job(game, match=MATCH)
    seats = local_seats("bomb", [shipped("bomb", "simple"), shipped("bomb", "medium")])
    record = play(game, job, seats).record
    names = [f"alice/{n}:{one}" for n, one in enumerate(record.seats)]
    played = layout.ArchivedMatch(
        match=MATCH,
        number=0,
        round=0,
        state="finished",
        digest=records.digest(record),
        seats=names,
        bouts=[(b.deal, b.rotation, b.places, b.scores, b.forfeit) for b in record.bouts],
    )
    settings = layout.StandingSettings(
        entrants=names, listed=names, parents={}, cooperative=False, seat_term=False
    )
    ranked = standing(
        rows_of(MATCH, record.deals, names, played.bouts), **msgspec.structs.asdict(settings)
    )
    head = layout.SeasonFile(
        season=layout.ArchivedSeason(
            name="spring",
            league="bomb",
            game="bomb",
            rules=record.rules,
            options=record.options,
            seats=2,
            deals=2,
            seed="a seed for tests",
            format={"learning": "fresh"},
            edition=1,
            division=1,
            rounds=1,
            state="finished",
            started_at=None,
            finished_at=None,
        ),
        entrants=[
            layout.ArchivedEntrant(name=name, version=one, class_name=None, out="")
            for name, one in zip(names, record.seats, strict=True)
        ],
        lessons=[
            layout.ArchivedLesson(
                entrant=names[0],
                round=0,
                played={MATCH: 0},
                before=None,
                after=digest(MEMORY),
                fault="",
            )
        ],
        standing=layout.ArchivedStanding(
            digest=ranked.digest,
            settings=settings,
            lines=[asdict(line) for line in ranked.lines],
            method=METHOD,
        ),
    )
    file = BytesIO()
    write(file, head, [(played, records.pack(record))], [BUNDLE], [MEMORY])
    return file.getvalue()


def changed(whole: bytes, **files: bytes | None) -> bytes:
    """The archive with other bytes in some files; None leaves one out."""
    wanted = {name.replace("__", "/").replace("_json", ".json"): v for name, v in files.items()}
    file = BytesIO()
    with ZipFile(BytesIO(whole)) as old, ZipFile(file, "w") as new:
        for name in old.namelist():
            data = wanted.pop(name, old.read(name))
            if data is not None:
                new.writestr(name, data)
        for name, data in wanted.items():
            new.writestr(name, data or b"")
    return file.getvalue()


def head(whole: bytes) -> Any:
    """Returns the content of season.json, to be changed."""
    with ZipFile(BytesIO(whole)) as archive:
        return msgspec.json.decode(archive.read("season.json"))


ANYTHING: Any = None
"""A placeholder for arguments that a standing does not need."""
CUT_SHORT: dict[str, bytes | None] = {f"records/{MATCH}": b"cut short"}
"""A damaged record of the match."""


def test_the_rows_of_many_matches_are_not_held_in_memory() -> None:
    """The rows are written as they come, one a line, and kept packed."""
    bouts: Any = [(0, 0, [1, 2], [1, 0], None)] * 2000
    rows = 300

    def played() -> Iterator[tuple[layout.ArchivedMatch, bytes]]:
        for number in range(rows):
            yield layout.ArchivedMatch(
                match=f"{number:032x}", number=number, round=0, state="finished", digest="0" * 64,
                seats=["a", "b"], bouts=bouts,
            ), b""  # fmt: skip

    empty: Any = {}
    file = BytesIO()
    with memory_traced() as traced:
        write(file, empty, played(), [], [])
        most = traced()
    with ZipFile(BytesIO(file.getvalue())) as archive:
        lines = archive.read("matches.jsonl").splitlines()
        assert archive.getinfo("matches.jsonl").compress_type == ZIP_DEFLATED
    assert [msgspec.json.decode(line)["number"] for line in lines] == list(range(rows))
    assert most < sum(map(len, lines)) * 3 / 4


def test_what_was_written_is_read_again(whole: bytes) -> None:
    archive = Archive(BytesIO(whole))
    (match,) = archive.matches
    assert records.digest(archive.record(match)) == match.digest
    assert archive.bundle(digest(BUNDLE)) == BUNDLE
    assert archive.memory(digest(MEMORY)) == MEMORY
    assert archive.bundle(digest(b"another")) is None
    again = archive.recompute_standing()
    assert standings_agree(archive.head.standing, again)
    assert not standings_agree(replace(archive.head.standing, digest="0" * 64), again)


def test_an_archive_of_an_earlier_method_proves_its_rows(whole: bytes) -> None:
    archive = Archive(BytesIO(whole))
    settings = msgspec.structs.asdict(archive.head.standing.settings)
    told = head(whole)
    del told["standing"]["method"]
    told["standing"]["digest"] = digest_of(count(archive.rows()), method=4, **settings)

    def finding() -> tuple[bool, int | None]:
        file = changed(whole, season_json=msgspec.json.encode(told))
        found = SeasonVerifier(Archive(BytesIO(file)), ANYTHING, ANYTHING).standing()
        return found.same, found.earlier

    assert finding() == (True, 4)
    told["entrants"][0]["out"] = "disqualified"
    assert finding() == (False, 4)


def test_an_archive_of_a_later_method_is_not_judged(whole: bytes) -> None:
    told = head(whole)
    told["standing"]["method"] = METHOD + 1
    file = changed(whole, season_json=msgspec.json.encode(told))
    with pytest.raises(BadArchive, match="with a newer release"):
        Archive(BytesIO(file))


def test_a_disqualified_entrant_s_matches_do_not_count(whole: bytes) -> None:
    told = head(whole)
    told["entrants"][0]["out"] = "disqualified"
    archive = Archive(BytesIO(changed(whole, season_json=msgspec.json.encode(told))))
    assert list(archive.rows()) == []
    assert not standings_agree(archive.head.standing, archive.recompute_standing())


@pytest.mark.parametrize("method", [4, METHOD])
def test_rows_that_contradict_themselves_are_refused(whole: bytes, method: int) -> None:
    archive = Archive(BytesIO(whole))
    (match,) = archive.matches
    first = match.seats[0]
    alone = replace(archive.record(match), seats=[archive.entrant(first).version] * 2)
    line = replace(match, seats=[first] * 2, digest=records.digest(alone))
    told = head(whole)
    told["standing"]["method"] = method
    files = {"season_json": msgspec.json.encode(told), "matches.jsonl": msgspec.json.encode(line)}
    forged = changed(whole, **files, **{f"records__{MATCH}": records.pack(alone)})
    with pytest.raises(BadArchive, match="an entrant meets itself"):
        SeasonVerifier(Archive(BytesIO(forged)), ANYTHING, ANYTHING).standing()


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_file_that_is_no_part_of_a_season_is_refused(whole: bytes, name: str) -> None:
    with pytest.raises(BadArchive, match="which is not part of a season"):
        Archive(BytesIO(changed(whole, **{name: b""})))


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda whole: b"no zip", "cannot be read"),
        (lambda whole: whole[: len(whole) // 2], "cannot be read"),
        (lambda whole: changed(whole, season_json=None), "has no season.json"),
        (lambda whole: changed(whole, season_json=b"{}"), "cannot be decoded"),
        (lambda whole: changed(whole, season_json=b"[" * 100_000), "cannot be decoded"),
        (lambda whole: twice(whole), "two files of the same name"),
        (lambda whole: link(whole), "is a link, or encrypted"),
        (lambda whole: named(whole, lessons=[{"played": {"cd" * 16: 0}}]), "not in the archive"),
        (lambda whole: named(whole, entrants=[]), "has no entrant"),
        (lambda whole: named(whole, entrants=[{"name": "x\nstanding: same"}]), "is not a name"),
        (lambda whole: named(whole, entrants=[{"name": "x\x1b[2K"}]), r"'x\\x1b\[2K', which"),
        (lambda whole: named(whole, standing={"settings": {"prior": 1}}), "cannot be decoded"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_damaged_or_hostile_archive_is_refused_by_name(
    whole: bytes, spoil: Any, says: str
) -> None:
    with pytest.raises(BadArchive, match=says):
        Archive(BytesIO(spoil(whole)))


def named(whole: bytes, **parts: Any) -> bytes:
    """Returns the archive with these parts of season.json: the first of a list changed, or none."""
    told = head(whole)
    for name, part in parts.items():
        if part == []:
            told[name] = []
        elif isinstance(part, list):
            told[name][0] |= part[0]
        else:
            told[name] |= part
    return changed(whole, season_json=msgspec.json.encode(told))


def twice(whole: bytes) -> bytes:
    """Returns an archive with two files of one name."""
    file = BytesIO(whole)
    with ZipFile(file, "a") as archive:
        archive.writestr("season.json", b"{}")
    return file.getvalue()


def link(whole: bytes) -> bytes:
    """An archive with a symbolic link in it."""
    file, info = BytesIO(whole), ZipInfo("records/" + "cd" * 16)
    info.external_attr = 0o120777 << 16
    with ZipFile(file, "a") as archive:
        archive.writestr(info, "/etc/passwd")
    return file.getvalue()


def test_a_bundle_with_other_bytes_than_its_name_says_is_refused(whole: bytes) -> None:
    forged = changed(whole, **{f"bundles/{digest(BUNDLE)}": b"other"})
    with pytest.raises(BadArchive, match="does not match the digest in its name"):
        Archive(BytesIO(forged)).bundle(digest(BUNDLE))


def test_a_member_that_unpacks_to_more_than_it_may_is_not_unpacked(whole: bytes) -> None:
    file = BytesIO(changed(whole, **{f"memories/{digest(MEMORY)}": None}))
    with ZipFile(file, "a", ZIP_DEFLATED) as archive:
        archive.writestr(f"memories/{digest(MEMORY)}", bytes(1 << 20))
    with pytest.raises(BadArchive, match="is longer than 65536 bytes"):
        Archive(file).memory(digest(MEMORY))


def test_a_record_with_more_bouts_than_its_row_is_not_read(whole: bytes) -> None:
    record = Archive(BytesIO(whole)).record(Archive(BytesIO(whole)).matches[0])
    many = [*record.bouts, *[replace(record.bouts[-1], deal=deal) for deal in range(9, 99)]]
    packed = records.pack(replace(record, bouts=many))
    forged = Archive(BytesIO(changed(whole, **{f"records/{MATCH}": packed})))
    with pytest.raises(BadArchive, match="bouts, more than"):
        forged.record(forged.matches[0])


def test_a_record_packed_in_pieces_is_damaged(whole: bytes) -> None:
    archive = Archive(BytesIO(changed(whole, **CUT_SHORT)))
    with pytest.raises(BadArchive, match=f"the record of match {MATCH} is damaged"):
        archive.record(archive.matches[0])


@pytest.mark.parametrize("part", ["rules", "options", "match", "seats", "bouts"])
def test_a_record_of_something_else_is_none_of_this_match(whole: bytes, part: str) -> None:
    archive = Archive(BytesIO(whole))
    record = archive.record(archive.matches[0])
    other = {
        "rules": "99",
        "options": {"x": 1},
        "match": "cd" * 16,
        "seats": record.seats[::-1],
        "bouts": record.bouts[:-1],
    }
    packed = records.pack(replace(record, **{part: other[part]}))
    forged = Archive(BytesIO(changed(whole, **{f"records/{MATCH}": packed})))
    with pytest.raises(BadRecord, match=f"match {MATCH}"):
        forged.record(forged.matches[0])


def test_a_record_with_another_move_is_not_the_one_that_its_row_names(whole: bytes) -> None:
    archive = Archive(BytesIO(whole))
    (match,) = archive.matches
    record = archive.record(match)
    first, *others = record.bouts
    forged = replace(record, bouts=[replace(first, moves=["draw", *first.moves]), *others])
    with pytest.raises(BadRecord, match="not the one that its row names"):
        archive_of(whole, forged).record(match)


def test_a_record_with_a_bout_of_a_deal_that_it_lacks_is_refused(whole: bytes) -> None:
    archive = Archive(BytesIO(whole))
    (match,) = archive.matches
    record = archive.record(match)
    forged = replace(record, deals=record.deals[:-1])
    row = msgspec.json.encode(replace(match, digest=records.digest(forged)))
    files = {f"records/{MATCH}": records.pack(forged), "matches.jsonl": row}
    again = Archive(BytesIO(changed(whole, **files)))
    with pytest.raises(BadRecord, match="has a bout without a deal"):
        again.record(again.matches[0])


def test_a_lesson_from_a_match_that_does_not_replay_is_different(whole: bytes) -> None:
    archive = Archive(BytesIO(whole))
    record = archive.record(archive.matches[0])
    first, *others = record.bouts
    forged = replace(record, bouts=[replace(first, moves=["fly", *first.moves]), *others])
    verifier: Any = SimpleNamespace(bundle=lambda version: BUNDLE)

    def give_lesson(job: Teach, bundle: bytes, memory: bytes, packed: Any) -> Learned:
        own = [Own(records.unpack(packed(name)), entrant) for name, entrant in job.played.items()]
        lessons(registry.game(job.game), own, job.key)
        raise AssertionError("the match does not replay")

    for one in (archive_of(whole, forged), Archive(BytesIO(changed(whole, **CUT_SHORT)))):
        (lesson,) = one.head.lessons
        assert SeasonVerifier(one, verifier, give_lesson).lesson(lesson) == "different"


def archive_of(whole: bytes, record: records.Record) -> Archive:
    """The archive with another record of its match."""
    name = f"records/{MATCH}"
    return Archive(BytesIO(changed(whole, **{name: records.pack(record)})))


def test_an_archive_packed_in_a_rare_way_is_refused(whole: bytes) -> None:
    file = BytesIO(changed(whole, season_json=None))
    with ZipFile(file, "a", ZIP_BZIP2) as archive:
        archive.writestr("season.json", b"{}")
    with pytest.raises(BadArchive, match="is packed by an unknown method"):
        Archive(file)
