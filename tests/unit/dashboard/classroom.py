"""A class over made-up rows: alice and bob are in it, and nobody else."""

from __future__ import annotations

from typing import Final

from matchbox.answers.classes import (
    AuthorResult,
    AuthorResults,
    Invited,
    JoinCode,
    LeagueClass,
    Membership,
)
from matchbox.answers.platform import UserDetail
from matchbox.errors import NotFound
from tests.unit.dashboard.seasons import EARLIER

CODE: Final = "abcd-2345"
MEMBERSHIP: Final = Membership(league="cup", game="bomb", title="Bomb", seasons=["spring"])
RESULTS: Final = [
    AuthorResult(author="alice", joined=True, closed=False, rank=1, best_bot="alice/careful",
                 board_rank=2, score=1574.2, matches=1207, bots=2),
    AuthorResult(author="bob", joined=False, closed=True, rank=2, best_bot="bob/ledger",
                 board_rank=3, score=1500.0, matches=1200, bots=1),
    AuthorResult(author="dora", joined=True, closed=False, rank=None, best_bot=None,
                 board_rank=None, score=None, matches=0, bots=0),
]  # fmt: skip


def invited(code: str) -> Invited:
    """The league of the only code."""
    if code != CODE:
        raise NotFound("this code does not work, or not any more; ask who gave it to you")
    return Invited(league="cup", game="bomb", title="Bomb", code=CODE)


def league_class(name: str, *, empty: bool = False) -> LeagueClass:
    """The class, or one with neither code nor people."""
    link = f"http://127.0.0.1:8000/join/{CODE}"
    items = [] if empty else RESULTS
    return LeagueClass(
        league=name,
        game="bomb",
        title="Bomb",
        code=JoinCode(league=name, code=None if empty else CODE, link=None if empty else link),
        results=AuthorResults(league=name, season="spring", by="elo", items=items, next=None),
    )


def user(name: str) -> UserDetail:
    """An account; bob's is closed."""
    return UserDetail(
        id=1, name=name, role="author", bots=2, created_at=EARLIER,
        closed_at=EARLIER if name == "bob" else None, sessions=1, tokens=2, leagues=["cup"],
    )  # fmt: skip
