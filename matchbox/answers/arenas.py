"""Keys of arenas on other hosts. The matches of an arena, and which of them became void."""

from __future__ import annotations

from typing import Literal, TypeAlias

from matchbox.answers import Answer

KeyState: TypeAlias = Literal["works", "draining", "removed"]


class ArenaKey(Answer):
    """The key of a host whose arenas play from afar.

    While it is `draining`, its arenas get no new jobs. `arenas` of them report now and hold `jobs`
    jobs; `seen_at` is their newest report.
    """

    name: str
    state: KeyState
    created_at: str
    seen_at: str | None
    arenas: int
    jobs: int


class ArenaKeys(Answer):
    """All keys of arenas on other hosts; those that were removed come last."""

    items: list[ArenaKey]
    next: str | None


class FreshArenaKey(ArenaKey):
    """A new key with its secret, which is shown only once."""

    key: str


class ArenaMatches(Answer):
    """The matches that ended on an arena from `since` to `until`.

    `count` of them can be made void. `kept` stay as they are, because their season was cancelled or
    is a knock-out that has gone on, or because a comparison has counted them.
    """

    arena: str
    since: str
    until: str
    count: int
    kept: int


class ArenaVoid(ArenaMatches):
    """An arena's matches after `count` of them became void; `again` of these are played again."""

    again: int
