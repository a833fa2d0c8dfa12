"""Every page in each of its states, for the tests that look at all of them in a browser.

The address decides the state: `/matches/parked` is a parked match. So all states share one source,
and a test needs one server for each reader.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from itertools import combinations
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from dashboard.source import Source
from matchbox import registry
from matchbox.answers.accounts import Viewer
from matchbox.answers.board_figures import PairLine
from matchbox.answers.bots import Author
from matchbox.answers.courses import Course
from matchbox.answers.games import Game
from matchbox.answers.leagues import Season, Trophy
from matchbox.answers.matches import Match, Steps
from matchbox.answers.play import Choice, Table, TableSeat
from matchbox.answers.standings import Board, BoardLine, Upset
from matchbox.errors import Forbidden, TooMany
from matchbox.league.format import Format, write
from tests.unit.dashboard import cast, classroom, counted, playing, queued, seasons
from tests.unit.dashboard.cast import CHARLIE, EMPTY, MATCH, NOBODY, SOURCE


class Look(NamedTuple):
    """The pages that a reader opens, from this source."""

    source: Source
    paths: tuple[str, ...]


_SHARED: Final = "A deal of this match is still played elsewhere: it opens when that is over."
MATCHES: Final[dict[str, Match]] = {
    "queued": cast.waiting("queued").model_copy(update={"waiting": queued.WAITING}),
    "held": cast.waiting("queued").model_copy(update={"waiting": queued.HELD}),
    "running": cast.waiting("running"),
    "closed": cast.waiting("queued", embargo=_SHARED).model_copy(
        update={"state": "finished", "finished_at": seasons.EARLIER}
    ),
    "parked": cast.waiting("parked", trouble="no space left on the device"),
    "void": cast.waiting("void"),
    "decided": cast.match(MATCH, season=16),
    "counted": cast.match(MATCH, season=17),
}
"""Matches by their addresses; the last two were played in seasons that are over."""


def match(name: str, **own: Any) -> Match:
    """The match of that address."""
    found = MATCHES.get(name)
    return found.model_copy(update={"id": name}) if found else cast.match(name, **own)


def _waiting(**own: Any) -> Season:
    nothing: dict[str, Any] = {
        "rounds": [],
        "verified": None,
        "newer": {},
        "matches": 0,
        "started_at": None,
    }
    return seasons.season(7, **nothing, **own)


SEASONS: Final[dict[int, Season]] = {
    11: _waiting(state="draft"),
    12: _waiting(state="open", starts_at=seasons.LATER, trouble="fewer than two bots entered"),
    13: _waiting(state="open", may_enter=False, entrants=[], entries=0),
    14: _waiting(state="frozen", starts_at=seasons.LATER),
    15: seasons.season(7, state="paused"),
    16: seasons.cup(),
    17: seasons.season(
        7, state="finished", finished=60, finished_at=seasons.EARLIER, editions=[],
        trophy=Trophy(champion=None, shared=[bot for bot, *_ in seasons.BOTS[:4]]),
    ),
    18: seasons.season(7, state="cancelled", verified=None),
    19: seasons.season(7, format=write(Format(kind="swiss", rounds=4)), editions=[]),
}  # fmt: skip
"""Seasons by their numbers: from a draft to one that is over or cancelled."""
_UNPLAYED: Final = (11, 12, 13, 14)


def season(number: int) -> Season:
    """The season of that number."""
    found = SEASONS.get(number)
    return found.model_copy(update={"id": number}) if found else seasons.season(number)


def season_course(number: int, **own: Any) -> Course:
    """The season's matches: none before it begins."""
    return seasons.course(number, **(own | {"left": {}} if number in _UNPLAYED else own))


def season_standings(number: int) -> Board:
    """Its standing."""
    return cast.board() if number in _UNPLAYED else SOURCE.season_standings(number)


def _lines(**scored: Any) -> list[BoardLine]:
    own: dict[str, Any] = {
        "p_champion": 0.4, "p_better": 0.6, "score": 0.61, "score_ci95": (0.6, 0.62),
        "opponents": 5, "bout_wins": 120, "bout_draws": 4, "bout_losses": 90,
    }  # fmt: skip
    told = [cast.line(rank, *one, **own) for rank, one in enumerate(seasons.BOTS, 1)]
    return [replace(one, **scored) for one in told]


_TEAM: Final[dict[str, Any]] = {
    "elo": None, "ci95": None, "score": 60.1, "score_ci95": (58.2, 62.0), "opponents": None,
}  # fmt: skip
_MIXED: Final[dict[str, Any]] = {
    "mixed_rank": 1, "mixed_range": (1, 3), "mixed_score": 51.25, "mixed_ci95": (50.0, 52.5),
}  # fmt: skip
_UPSET: Final = Upset(winner="bob/tin-drum", loser="alice/careful", games=40, share=0.75)
BOARDS: Final[dict[str, Board]] = {
    "team": cast.board(*_lines(**_TEAM), cooperative=True),
    "mixed": cast.board(*_lines(**_TEAM, **_MIXED), cooperative=True),
    "borda": cast.board(*_lines(estimated=2), by="borda", upsets=[_UPSET]),
}
"""Boards by their addresses: of a cooperative game, with mixed teams, and ranked by Borda."""


