"""The bench of the site fills a real database, finds every page, and judges its measurements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bench.site import __main__ as bench
from bench.site import books, bouts, pollers
from bench.site.addresses import OTHERWISE, Address, addresses
from bench.site.books import EMPTY, FAULTY, Filled, Size, fill
from bench.site.first_byte import FIGURE_BYTES, PAGE_BYTES, RATIO, Measure, Page, Platform
from bench.site.pollers import BESIDE, Beside, live_parts
from bench.site.served import Fetched, Site
from bench.site.sides import Side
from matchbox import registry
from matchbox.match import record as records
from matchbox.match import replay
from matchbox.settings import Settings
from server import queries
from server.app import create_app
from server.context import Context
from server.db.models import MatchSeat
from server.db.session import Database
from tests.books import SECRET, Postman

SMALL = Size(9, 100)


@pytest.fixture(autouse=True, scope="module")
def _few_long_matches() -> Iterator[None]:
    """Fills with a few long matches, which take most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(books, "LONG", 4)
        yield


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Filled]:
    """The URL of a small database, and its contents."""
    url = f"sqlite:///{tmp_path_factory.mktemp('site') / 'books.db'}"
    return url, fill(url, SMALL)


def context(url: str) -> Context:
    """The context of a server over this database."""
    return Context(Settings(secret_key=SECRET, requests_per_minute=10**6), Database(url), Postman())


def test_the_books_hold_as_much_as_was_asked_for(small: tuple[str, Filled]) -> None:
    made = context(small[0])
    with made.read() as session:
        (game,) = [one for one in queries.games(session) if one.bots]
        assert (game.bots, game.matches) == (SMALL.bots, SMALL.matches)
        board = queries.leaderboard(session, game.name)
        assert len(board.lines) == SMALL.bots
        ranked = SMALL.matches - 6 * SMALL.scale
        assert board.matches == ranked
        record = queries.record_of(session, small[1].named["match"])
    assert len(record.bouts) == 2 * len(record.deals)
    replay.replay(registry.game(record.game), record)
    made.close()


def test_every_page_answers_whoever_may_see_it(small: tuple[str, Filled]) -> None:
    url, filled = small
    made = context(url)
    client = create_app(made).test_client()
    found = addresses(filled.named)
    assert len(found) > 70
    for address in found:
        answers = [client.get(address.path)] + [
            client.get(address.path, headers={"Authorization": f"Bearer {token}"})
            for token in filled.tokens.values()
        ]
        codes = {answer.status_code for answer in answers}
        assert not {code for code in codes if code >= 500}, address
        assert codes & {200, 302}, address
    made.close()


def test_few_matches_need_few_bouts_and_share_no_deal() -> None:
    dealer, sources = bouts.Dealer(), (bouts.source_of(0), bouts.source_of(1))
    first, _ = dealer._next(sources, 50)
    assert dealer._dealt == bouts.AT_FIRST // 50
    deals = [*first, *(deal for _ in range(5) for deal in dealer._next(sources, 50)[0])]
    assert len(set(deals)) == len(deals) == 300
    assert dealer._dealt == 2 + 4


def test_a_forfeit_is_a_fault_in_its_record(small: tuple[str, Filled]) -> None:
    made = context(small[0])
    with made.read() as session:
        seats = session.scalars(select(MatchSeat).where(MatchSeat.forfeits > 0)).all()
        assert len(seats) >= SMALL.matches // FAULTY
        for seat in seats:
            assert seat.match.result is not None
            played = records.unpack(seat.match.result.record).bouts
            faults = [fault.kind for bout in played for fault in bout.faults]
            assert faults == ["illegal"] * (seat.forfeits or 0)
    made.close()


def test_a_part_of_an_address_without_a_name_is_told(small: tuple[str, Filled]) -> None:
    named = {key: one for key, one in small[1].named.items() if key != "table"}
    with pytest.raises(LookupError, match="has the parts \\['table'\\]"):
        addresses(named)
    assert "asset" not in OTHERWISE


def page(**given: Any) -> Page:
    """A page that holds every must, but for what is given."""
    usual = {"rule": "/", "who": "", "empty_ms": 10.0, "full_ms": 10 * RATIO}
    return Page(**{**usual, "loaded": PAGE_BYTES, "figure": False, **given})


def test_a_page_that_is_slow_or_long_misses_its_must() -> None:
    assert page().held
    assert not page(full_ms=10 * RATIO + 0.1).held
    assert not page(loaded=PAGE_BYTES + 1).held
    assert page(loaded=FIGURE_BYTES, figure=True).held
    assert not page(loaded=FIGURE_BYTES + 1, figure=True).held
    assert not page(loaded=0, full_ms=10 * RATIO + 0.1).held, "a download begins as soon"


