"""The parts of a season's page: what comes next, the bracket, the cross table and the rounds.

Computes them from a season's answers; knows no clock and no database.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from statistics import fmean, mean
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

from dashboard.formats import STAGES
from dashboard.tabs import near
from dashboard.wording import plural
from matchbox.league.format import Format, read

if TYPE_CHECKING:
    from dashboard.source import Row, Source
    from matchbox.answers.courses import Course, Fixture
    from matchbox.answers.leagues import Season
    from matchbox.answers.standings import Board

CROSSED: Final = 24
"""The most bots of a cross table: more cannot be taken in."""
LISTED: Final = 60
"""The most matches of a round that are listed."""
LEVELS: Final = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}
DONE: Final = ("finished", "void")


class Place(NamedTuple):
    """A bot's line in a tie; `bot` is "" while nobody has won the place."""

    bot: str
    points: float | None
    won: bool


class Level(NamedTuple):
    """A round of ties: each is two places, or one if its bot goes on without a match."""

    name: str
    ties: list[list[Place]]


class Cell(NamedTuple):
    """A bot's result against another one: its mean share of the points, and how many matches."""

    share: float
    matches: int
    shade: int
    """From 0, everything lost, to 4, everything won."""


class Crossed(NamedTuple):
    """A line of the cross table; a cell is None where the two have not met."""

    bot: str
    cells: list[Cell | None]


class RoundTab(NamedTuple):
    """A round in the row of tabs; `number` counts from 1, and 0 stands for rounds left out."""

    number: int
    done: bool


class RoundShown(NamedTuple):
    """The chosen round with its matches; `more` are not listed."""

    number: int
    name: str
    matches: int
    finished: int
    rests: list[str]
    fixtures: list[Fixture]
    more: int


def values(source: Source, season: Season, board: Board, chosen: int | None) -> Row:
    """Returns the template's values for a season's parts; `chosen` is a round, from 1."""
    course = source.season_course(season.id)
    left = matches_left(course)
    shown = rounds(season, course, left, chosen)
    return {
        "course": course,
        "bracket": bracket(season, course),
        "cross": cross(board, course),
        "tabs": tabs(season, left, shown.number) if shown else [],
        "shown": shown,
        "next_steps": list(next_steps(season, left)),
        "following": source.following(season.id),
    }


def matches_left(course: Course) -> Counter[int]:
    """Returns how many matches are still to play, by round, from 1."""
    return Counter(one.round + 1 for one in course.fixtures if one.state not in DONE)


