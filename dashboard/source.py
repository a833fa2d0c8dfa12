"""The functions that pages read from, as a protocol. Knows their types, but no database."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Protocol

from matchbox.answers.accounts import (
    LoggedIn,
    LogInWays,
    OpenidFound,
    SessionLine,
    TokenLine,
    Viewer,
)
from matchbox.answers.arenas import ArenaKeys, ArenaMatches
from matchbox.answers.board_figures import BoardFigures, Opponents, PairLine
from matchbox.answers.board_figures import Opponent as HeadToHead
from matchbox.answers.bots import Author, Bot, BotLine, BotName, Draft
from matchbox.answers.classes import Invited, LeagueClass, Membership
from matchbox.answers.comparisons import Comparable, Comparison, ComparisonLine
from matchbox.answers.courses import Course, Fixture, Meeting, Stamp
from matchbox.answers.faults import FaultList, Faults
from matchbox.answers.games import Game, Limits
from matchbox.answers.health import ArenaLine, Health
from matchbox.answers.leagues import League, LeagueLine, Season, SeasonLine, Seasons
from matchbox.answers.lessons import Lessons
from matchbox.answers.matches import LogLine, Match, Matches, MatchVerification, Queue, Steps
from matchbox.answers.notices import DeliverySettings, Notices
from matchbox.answers.platform import Admin, Audit, UserDetail, Users
from matchbox.answers.play import Opponent, Table, Tables
from matchbox.answers.queue import QueueDetail, Waiting
from matchbox.answers.standings import Board, RatingPoint
from matchbox.league.format import Schedule


class Source(Protocol):
    """The functions that the pages read from. The server implements them.

    Each is called inside a request and finds the viewer by itself. It raises NotFound for a missing
    object, and Forbidden for one that the viewer may not see.
    """

    def viewer(self) -> Viewer | None:
        """The viewer; None without login."""

    def limits(self) -> Limits:
        """The limits of a bot on this platform."""

    def uploads_closed(self) -> str | None:
        """The reason why the viewer may not submit bots, as a sentence; None if they may, or could
        after a login."""

    def games(self) -> list[Game]:
        """Every installed game."""

    def leaderboard(self, name: str) -> Board:
        """The standing of the continuous league with this name."""

    def board_stamp(self, name: str) -> str:
        """A text that changes whenever that standing, or a name on it, may change."""

    def board_figures(self, name: str, top: int | None, after: int) -> BoardFigures:
        """The counts behind the figures of a league's board.

        The pairs are those of the `top` bots, or of all, that come `after` that place.
        """

    def board_pairs(self, name: str) -> Iterator[PairLine]:
        """All pairs that have met on a league's board, each made when it is asked for."""

    def rating_trails(self, name: str, versions: Collection[int]) -> dict[int, list[float]]:
        """The stored ratings of these versions in a league, oldest first, by the version's row."""

    def bot(self, owner: str, name: str) -> Bot:
        """The bot owner/name."""

    def results_by_opponent(
        self, owner: str, name: str, most: int, page: int | None = None
    ) -> Opponents:
        """The results of the bot owner/name by opponent, the hardest first: of the `most` that it
        has met most, or that page of all opponents."""

    def all_opponents(self, owner: str, name: str) -> tuple[Opponents, Iterator[HeadToHead]]:
        """The answer for the bot owner/name without items, and the lines of all its opponents,
        which are looked up one part after another."""

    def author(self, name: str) -> Author:
        """The author of that name, with all bots."""

    def bot_faults(self, owner: str, name: str) -> FaultList:
        """The newest faults of the bot owner/name; details only for its owner and operators."""

    def lessons(self, owner: str, name: str, cursor: str | None) -> Lessons:
        """A page of the lessons of the bot owner/name, newest first, for its owner and operators;
        empty for others."""

    def find_bot(self, name: str) -> BotName:
        """The only bot with this name. Raises NotFound if there is none, or more than one."""

    def matches(
        self,
        *,
        game: str | None = None,
        bot: str | None = None,
        season: int | None = None,
        comparison: int | None = None,
        state: str | None = None,
        opponent: str | None = None,
        result: str | None = None,
        fault: bool = False,
        version: int | None = None,
        rated: bool = False,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Matches:
        """A page of matches, newest first. `bot` and `opponent` are owner/name.

        `result` and `version` are of the bot, and so is `fault`, if there is a bot. `rated` leaves
        out the matches of comparisons.
        """

    def audit(
        self,
        *,
        subject: str | None = None,
        action: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Audit:
        """A page of the audit log, newest first.

        Raises Forbidden unless the viewer is an operator.
        """

    def match(self, name: str) -> Match:
        """The match with that id, or with those first digits."""

    def steps(self, name: str, bout: int, seat: int | None) -> Steps:
        """The bout of a match with that index.

        `seat` is the seat whose view is shown; None for a spectator, EVERYBODY for all hands.
        Raises Forbidden while `match` has an embargo.
        """

    def verification(self, name: str) -> MatchVerification | None:
        """The newest verification of the match with that id; None if there is none."""

    def match_log(self, name: str) -> list[LogLine]:
        """The output of the viewer's own bots; operators get that of all bots.

        Called only if `match` says `mine` and has no embargo.
        """

    def queue(self) -> Queue:
        """The numbers of unfinished matches and try-outs."""

    def faults(self, days: int) -> Faults:
        """The faults of the last 1 or 7 days. Raises Forbidden unless the viewer is an operator."""

    def queue_detail(self) -> QueueDetail:
        """The jobs that wait, with the reasons. Raises Forbidden unless the viewer is an
        operator."""

    def waiting(self, number: int) -> Waiting | None:
        """The reason why the try-out of the version with this row number waits; None if it does not
        wait, or if the viewer is neither its owner nor an operator."""

    def seasons(
        self,
        *,
        league: str | None = None,
        over: bool = True,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Seasons:
        """A page of the seasons, newest first; with `over=False` only those that are not over.

        Only operators see drafts.
        """

    def season(self, number: int) -> Season:
        """The season with this number."""

    def leagues(self) -> list[LeagueLine]:
        """All leagues."""

    def league(self, name: str) -> League:
        """The league with this name."""

    def following(self, number: int) -> SeasonLine | None:
        """The newest season that takes bots, of those in the league of the season with this number
        that came after it; None without one."""

    def season_standings(self, number: int) -> Board:
        """The standing of the season with this number."""

    def season_course(self, number: int) -> Course:
        """The course of the season with this number: its bots, and the matches still to play."""

    def season_fixtures(self, number: int, rounds: Collection[int]) -> list[Fixture]:
        """The matches of these rounds, from 0, of the season with this number."""

    def season_meetings(
        self, number: int, rows: Collection[int], columns: Collection[int]
    ) -> list[Meeting]:
        """The pairs of one version of `rows` and one of `columns`, by row number, that have met in
        the season with this number, as its standing counts."""

    def season_stamp(self, number: int) -> Stamp:
        """The stamp of the season with this number, which changes with its course or its
        standing."""

    def my_bots(self) -> list[BotLine]:
        """The viewer's bots, newest first, including the retired ones."""

    def tokens(self) -> list[TokenLine]:
        """The viewer's API tokens, with those that were revoked lately."""

    def log_in_ways(self) -> LogInWays:
        """The ways in which the viewer may log in."""

    def signup_closed(self) -> bool:
        """Whether nobody may make an account with a name and a password."""

    def play_closed(self) -> bool:
        """Whether nobody may open a table to play against bots."""

    def openid_label(self) -> str | None:
        """The name of the OpenID Connect provider; None if there is none."""

    def openid_found(self) -> OpenidFound | None:
        """The identity that has just come back from the provider in this browser; None if there is
        none."""

    def openid_out(self) -> str:
        """The address at which the provider logs people out; "" if it has none."""

    def sessions(self) -> list[SessionLine]:
        """The browsers in which the viewer is logged in."""

    def admin(self) -> Admin:
        """The operators' overview. Raises Forbidden for others."""

    def user(self, name: str) -> UserDetail:
        """The account of that name. Raises Forbidden unless the viewer is an operator."""

    def users(
        self,
        *,
        wanted: str = "",
        role: str | None = None,
        state: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Users:
        """A page of the accounts by name.

        `wanted` is a part of the name or the e-mail address, `state` is open or closed. Raises
        Forbidden unless the viewer is an operator.
        """

    def invited(self, code: str) -> Invited:
        """The league that a code joins. Raises NotFound if no league has it."""

    def memberships(self) -> list[Membership]:
        """The leagues whose classes the viewer is in; empty without login."""

    def check_new_league(
        self, name: str, game: str, seats: int, options: Mapping[str, str], schedule: Schedule
    ) -> None:
        """Raises BadName, BadOption or Conflict if there can be no such league."""

    def league_class(self, name: str) -> LeagueClass:
        """The class of the league. Raises Forbidden unless the viewer is an operator."""

    def health(self) -> Health:
        """The platform's health.

        Raises Forbidden unless the viewer is an operator.
        """

    def arena(self, name: str) -> ArenaLine:
        """The arena of that full name.

        Raises Forbidden unless the viewer is an operator, NotFound.
        """

    def logged_in(self, cursor: str | None = None) -> LoggedIn:
        """A page of everybody's sessions, the last used first.

        Raises Forbidden unless the viewer is an operator.
        """

    def arena_keys(self) -> ArenaKeys:
        """The keys of arenas on other hosts. Raises Forbidden unless the viewer is an operator."""

    def arena_matches(self, name: str, since: str) -> ArenaMatches:
        """The arena's matches since an ISO 8601 time. Raises Forbidden unless the viewer is an
        operator, NotFound, and BadOption for a bad time."""

    def claim_open(self, secret: str) -> bool:
        """Whether this secret of the first operator's link is valid and unused."""

    def comparison(self, number: int) -> Comparison:
        """The comparison. Raises Forbidden unless the viewer is its author or an operator."""

    def comparisons(self, owner: str, name: str) -> list[ComparisonLine]:
        """The viewer's newest comparisons of the bot owner/name.

        Called only if `bot` says `mine`.
        """

    def comparable(self, owner: str, name: str) -> Comparable:
        """The choices of the form for a new comparison. Called only if `bot` says `mine`."""

    def ratings(self, owner: str, name: str) -> list[RatingPoint]:
        """The rating history of the bot owner/name, version by version, oldest first."""

    def inbox(self, *, cursor: str | None = None, limit: int = 50) -> Notices:
        """A page of the viewer's notices."""

    def delivery_settings(self) -> DeliverySettings:
        """The settings by which the viewer's notices and bots leave the platform."""

    def sends_mail(self) -> bool:
        """Whether this platform sends mail."""

    def reset_name(self, number: int, secret: str) -> str | None:
        """The name of the account with this number whose password the secret sets; None if the
        secret is not valid."""

    def link_open(self, secret: str) -> bool:
        """Whether this secret confirms the viewer's e-mail address, and is still valid."""

    def opponents(self, game: str, limit: int) -> list[Opponent]:
        """The game's bots that may be played against, the best first."""

    def tables(self, *, cursor: str | None = None, limit: int = 100) -> Tables:
        """A page of the viewer's tables, newest first; for operators also of all open ones.

        Needs a viewer.
        """

    def table(self, name: str, *, since: int = 0, secret: str = "") -> Table:
        """The table with that id. `since` is the first step that is wanted, `secret` that of the
        link by which a free seat is taken. Raises Forbidden for strangers while it is played."""

    def table_revision(self, name: str, *, secret: str = "") -> str | None:
        """The revision of the table with that id; None for those who may not see it.

        `secret` is as for `table`.
        """

    def table_steps(self, name: str, seat: int | None) -> Steps:
        """The bout of a table that is over, as a seat saw it; None for a spectator, EVERYBODY for
        all hands open. A bout that ended early is shown only to operators and to those who sat
        there."""

    def file_of(self, owner: str, name: str, number: int) -> bytes | None:
        """The uploaded bytes of a version, for the owner and operators, and for everybody if it is
        of the house; None for others. They are empty if they were removed."""

    def draft(self, number: int) -> Draft:
        """The viewer's draft with this number."""

    def draft_file(self, number: int) -> bytes:
        """The bytes of the viewer's draft with this number."""