def test_the_list_of_matches_has_a_must_in_milliseconds() -> None:
    long = {"empty_ms": 90.0, "full_ms": 100.1}
    assert page(**long).held
    assert not page(rule="/matches", **long).held
    assert page(rule="/matches", empty_ms=90.0, full_ms=100.0).held


def test_what_a_page_s_script_asks_for_first_is_of_its_first_load() -> None:
    html = (
        '<!doctype html><a href="/assets/no"></a><script src="/assets/one.js"></script>'
        '<section data-steps="/matches/1/bouts/0.json"></section>'
    )
    sizes = {"/": html, "/assets/one.js": "12345", "/matches/1/bouts/0.json": "1234567"}
    site = _Pages(sizes)
    measure = Measure(Platform(site, {}), Platform(site, {}), 1, 2.0)
    found = measure.page("", Address("/", "/"), Address("/", "/"))
    assert found is not None
    assert found.loaded == len(html) + 5 + 7


def test_the_page_of_a_season_under_way_is_kept_open(
    small: tuple[str, Filled], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, filled = small
    made, opened = context(url), []
    client = create_app(made).test_client()

    def beside(port: int, pages: Sequence[str], visited: Sequence[str]) -> Beside:
        for path in pages:
            (polled, *_) = live_parts(client.get(path).text)
            opened.append((path, client.get(polled.path).status_code))
        return Beside(1.0, 1.0, 0, 0)

    monkeypatch.setattr(pollers, "beside", beside)
    with bench._under_way(Side(0, filled, url)):
        assert bench._beside(0, filled.named)
    season = f"/seasons/{filled.named['season']}"
    assert dict(opened)[season] == 204
    assert "hx-get" not in client.get(season).text, "it is over again"
    opened.clear()
    assert bench._beside(0, {"game": "bomb"})
    assert [path for path, _ in opened] == ["/", "/leaderboards/bomb"]
    made.close()


def test_a_page_that_starves_or_a_poll_that_fails_misses_the_must() -> None:
    assert Beside(10.0, 10 * BESIDE, 100, 0).held
    assert not Beside(10.0, 10 * BESIDE + 0.1, 100, 0).held
    assert not Beside(10.0, 10.0, 100, 1).held


def test_a_page_says_itself_what_it_asks_for_and_how_often() -> None:
    html = '<p hx-get="/a?b=1&amp;c=2" hx-trigger="every 4s"></p><p hx-get="/d" hx-trigger="click">'
    assert live_parts(html) == [("/a?b=1&c=2", 4.0)]


def test_a_run_on_small_books_prints_every_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["--bots", str(SMALL.bots), "--matches", str(SMALL.matches), "--repeats", "1"]
    code = bench.main([*words, "--only", "/matches", "--keep", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("\t") == list(bench.COLUMNS)
    assert {line.split("\t")[0] for line in lines} >= {"/matches", "/matches/<match>"}
    assert code == any(line.endswith("\tno") for line in lines)


@pytest.mark.parametrize("words", [["--bots", "1"], ["--matches", "1"], ["--on", "postgres"]])
def test_nonsense_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.main(words)
    assert str(EMPTY.bots) in capsys.readouterr().err or words[0] == "--on"


class _Pages(Site):
    """A site that has these texts at these paths."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = texts

    def get(self, path: str, token: str = "") -> Fetched:
        """The text at the path."""
        return Fetched(200, 0.01, self._texts[path].encode(), "")


class _Server(Site):
    """A site whose answers take these times in turn. It counts them."""

    def __init__(self, *taken_s: float) -> None:
        self._taken, self.asked = taken_s, 0

    def get(self, path: str, token: str = "") -> Fetched:
        """Returns an answer that took the next of the times; repeats the last one."""
        self.asked += 1
        return Fetched(200, self._taken[min(self.asked, len(self._taken)) - 1], b"plain", "")


@pytest.mark.parametrize(
    ("slow", "ratio", "asked"),
    [
        ([0.0, 0.02], 2.0, 2),  # As slow as allowed.
        ([0.0, 0.03, 0.015], 1.5, 6),  # Slow only once.
        ([0.0, 0.03], 3.0, 6),
    ],
)
def test_a_page_that_seems_slow_is_asked_more_often(
    slow: list[float], ratio: float, asked: int
) -> None:
    empty, full = _Server(0.01), _Server(*slow)
    address = Address("/", "/")
    measure = Measure(Platform(empty, {}), Platform(full, {}), 1, 2.0)
    page = measure.page("", address, address)
    assert page is not None
    assert page.ratio == pytest.approx(ratio)
    assert full.asked == empty.asked == asked
