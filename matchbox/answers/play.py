"""Tables where people play against bots."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from matchbox.answers import Answer
from matchbox.answers.matches import Step

State: TypeAlias = Literal["open", "bots", "persons", "finished", "ended"]


class TableSeat(Answer):
    """A seat and who holds it; `name` is a person's, or a bot's as owner/name, empty if free."""

    seat: int
    kind: Literal["person", "bot", "free"]
    name: str
    version: int | None


class TableLine(Answer):
    """A table in a list. It ends at the `deadline` if nobody touches it."""

    id: str
    game: str
    title: str
    state: State
    seats: list[TableSeat]
    created_at: str
    deadline: str
    finished_at: str | None
    why: str


class Choice(Answer):
    """A legal move in words. `picks` are the marks on the board to click for it."""

    move: Any
    words: str
    group: str
    picks: list[str]


class Place(Answer):
    """A position of a match: its bout, from 0, after this many moves of the bout."""

    match: str
    bout: int
    moves: int


class Table(TableLine):
    """A table as the viewer may see it; `me` is their seat.

    While it is played, `view` and `steps` hold what the viewer's own seat may see; others see
    neither. `steps` begins with the step numbered `since`. `revision` changes with every event.
    `question` is the question to the viewer. `join` is the secret of the link by which a free seat
    is taken. `turn` numbers the next move of the viewer's seat, from 0. `place` is the position of
    a match from which the game goes on, null if it began with its deal. The fields from `places` on
    come with the end, places and scores only if it was not an early one; only the API gives the
    `record`.
    """

    cooperative: bool
    rules: str
    options: dict[str, Any]
    place: Place | None = None
    revision: str
    me: int | None
    join: str | None
    to_move: list[int]
    view: Any
    choices: list[Choice]
    question: str
    turn: int | None = None
    since: int
    steps: list[Step]
    places: list[int] | None = None
    scores: list[int] | None = None
    deal: str | None = None
    digest: str | None = None
    record: dict[str, Any] | None = None


class Tables(Answer):
    """A list of tables, how many may be open in all, and at how many each account may sit."""

    items: list[TableLine]
    allowed: int
    each: int
    next: str | None = None


class Opponent(Answer):
    """A possible opponent: its rating and its rank, null without one."""

    bot: str
    version: int
    elo: float | None
    rank: int | None
