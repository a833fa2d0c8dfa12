"""A class over made-up rows: alice and bob are in it, and nobody else."""

from __future__ import annotations

from typing import Any, Final

from matchbox.answers.accounts import SessionLine, TokenLine
from matchbox.answers.classes import (
    AuthorResult,
    AuthorResults,
    Invited,
    JoinCode,
    LeagueClass,
    Membership,
)
from matchbox.answers.platform import User, UserDetail, Users
from matchbox.errors import NotFound
from tests.unit.dashboard.seasons import EARLIER

CODE: Final = "abcd-2345"
MEMBERSHIP: Final = Membership(league="cup", game="bomb", title="Bomb", seasons=["spring"], full=[])
RESULTS: Final = [
    AuthorResult(author="alice", joined=True, closed=False, rank=1, best_bot="alice/careful",
                 board_rank=2, score=1574.2, matches=1207, bots=2, newest_bot="alice/ledger",
                 newest_version=3, newest_state="refused"),
    AuthorResult(author="bob", joined=False, closed=True, rank=2, best_bot="bob/ledger",
                 board_rank=3, score=1500.0, matches=1200, bots=1),
    AuthorResult(author="dora", joined=True, closed=False, rank=None, best_bot=None,
                 board_rank=None, score=None, matches=0, bots=0),
]  # fmt: skip


def invited(code: str) -> Invited:
    """The league of the only code."""
    if code != CODE:
        raise NotFound(
            "this code does not work, or no longer does; ask the person who gave it to you"
        )
    return Invited(league="cup", game="bomb", title="Bomb", code=CODE)


def league_class(name: str, *, empty: bool = False) -> LeagueClass:
    """The class, or one with neither code nor people."""
    link = f"http://127.0.0.1:8000/join/{CODE}"
    items = [] if empty else RESULTS
    return LeagueClass(
        continuous=name == "bomb",
        league=name,
        game="bomb",
        title="Bomb",
        code=JoinCode(league=name, code=None if empty else CODE, link=None if empty else link),
        results=AuthorResults(league=name, season="spring", by="elo", items=items, next=None),
    )


def user(name: str) -> UserDetail:
    """An account; bob's is closed, and logged in nowhere."""
    session = SessionLine(
        id=3, browser="Firefox on Linux", address="192.0.2.7", created_at=EARLIER,
        seen_at=EARLIER, ends_at=EARLIER, current=False,
    )  # fmt: skip
    token = TokenLine(id=4, name="laptop", created_at=EARLIER, used_at=None, revoked_at=None,
                      scopes=["read"], ends_at=EARLIER)  # fmt: skip
    former = token.model_copy(update={"id": 5, "name": "lost", "revoked_at": EARLIER})
    closed = name == "bob"
    return UserDetail(
        id=1, name=name, role="author", email=f"{name}@example.org", bots=2, created_at=EARLIER,
        closed_at=EARLIER if closed else None, sessions=[] if closed else [session],
        tokens=[] if closed else [token, former], leagues=["cup"],
    )  # fmt: skip


def users(*, wanted: str = "", cursor: str | None = None, **asked: Any) -> Users:
    """A page of 1,207 accounts that lists three; a search for "nobody" finds none."""
    people = (("alice", "author", None), ("bob", "author", EARLIER), ("charlie", "operator", None))
    items = [
        User(id=number, name=name, role=role, email=f"{name}@example.org" if number == 1 else None,
             bots=2, created_at=EARLIER, closed_at=closed)
        for number, (name, role, closed) in enumerate(people, 1)
    ]  # fmt: skip
    if wanted == "nobody":
        return Users(items=[], page=1, pages=1, found=0, next=None)
    page = int(cursor or 1)
    return Users(items=items, page=page, pages=7, found=1207, next=str(page + 1))
