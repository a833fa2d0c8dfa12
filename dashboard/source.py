"""The functions that the pages call on the server. Knows their types; knows no database.

The server fills a `Source` once; each function is called inside a request, and finds
the viewer itself. It raises NotFound for a missing thing, Forbidden for one the viewer may not see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from matchbox.answers.accounts import SessionLine, TokenLine, Viewer
from matchbox.answers.bots import Bot, BotLine, BotName
from matchbox.answers.comparisons import Comparable, Comparison, ComparisonLine
from matchbox.answers.games import Game
from matchbox.answers.leagues import League, LeagueLine, Season, SeasonLine
from matchbox.answers.lessons import Lesson
from matchbox.answers.matches import LogLine, Match, Matches, Queue, Steps
from matchbox.answers.notices import DeliverySettings, Notices
from matchbox.answers.platform import Admin, Audit
from matchbox.answers.standings import Board, RatingPoint

Row: TypeAlias = "dict[str, Any]"


@dataclass(frozen=True, kw_only=True)
class Source:
    """The functions that the pages read from."""

    viewer: Callable[[], Viewer | None]
    """Who is asking; None without login."""

    libraries: Callable[[], list[str]]
    """The libraries that bots may import beside the standard library."""

    uploads_closed: Callable[[], str | None]
    """Why the viewer may not submit bots, in a sentence; None where they may (or may log in)."""

    games: Callable[[], list[Game]]
    """Every game that is installed."""

    leaderboard: Callable[[str], Board]
    """The standing of the continuous league of this name."""

    bot: Callable[[str, str], Bot]
    """The bot owner/name."""

    lessons: Callable[[str, str], list[Lesson]]
    """The lessons of the bot owner/name, newest first, for its owner and operators; else none."""

    find_bot: Callable[[str], BotName]
    """The only bot with this name. NotFound where there is none or several."""

    matches: Callable[..., Matches]
    """(game, bot, season, comparison, state, cursor, limit: by keyword, each optional; bot is
    owner/name) -> a page of matches, newest first."""

    audit: Callable[..., Audit]
    """For operators, else Forbidden: (subject, action, cursor, limit: by keyword, each optional) ->
    a page of the log, newest first."""

    match: Callable[[str], Match]
    """The match of that id, or of its first digits."""

    steps: Callable[[str, int, int | None], Steps]
    """(match, bout index, seat whose view is shown or None for the spectator's) -> the bout; only
    where `match` has no embargo, else Forbidden."""

    match_log: Callable[[str], list[LogLine]]
    """What the viewer's own bots printed; all of them for operators. Asked only where `match` says
    `mine` and has no embargo."""

    queue: Callable[[], Queue]
    """The numbers of matches and try-outs that are not done yet."""

    seasons: Callable[[], list[SeasonLine]]
    """All seasons, newest first; drafts for operators alone."""

    season: Callable[[int], Season]
    """The season of this number."""

    leagues: Callable[[], list[LeagueLine]]
    """All leagues."""

    league: Callable[[str], League]
    """The league of this name."""

    season_standings: Callable[[int], Board]
    """The standing of the season of this number."""

    my_bots: Callable[[], list[BotLine]]
    """The viewer's bots, newest first, the retired ones too."""

    tokens: Callable[[], list[TokenLine]]
    """The viewer's API tokens."""

    sessions: Callable[[], list[SessionLine]]
    """The browsers in which the viewer is logged in."""

    admin: Callable[[], Admin]
    """The operators' overview; raises Forbidden for others."""

    claim_open: Callable[[str], bool]
    """Whether this secret of the first operator's link is good and unused."""

    comparison: Callable[[int], Comparison]
    """The comparison, for its author and operators, else Forbidden."""

    comparisons: Callable[[str, str], list[ComparisonLine]]
    """The viewer's newest of the bot owner/name. Asked only where `bot` says `mine`."""

    comparable: Callable[[str, str], Comparable]
    """What the form for a new one offers. Asked only where `bot` says `mine`."""

    ratings: Callable[[str, str], list[RatingPoint]]
    """(owner, name) -> how the bot's rating has moved, version by version, oldest first."""

    inbox: Callable[..., Notices]
    """(cursor, limit: by keyword, each optional) -> a page of the viewer's notices."""

    ways_out: Callable[[], DeliverySettings]
    """The ways by which the viewer's notices and bots leave the platform."""

    link_open: Callable[[str], bool]
    """Whether this secret of the link that confirms an address is the viewer's, and good."""

    text_of: Callable[[str, str, int], str | None]
    """(owner, name, version number) -> the bot's file, for its owner and operators; None for
    everybody else, and for a zip."""