def leaderboard(name: str) -> Board:
    """The board of that address."""
    found = BOARDS.get(name)
    return found.model_copy(update={"league": name}) if found else SOURCE.leaderboard(name)


_ALICE: Final = TableSeat(seat=0, kind="person", name="alice", version=None)
_FREE: Final = TableSeat(seat=1, kind="free", name="", version=None)
_NO_TURN: Final[dict[str, Any]] = {"choices": [], "to_move": []}
_LONG: Final = [Choice(move=at, words=f"Place {at}", group="Places", picks=[]) for at in range(30)]
TABLES: Final[dict[str, dict[str, Any]]] = {
    "open": {**_NO_TURN, "state": "open", "join": "5" * 32, "seats": [_ALICE, _FREE]},
    "invited": {**_NO_TURN, "state": "open", "me": None, "view": None, "steps": [],
                "seats": [_ALICE, _FREE]},
    "long": {"choices": _LONG},
    "bots": {**_NO_TURN, "state": "bots", "to_move": [1]},
    "over": playing.OVER,
    "early": {"state": "ended", "why": "alice left the table.", "digest": "d" * 64,
              "deal": playing.DEAL},
    "unplayed": {**_NO_TURN, "state": "ended", "why": "alice left the table."},
    "old": {**playing.OVER, **_NO_TURN, "steps": []},
}  # fmt: skip
"""Tables by their addresses: with a free seat, in a turn, over, ended, and of former rules."""


def table(name: str, **asked: Any) -> Table:
    """The table of that address."""
    if name == "closed":
        raise Forbidden("this table is closed to others until its game is over")
    found = playing.table(name, **asked, **TABLES.get(name, {}))
    return found.model_copy(update={"id": name})


def table_steps(name: str, seat: int | None) -> Steps:
    """The steps of the game at the table."""
    return playing.replay(name, seat)


def author(name: str) -> Author:
    """Refuses the author's page, as if it was asked for too often."""
    if name == "hasty":
        raise TooMany("too many requests from you or your network; wait a minute and try again")
    return SOURCE.author(name)


STATES: Final = replace(
    SOURCE,
    match=match,
    season=season,
    season_course=season_course,
    season_standings=season_standings,
    leaderboard=leaderboard,
    table=table,
    table_steps=table_steps,
    author=author,
)
NEW: Final = Viewer(name="dora", role="author", unread=0)
_WAITING: Final = tuple(f"/matches/{name}" for name in MATCHES if name != "counted")
_SEASONS: Final = tuple(f"/seasons/{number}" for number in SEASONS)
_TABLES: Final = tuple(f"/play/bomb/{name}" for name in TABLES)
_BOARDS: Final = tuple(
    f"/leaderboards/{name}?columns={columns}" for name in BOARDS for columns in ("few", "more")
)
REFUSED: Final = ("/games/poker", "/play/bomb/closed", "/authors/hasty", "/join/zzzz-9999")
"""Pages that say why they show nothing."""
_OPERATED: Final = (
    *(f"/seasons/{number}" for number in (11, 12, 14, 15)),
    *(f"/seasons/{number}/operate" for number in (11, 15, 17, 18)),
    "/matches/parked", *(f"/matches/{name}/operate" for name in ("parked", "void", "decided",
                                                                "counted")),
)  # fmt: skip

(_BOMB,) = SOURCE.games()
GAMES: Final[list[Game]] = [_BOMB.model_copy(update={"name": name}) for name in registry.games()]
EVERY_GAME: Final = replace(SOURCE, games=lambda: GAMES)
RULES: Final = tuple(f"/games/{game.name}" for game in GAMES)

MANY: Final = cast.board(
    *(
        cast.line(at, f"{'alice' if at == 777 else 'bob'}/b{at}", 3000.0 - at, 9.0, 50)
        for at in range(1, 1001)
    )
)
SIXTY: Final = counted.FIGURES.model_copy(
    update={
        "bots": [line.bot for line in MANY.lines[:60]],
        "field": 1000,
        "pairs": [
            PairLine(first=one.bot, first_version=2, second=other.bot, second_version=2, bouts=40,
                     deals=20, share=0.6, ci95=(0.55, 0.65))
            for one, other in combinations(MANY.lines[:60], 2)
        ],
    }
)  # fmt: skip
CROWDED: Final = replace(
    SOURCE, leaderboard=lambda game: MANY, board_figures=lambda game, top, after: SIXTY
)
"""A board of a thousand bots, one of them alice's."""


