"""The other contents of a platform: a class, comparisons, drafts, tables, notices.

Contents that grow with the platform are there `scale` times as often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from bench.site.bouts import GAME, source_of
from matchbox.bundle import digest
from matchbox.match import record as records
from matchbox.settings import Settings
from server.db.models import (
    Comparison,
    ComparisonState,
    Draft,
    DraftState,
    Event,
    Invitation,
    MatchSeat,
    MatchVerification,
    PlaySeat,
    PlayState,
    PlayTable,
    RatingPoint,
    Result,
)
from server.services import audit, classes, leagues, notices, walls
from server.times import DAY_MS

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from bench.site.crowd import Crowd
    from server.db.models import League

CLASS: Final = "class"
"""The name of the league that has a class."""
PUPILS: Final = 4
POINTS: Final = 20
"""The most points of a bot's rating history."""
MAX_NOTICES: Final = 500


def add(
    session: Session, league: League, crowd: Crowd, scale: int, match: str, *, now: int
) -> dict[str, Any]:
    """Adds everything except matches; returns values for the parts of addresses. `match` is a
    finished match."""
    walls.report_wall(session, {"box": "bwrap", "walled": True, "why": ""}, now=now)
    _history(session, league, crowd, scale, now)
    done = {"wanted": False, "finding": "same", "finished_at": now}
    session.add(MatchVerification(match_id=match, created_at=now, **done))
    return {
        "game": GAME,
        "code": _class(session, crowd, now),
        "comparison": _comparisons(session, league, crowd, scale, now),
        "draft": _draft(session, crowd, now),
        "table": _tables(session, crowd, scale, match, now),
    }


def _class(session: Session, crowd: Crowd, now: int) -> str:
    """Adds a league with a class; returns its code."""
    settings = Settings(secret_key="unused")
    league = leagues.create(
        session, crowd.charlie, name=CLASS, game=GAME, settings=settings, now=now
    )
    code = classes.renew_code(session, crowd.charlie, CLASS, now=now)
    session.add_all(
        Invitation(league_id=league.id, user_id=one.id, at=now, joined=True)
        for one in crowd.authors[:PUPILS]
    )
    return code


def _comparisons(session: Session, league: League, crowd: Crowd, scale: int, now: int) -> int:
    """Adds alice's comparisons; returns the number of the last one."""
    first = crowd.bots[0].versions
    made = [
        Comparison(
            owner_id=crowd.alice.id,
            league_id=league.id,
            challenger_id=first[-1].id,
            defender_id=first[0].id,
            bounds=[0, 10],
            deals=10,
            games=0,
            most=1000,
            seed=f"comparison {place}",
            state=ComparisonState.CANCELLED,
            created_at=now - DAY_MS * 2,
            finished_at=now - DAY_MS,
        )
        for place in range(scale)
    ]
    session.add_all(made)
    session.flush()
    return made[-1].id


def _draft(session: Session, crowd: Crowd, now: int) -> int:
    """Adds a draft of alice's; returns its number."""
    text = source_of(1)
    draft = Draft(
        owner_id=crowd.alice.id,
        game=GAME,
        digest=digest(text),
        data=text,
        state=DraftState.ACCEPTED,
        report=crowd.versions[0].report,
        created_at=now,
        settled_at=now,
    )
    session.add(draft)
    session.flush()
    return draft.id


def _tables(session: Session, crowd: Crowd, scale: int, match: str, now: int) -> str:
    """Adds tables at which alice has played a bout of the match; returns the id of the last one."""
    packed = session.scalars(select(Result.record).where(Result.match_id == match)).one()
    record = records.unpack(packed)
    bout = record.bouts[0]
    alone = records.pack(_only(record, bout))
    beaten = session.scalars(
        select(MatchSeat.version_id).where(MatchSeat.match_id == match, MatchSeat.seat == 1)
    ).one()
    name = ""
    for place in range(scale):
        name = f"{place:032x}"
        table = PlayTable(
            id=name,
            game=GAME,
            rules=record.rules,
            options=record.options,
            deal=record.deals[0],
            limits={},
            state=PlayState.FINISHED,
            said=[],
            deadline=now,
            why=bout.why,
            record=alone,
            created_at=now - DAY_MS + place,
            finished_at=now,
            opener_id=crowd.alice.id,
        )
        table.seats = [
            PlaySeat(seat=0, user_id=crowd.alice.id, created_at=table.created_at),
            PlaySeat(seat=1, version_id=beaten, created_at=table.created_at),
        ]
        session.add(table)
    return name


def _only(record: records.Record, bout: records.Bout) -> records.Record:
    """A record that has only this bout, of the first deal."""
    return records.Record(
        match=record.match,
        game=record.game,
        rules=record.rules,
        options=record.options,
        deals=record.deals[:1],
        seats=record.seats,
        width=1,
        bouts=[bout],
        python=record.python,
    )


def _history(session: Session, league: League, crowd: Crowd, scale: int, now: int) -> None:
    """Adds notices, lines of the audit log, events, and the history of the ratings."""
    for place in range(min(5 * scale, MAX_NOTICES)):
        subject = f"version:{crowd.versions[place % len(crowd.versions)].id}"
        text = "Your bot was accepted."
        notices.notify_account(session, crowd.alice.id, "verdict", subject, text, now=now - place)
    for place in range(20 * scale):
        subject = f"bot:{crowd.bots[place % len(crowd.bots)].id}"
        audit.note(session, crowd.charlie, "bot.retire", subject, now=now - place)
        session.add(Event(kind="match.finished", subject=subject, at=now - place))
    session.add_all(
        RatingPoint(
            league_id=league.id,
            version_id=version.id,
            rules=league.rules,
            at=now - DAY_MS * (POINTS - at),
            matches=at + 1,
            value=1500.0 + at,
            low=1400.0,
            high=1600.0,
        )
        for version in crowd.versions
        for at in range(min(POINTS, 2 * scale))
    )
