"""The class of a league: its code, its accounts and their results."""

from __future__ import annotations

from matchbox.answers import Answer
from matchbox.answers.bots import State
from matchbox.league.line import By


class JoinCode(Answer):
    """The code that joins a league, and the address of the page for it; null if there is none."""

    league: str
    code: str | None
    link: str | None


class Invited(Answer):
    """The league that a code joins; `title` is the game's."""

    league: str
    game: str
    title: str
    code: str


class FullSeason(Answer):
    """An open season that takes no more of the viewer's bots: these are in it."""

    id: int
    name: str
    bots: list[str]


class Membership(Answer):
    """A league whose class the viewer is in, and its open seasons, which their bots enter, except
    those that are `full`."""

    league: str
    game: str
    title: str
    seasons: list[str]
    full: list[FullSeason]


class FreshAccount(Answer):
    """An account that was just made, with its password, which is shown only once.

    `note` is the operators' note on it, such as a pupil's real name.
    """

    name: str
    password: str
    note: str = ""


class FreshAccounts(Answer):
    """The accounts that were just made from a list of names."""

    league: str
    items: list[FreshAccount]


class AuthorResult(Answer):
    """An author's result: that of the best of their bots on the board.

    `rank` counts authors, `board_rank` bots; both are null for an author none of whose bots has a
    match there, as is `score`, the figure that ranks. A knock-out that is over ranks by its final
    order instead. `matches` counts those of all their bots there, `bots` the author's bots with an
    accepted version. `joined` says whether the author is in the league's class, `closed` whether
    the account is closed. `note` is the operators' note on it. The `newest_` fields name the
    author's newest upload for the game, and its state.
    """

    author: str
    joined: bool
    closed: bool
    rank: int | None
    best_bot: str | None
    board_rank: int | None
    score: float | None
    matches: int
    bots: int
    note: str = ""
    newest_bot: str | None = None
    newest_version: int | None = None
    newest_state: State | None = None


class AuthorResults(Answer):
    """The results of a league's authors, best first.

    They come from the season's standing, or from the league's own board if `season` is null. Of an
    edition with several `divisions`, `season` is the highest one. `by` names the figure that ranks.
    """

    league: str
    season: str | None
    by: By
    items: list[AuthorResult]
    next: str | None
    divisions: int = 1


class LeagueClass(Answer):
    """The class of a league, for operators.

    A `continuous` league has a board that all active bots of the game play on, not the class alone.
    """

    league: str
    game: str
    title: str
    continuous: bool
    code: JoinCode
    results: AuthorResults
