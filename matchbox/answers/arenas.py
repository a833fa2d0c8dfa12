"""The matches that were played on an arena, and what was done about them."""

from __future__ import annotations

from matchbox.answers import Answer


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
    """The same once `count` of them were made void, and `again` of these are played again."""

    again: int
