"""The functions that the pages call on the server. Knows their types, but no database.

The server fills one `Source`. Each function is called inside a request and finds the viewer by
itself. It raises NotFound for a missing object, and Forbidden for one that the viewer may not see.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

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
from matchbox.answers.games import Game
from matchbox.answers.health import ArenaLine, Health
from matchbox.answers.leagues import League, LeagueLine, Season, SeasonLine, Seasons
from matchbox.answers.lessons import Lesson
from matchbox.answers.matches import (
    LogLine,
    Match,
    Matches,
    MatchVerification,
    Queue,
    Steps,
)
from matchbox.answers.notices import DeliverySettings, Notices
from matchbox.answers.platform import Admin, Audit, UserDetail, Users
from matchbox.answers.play import Opponent, Table, Tables
from matchbox.answers.queue import QueueDetail, Waiting
from matchbox.answers.standings import Board, RatingPoint

Row: TypeAlias = "dict[str, Any]"


@dataclass(frozen=True, kw_only=True)
class Source:
    """The functions that the pages read from."""

    viewer: Callable[[], Viewer | None]
    """The viewer; None without login."""

    libraries: Callable[[], list[str]]
    """The libraries that bots may import in addition to the standard library."""

    uploads_closed: Callable[[], str | None]
    """A sentence that says why the viewer may not submit bots; None if they may, or could after a
    login."""

    games: Callable[[], list[Game]]
    """Every installed game."""

    leaderboard: Callable[[str], Board]
    """The standing of the continuous league with this name."""

    board_digest: Callable[[str], str | None]
    """The digest of the rows of that standing; None before the first."""

    board_figures: Callable[[str, int | None, int], BoardFigures]
    """The counts behind the figures of a league's board, from (league, the number of bots whose
    pairs are told, or None for all, the place after which these bots begin)."""

    board_pairs: Callable[[str], Iterator[PairLine]]
    """All pairs that have met on a league's board, each made when it is asked for."""

    rating_trails: Callable[[str, Collection[int]], dict[int, list[float]]]
    """The stored ratings of these versions in a league, oldest first, by the version's row."""

    bot: Callable[[str, str], Bot]
    """The bot owner/name."""

    results_by_opponent: Callable[..., Opponents]
    """The results of the bot owner/name by opponent, the hardest first, from (owner, name, most):
    of those that it has met most. With the number of a page after it, that page of all opponents.
    """

    all_opponents: Callable[[str, str], tuple[Opponents, Iterator[HeadToHead]]]
    """The answer for the bot owner/name without items, and the lines of all its opponents, which
    are looked up one part after another."""

    author: Callable[[str], Author]
    """The author of that name, with all bots."""

    bot_faults: Callable[[str, str], FaultList]
    """The newest faults of the bot owner/name; details only for its owner and operators."""

    lessons: Callable[[str, str], list[Lesson]]
    """The lessons of the bot owner/name, newest first, for its owner and operators; empty for
    others."""

    find_bot: Callable[[str], BotName]
    """The only bot with this name. Raises NotFound if there is none, or more than one."""

    matches: Callable[..., Matches]
    """A page of matches, newest first. Keyword arguments, all optional: game, bot (owner/name),
    season, comparison, state, cursor, limit; and with bot: opponent, result, fault, version,
    rated."""

    audit: Callable[..., Audit]
    """A page of the audit log, newest first. Keyword arguments, all optional: subject, action,
    cursor, limit. Raises Forbidden unless the viewer is an operator."""

    match: Callable[[str], Match]
    """The match with that id, or with those first digits."""

    steps: Callable[[str, int, int | None], Steps]
    """The bout of a match, from (match, index of the bout, seat whose view is shown; None for a
    spectator, EVERYBODY for all hands). Raises Forbidden while `match` has an embargo."""

    verification: Callable[[str], MatchVerification | None]
    """What came of playing the match with that id again; None if nobody has asked."""

    match_log: Callable[[str], list[LogLine]]
    """The output of the viewer's own bots; operators get that of all bots. Called only if `match`
    says `mine` and has no embargo."""

    queue: Callable[[], Queue]
    """The numbers of unfinished matches and try-outs."""

    faults: Callable[[int], Faults]
    """The faults of the last 1 or 7 days. Raises Forbidden unless the viewer is an operator."""

    queue_detail: Callable[[], QueueDetail]
    """All that waits, and why. Raises Forbidden unless the viewer is an operator."""

    waiting: Callable[[int], Waiting | None]
    """Why the try-out of the version with this row number waits; None if it does not wait, or if
    the viewer is neither its owner nor an operator."""

    seasons: Callable[..., Seasons]
    """A page of the seasons, newest first, from (league, over, cursor, limit): with `over=False`
    only those that are not over. Only operators see drafts."""

    season: Callable[[int], Season]
    """The season with this number."""

    leagues: Callable[[], list[LeagueLine]]
    """All leagues."""

    league: Callable[[str], League]
    """The league with this name."""

    following: Callable[[int], SeasonLine | None]
    """The newest season that takes bots, of those in the league of the season with this number that
    came after it; None without one."""

    season_standings: Callable[[int], Board]
    """The standing of the season with this number."""

    season_course: Callable[[int], Course]
    """What is left to play of the season with this number."""

    season_fixtures: Callable[[int, Collection[int]], list[Fixture]]
    """The matches of these rounds, from 0, of the season with this number."""

    season_meetings: Callable[[int, Collection[int], Collection[int]], list[Meeting]]
    """Who of these versions, by row number, has met whom of those in the season with this number,
    as its standing counts."""

    season_stamp: Callable[[int], Stamp]
    """What changes with what is shown of the season with this number."""

    my_bots: Callable[[], list[BotLine]]
    """The viewer's bots, newest first, including the retired ones."""

    tokens: Callable[[], list[TokenLine]]
    """The viewer's API tokens, with those that were revoked lately."""

    logged_in: Callable[[str | None], LoggedIn]
    """A page of everybody's sessions, the last used first, from a cursor or none. Raises Forbidden
    unless the viewer is an operator."""

    log_in_ways: Callable[[], LogInWays]
    """The ways in which the viewer may log in."""

    openid_label: Callable[[], str | None]
    """What the OpenID Connect provider is called; None if there is none."""

    openid_found: Callable[[], OpenidFound | None]
    """Who has just come back from the provider in this browser; None if nobody has."""

    openid_out: Callable[[], str]
    """The address at which the provider logs people out; "" if it has none."""

    sessions: Callable[[], list[SessionLine]]
    """The browsers in which the viewer is logged in."""

    admin: Callable[[], Admin]
    """The operators' overview. Raises Forbidden for others."""

    user: Callable[[str], UserDetail]
    """The account of that name. Raises Forbidden unless the viewer is an operator."""

    users: Callable[..., Users]
    """A page of the accounts by name. Keyword arguments, all optional: wanted (a part of the name
    or the e-mail address), role, state (open or closed), cursor, limit. Raises Forbidden unless the
    viewer is an operator."""

    invited: Callable[[str], Invited]
    """The league that a code joins. Raises NotFound if no league has it."""

    memberships: Callable[[], list[Membership]]
    """The leagues whose classes the viewer is in; empty without login."""

    league_class: Callable[[str], LeagueClass]
    """The class of the league. Raises Forbidden unless the viewer is an operator."""

    health: Callable[[], Health]
    """The judgement on the platform's health. Raises Forbidden unless the viewer is an operator."""

    arena: Callable[[str], ArenaLine]
    """The arena of that full name. Raises Forbidden unless the viewer is an operator, NotFound."""

    arena_keys: Callable[[], ArenaKeys]
    """The keys of arenas on other hosts. Raises Forbidden unless the viewer is an operator."""

    arena_matches: Callable[[str, str], ArenaMatches]
    """The arena's matches since an ISO 8601 time. Raises as `arena`, and BadOption."""

    claim_open: Callable[[str], bool]
    """Whether this secret of the first operator's link is valid and unused."""

    comparison: Callable[[int], Comparison]
    """The comparison. Raises Forbidden unless the viewer is its author or an operator."""

    comparisons: Callable[[str, str], list[ComparisonLine]]
    """The viewer's newest comparisons of the bot owner/name. Called only if `bot` says `mine`."""

    comparable: Callable[[str, str], Comparable]
    """The choices of the form for a new comparison. Called only if `bot` says `mine`."""

    ratings: Callable[[str, str], list[RatingPoint]]
    """The rating history of the bot owner/name, version by version, oldest first."""

    inbox: Callable[..., Notices]
    """A page of the viewer's notices. Keyword arguments, both optional: cursor, limit."""

    delivery_settings: Callable[[], DeliverySettings]
    """The settings by which the viewer's notices and bots leave the platform."""

    sends_mail: Callable[[], bool]
    """Whether this platform sends mail."""

    reset_name: Callable[[int, str], str | None]
    """The name of the account with this number whose password the secret sets; None if it does
    not, or not any more."""

    link_open: Callable[[str], bool]
    """Whether this secret confirms the viewer's e-mail address, and is still valid."""

    opponents: Callable[[str, int], list[Opponent]]
    """The game's bots that may be played against, the best first, from (game, the most)."""

    tables: Callable[..., Tables]
    """A page, by cursor and limit, of the viewer's tables, newest first; for operators also of all
    open ones. Needs a viewer."""

    table: Callable[..., Table]
    """The table with that id. Keyword arguments, both optional: since (the first step that is
    wanted), secret (of the link by which a free seat is taken). Raises Forbidden for strangers
    while it is played."""

    table_revision: Callable[..., str | None]
    """The revision of the table with that id; None for those who may not see it. Keyword argument:
    secret, as of `table`."""

    table_steps: Callable[[str, int | None], Steps]
    """The bout of a table that is over, as a seat saw it; None for a spectator, EVERYBODY for all
    hands open. Only those who sat there, and operators, may see one that ended early."""

    file_of: Callable[[str, str, int], bytes | None]
    """The uploaded bytes, from (owner, name, version number), for the owner and operators; None for
    others."""

    draft: Callable[[int], Draft]
    """The viewer's draft with this number."""

    draft_file: Callable[[int], bytes]
    """The bytes of the viewer's draft with this number."""