def _often(found: Any, count: int = 30) -> Any:
    """Returns the page with this many items."""
    return found.model_copy(update={"items": (found.items * count)[:count], "next": "x"})


_MET: Final = counted.OPPONENTS.model_copy(
    update={"items": [counted.opponent(f"bob/b{at}", 0.5) for at in range(50)], "met": 200}
)
BUSY: Final = replace(
    CROWDED,
    matches=lambda **asked: _often(cast.matches(**asked)),
    seasons=lambda **asked: _often(SOURCE.seasons(**asked)),
    leagues=lambda: SOURCE.leagues() * 15,
    inbox=lambda **asked: _often(SOURCE.inbox(**asked)),
    audit=lambda **asked: _often(cast.audit(**asked)),
    users=lambda **asked: _often(classroom.users(**asked)),
    tables=lambda **asked: _often(playing.TABLES),
    results_by_opponent=lambda *asked: _MET,
)
"""A busy platform: every list is as long as a page of it can be."""


_LONGEST: Final = {
    "Autumn 2026": "W" * 64,
    **{name: name[0] * 32 for name in ("careful", "medium", "ledger", "tin-drum")},
}
"""Names that are as long as they may be, and nowhere broken, by those that they replace."""


def _longest(found: Any) -> Any:
    """Returns the answer with the longest names."""
    if isinstance(found, str):
        for name, longest in _LONGEST.items():
            found = found.replace(name, longest)
    elif isinstance(found, BaseModel):
        found = found.model_copy(update={name: _longest(value) for name, value in found})
    elif isinstance(found, list):
        found = [_longest(one) for one in found]
    return found


def _known(word: Any) -> Any:
    """Returns the name by which the cast knows it, where a page asks by a longest name."""
    return next((name for name, longest in _LONGEST.items() if longest == word), word)


def _with_longest_names(source: cast.Cast) -> Source:
    def answering(ask: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **asked: _longest(ask(*map(_known, given), **asked))

    asked = {field.name: answering(getattr(source, field.name)) for field in fields(source)}
    longest: Source = replace(source, **asked)
    return longest


LOOKS: Final[dict[str, Look]] = {
    "alice": Look(SOURCE, cast.PAGES),
    "states": Look(STATES, (*_WAITING, *_SEASONS, *_TABLES, *_BOARDS, *REFUSED)),
    "charlie": Look(replace(STATES, viewer=lambda: CHARLIE), (*cast.OPERATING, *_OPERATED)),
    "nobody": Look(
        replace(STATES, viewer=NOBODY.viewer, memberships=list),
        ("/", "/submit", "/join/abcd-2345", "/seasons/7", "/seasons/12", "/play",
         "/play/bomb/invited"),
    ),
    "games": Look(EVERY_GAME, RULES),
    "busy": Look(
        BUSY,
        (
            "/",
            "/leaderboards/bomb",
            "/leaderboards/bomb/pairs?top=60",
            "/leaderboards/bomb/bouts",
            "/leaderboards/bomb?q=b99",
            "/matches?bot=alice/careful&result=lost",
            "/inbox",
            "/play",
            "/bots/alice/careful/opponents",
        ),
    ),
    "busy for charlie": Look(
        replace(BUSY, viewer=lambda: CHARLIE),
        ("/seasons", "/leagues", "/admin/audit", "/admin/users"),
    ),
    "longest names": Look(
        _with_longest_names(SOURCE),
        ("/", "/games/bomb", "/leaderboards/bomb", "/matches", f"/matches/{MATCH}", "/seasons",
         "/seasons/7", "/leagues/cup", "/bots/alice/careful", "/authors/alice", "/account",
         "/inbox"),
    ),
    "longest names for charlie": Look(
        _with_longest_names(replace(SOURCE, viewer=lambda: CHARLIE)),
        ("/seasons/7/operate", "/admin/audit", "/admin/queue", "/admin/faults"),
    ),
    "empty": Look(
        replace(EMPTY, viewer=lambda: NEW),
        ("/", "/games/bomb", "/leaderboards/bomb", "/leaderboards/bomb/pairs",
         "/leaderboards/bomb/bouts", "/authors/dora", "/bots/alice/careful",
         "/bots/alice/careful/opponents", "/matches", "/seasons", "/seasons/7", "/leagues",
         "/leagues/cup", "/account", "/inbox", "/play"),
    ),
    "empty for charlie": Look(
        replace(EMPTY, viewer=lambda: CHARLIE),
        ("/admin", "/admin/audit", "/admin/queue", "/admin/faults", "/admin/users?q=nobody",
         "/leagues/cup/class", "/seasons/7"),
    ),
}  # fmt: skip
"""The readers and pages that a browser test opens."""