def bracket(season: Season, course: Course) -> list[Level]:
    """Returns the knock-out up to its final, with empty places for what is not decided yet."""
    numbers: list[list[int]] = []
    levels: list[list[list[str]]] = []
    for number, one in enumerate(season.rounds):
        if one.stage != "knock-out":
            continue
        if levels and levels[-1] == one.ties:
            numbers[-1].append(number)
        else:
            levels.append(one.ties)
            numbers.append([number])
    if not levels:
        return []
    while len(levels[-1]) > 1:
        levels.append([[] for _ in range((len(levels[-1]) + 1) // 2)])
        numbers.append([])
    champion = season.trophy.champion if season.trophy else None
    winners = [{bot for tie in level for bot in tie} for level in levels[1:]]
    winners.append({champion} if champion else set())
    return [
        Level(
            LEVELS.get(len(ties), f"Last {2 * len(ties)}"),
            [list(_tie(tie, at, won, _legs(course, where, tie))) for tie in ties],
        )
        for at, (ties, won, where) in enumerate(zip(levels, winners, numbers, strict=True))
    ]


def _tie(
    tie: Sequence[str], level: int, winners: set[str], legs: Sequence[Mapping[str, float | None]]
) -> Iterator[Place]:
    """Yields the places of a tie. One bot of the first level alone rests."""
    for bot in tie:
        taken = [share for leg in legs if (share := leg[bot]) is not None]
        yield Place(bot, mean(taken) if taken else None, bot in winners)
    if level or not tie:
        for _ in range(2 - len(tie)):
            yield Place("", None, won=False)


def _legs(
    course: Course, numbers: Iterable[int], tie: Sequence[str]
) -> list[dict[str, float | None]]:
    """Returns each bot's share in every match of a tie."""
    wanted = set(numbers)
    return [
        shares
        for one in course.fixtures
        if one.round in wanted and set(shares := _shares(course, one)) == set(tie)
    ]


def _shares(course: Course, one: Fixture) -> dict[str, float | None]:
    return {course.bots[seat]: share for seat, share in zip(one.seats, one.points, strict=True)}


def cross(board: Board, course: Course) -> list[Crossed]:
    """Returns the results of every two bots, best first; empty for teams, and before any result.

    At a table of two, a cell is the share of the points. At a larger one it is the share of the
    matches in which the bot was ahead; a tie counts half.
    """
    met: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in course.fixtures:
        if None in one.points:
            continue
        points = [share for share in one.points if share is not None]
        for (seat, share), (other, others) in permutations(zip(one.seats, points, strict=True), 2):
            ahead = (share > others) + (share == others) / 2
            two = course.bots[seat], course.bots[other]
            met[two].append(share if len(points) == 2 else ahead)
    order = [line.bot for line in board.lines][:CROSSED]
    if board.cooperative or not met:
        return []
    return [Crossed(bot, [_cell(met.get((bot, other))) for other in order]) for bot in order]


def _cell(shares: Sequence[float] | None) -> Cell | None:
    if not shares:
        return None
    share = fmean(shares)
    return Cell(share, len(shares), min(int(5 * share), 4))


def rounds(
    season: Season, course: Course, left: Mapping[int, int], chosen: int | None
) -> RoundShown | None:
    """Returns the chosen round; without a choice the first that is not over, or else the last.

    `left` is that of `matches_left`, here and below.
    """
    if not season.rounds:
        return None
    known = chosen is not None and 1 <= chosen <= len(season.rounds)
    number = chosen if chosen is not None and known else _present(season, left)
    found = [one for one in course.fixtures if one.round == number - 1]
    told = season.rounds[number - 1]
    return RoundShown(
        number=number,
        name=STAGES[told.stage][0],
        matches=len(found),
        finished=sum(one.state in DONE for one in found),
        rests=told.rests,
        fixtures=found[:LISTED],
        more=max(0, len(found) - LISTED),
    )


def _present(season: Season, left: Mapping[int, int]) -> int:
    """Returns the number of the first round that is not over, from 1; else that of the last."""
    return min([*left, len(season.rounds)])


def tabs(season: Season, left: Mapping[int, int], chosen: int) -> list[RoundTab]:
    """Returns the tabs: the first round, those around the chosen one, and the last."""
    row = near(chosen, len(season.rounds))
    return [RoundTab(number, number not in left) for number in row]


def next_steps(season: Season, left: Mapping[int, int]) -> Iterator[str]:
    """Yields what happens next, as sentences, but for the time of a start."""
    if season.state == "draft":
        yield "Only operators see this season. It takes bots once an operator opens it."
    elif season.state == "open":
        yield "Bots may enter, and authors may still upload: versions are fixed at the start."
        if not season.starts_at or season.paused:
            yield "An operator starts it."
    elif season.state == "frozen":
        yield "Versions are fixed."
        if not season.starts_at or season.paused:
            yield "An operator starts the season."
    elif season.state == "paused":
        yield "It is paused: no further match begins until an operator resumes it."
    elif season.state == "running":
        yield from _under_way(season, left)
    elif season.state == "cancelled":
        yield "It was cancelled: no further match is played, and nobody has won."


def _under_way(season: Season, left: Mapping[int, int]) -> Iterator[str]:
    present = _present(season, left)
    kind, opened = read(Format, season.format).kind, len(season.rounds)
    if matches := left.get(present):
        yield f"{plural(matches, 'match', 'matches')} of round {present} still to play."
    after = opened - present
    if after > 0:
        yield f"Then come {plural(after, 'round')} whose pairings are known."
        return
    stage = season.rounds[-1].stage if season.rounds else ""
    if kind == "swiss":
        yield "The next round is paired by score as soon as this one is over."
    elif kind == "knock-out" and stage == "group":
        yield f"When the groups are over, the best {season.format['through']} of each go on."
    elif kind == "knock-out":
        yield "Winners go on; a tie that ends level is played again."
    elif kind == "adaptive":
        yield "Then those meet whose order is least certain, until the question is answered."
    elif kind == "round-robin":
        yield "After it the season is over."
    else:
        assert_never(kind)
