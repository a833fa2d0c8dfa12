"""The tables, with a module for each part of the database. They contain no logic.

Times are UTC integers in milliseconds. Whatever can be derived (standings, ratings) is stored only
as a cache that names the rows it came from.
"""

from server.db.models.bots import (
    IDLE,
    WAITING,
    Bot,
    Bundle,
    Draft,
    DraftState,
    Version,
    VersionState,
)
from server.db.models.comparisons import Comparison, ComparisonState
from server.db.models.leagues import (
    OVER,
    UNDER_WAY,
    BoardCounts,
    Entry,
    Field,
    Invitation,
    League,
    Rating,
    RatingPoint,
    Season,
    SeasonState,
    Standing,
)
from server.db.models.logins import LoginAttempts
from server.db.models.matches import (
    UNFINISHED,
    Match,
    MatchSeat,
    MatchState,
    MatchVerification,
    Result,
)
from server.db.models.memories import Lesson, LessonState, Memory
from server.db.models.notices import Delivery, Notice, Webhook
from server.db.models.people import (
    TRUSTED,
    BrowserSession,
    FormerName,
    Identity,
    Role,
    Scope,
    Token,
    User,
)
from server.db.models.platform import (
    ArenaKey,
    ArenaPart,
    Audit,
    Event,
    FaultCount,
    Outbox,
    PlatformFault,
    Setting,
    Verification,
)
from server.db.models.play import UNSETTLED, PlaySeat, PlayState, PlayTable, Turn
from server.db.models.tables import Table

__all__ = [
    "IDLE",
    "OVER",
    "TRUSTED",
    "UNDER_WAY",
    "UNFINISHED",
    "UNSETTLED",
    "WAITING",
    "ArenaKey",
    "ArenaPart",
    "Audit",
    "BoardCounts",
    "Bot",
    "BrowserSession",
    "Bundle",
    "Comparison",
    "ComparisonState",
    "Delivery",
    "Draft",
    "DraftState",
    "Entry",
    "Event",
    "FaultCount",
    "Field",
    "FormerName",
    "Identity",
    "Invitation",
    "League",
    "Lesson",
    "LessonState",
    "LoginAttempts",
    "Match",
    "MatchSeat",
    "MatchState",
    "MatchVerification",
    "Memory",
    "Notice",
    "Outbox",
    "PlatformFault",
    "PlaySeat",
    "PlayState",
    "PlayTable",
    "Rating",
    "RatingPoint",
    "Result",
    "Role",
    "Scope",
    "Season",
    "SeasonState",
    "Setting",
    "Standing",
    "Table",
    "Token",
    "Turn",
    "User",
    "Verification",
    "Version",
    "VersionState",
    "Webhook",
]
