"""The tables, with a module for each part of the database. They contain no logic.

Times are UTC integers in milliseconds. Derived data (standings, ratings) is stored only as a cache,
with the digest of the rows it came from.
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
from server.db.models.declarative import Base
from server.db.models.leagues import (
    LONGEST_REASON,
    OVER,
    UNDER_WAY,
    UPCOMING,
    BoardCounts,
    Entry,
    GameField,
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
    VoidCause,
)
from server.db.models.memories import Lesson, LessonState, Memory
from server.db.models.notices import Delivery, Notice, Webhook
from server.db.models.people import (
    NOTE,
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
