"""Seasons that are not really played: with bots of known strength, or simply ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any, TypeAlias

from sqlalchemy import func, select

from matchbox.match.record import Bout
from matchbox.match.wire import MatchPlayed, PlayMatch
from server.db.models import OVER, League, Season, Version
from server.services import rounds, seasons, standings
from tests.books import Books, played, scripted

BoutOf: TypeAlias = Callable[[PlayMatch, int, int], Bout]


def by_strength(versions: Iterable[Version], gap: float) -> BoutOf:
    """Bouts that the deal draws. Each version is stronger than the next by `gap` Elo."""
    place = {version.digest: at for at, version in enumerate(versions)}

    def bout(job: PlayMatch, deal: int, rotation: int) -> Bout:
        first, second = (place[job.seats[(rotation + at) % 2].version] for at in (0, 1))
        drawn = blake2b(f"{job.deals[deal]}{rotation}".encode()).digest()
        chance = int.from_bytes(drawn[:4], "big") / 2**32
        won = chance < 1 / (1 + 10 ** (gap * (first - second) / 400))
        places, scores = ([1, 2], [1, 0]) if won else ([2, 1], [0, 1])
        return Bout(deal, rotation, ["draw"], places, scores, "somebody drew the bomb")

    return bout


def bring_by(bout: BoutOf) -> Callable[[list[PlayMatch]], Iterator[MatchPlayed]]:
    """An arena that returns these bouts."""
    return lambda jobs: (played(job, scripted(job, bout)) for job in jobs)


def unplayed(
    books: Books, league: League, count: int, state: str = "finished", **more: Any
) -> list[int]:
    """The numbers of this many new seasons of the league, oldest first, without entrants."""
    with books.write() as session:
        before = session.scalar(select(func.count()).select_from(Season)) or 0
        made = [
            Season(
                **{
                    "league_id": league.id,
                    "name": f"season {number}",
                    "state": state,
                    "edition": number,
                    "deals": 1,
                    "seed": f"seed {number}",
                    "created_at": number,
                    "finished_at": number if state in OVER else None,
                    **more,
                }
            )
            for number in range(before + 1, before + count + 1)
        ]
        session.add_all(made)
        session.flush()
        return [season.id for season in made]


def end_seasons(books: Books) -> None:
    """Ends every running season whose matches are all final."""
    with books.write() as session:
        for season in rounds.due(session):
            last = standings.compute(session, standings.scope_of(season))
            seasons.finish(session, last, now=books.clock())
