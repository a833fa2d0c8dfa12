"""The tables, a module for each part of the books. Decide nothing.

Times are UTC integers in milliseconds. Whatever can be derived (standings, ratings) is stored
only as a cache that names the rows it came from.
"""

from server.db.models.bots import WAITING, Bot, Bundle, Version, VersionState
from server.db.models.leagues import Entry, League, Rating, Season, SeasonState, Standing
from server.db.models.matches import Deal, Match, MatchDeal, MatchSeat, MatchState, Result
from server.db.models.people import Role, Token, User
from server.db.models.platform import Event, Outbox, PlatformFault, Setting
from server.db.models.tables import Table

__all__ = [
    "WAITING",
    "Bot",
    "Bundle",
    "Deal",
    "Entry",
    "Event",
    "League",
    "Match",
    "MatchDeal",
    "MatchSeat",
    "MatchState",
    "Outbox",
    "PlatformFault",
    "Rating",
    "Result",
    "Role",
    "Season",
    "SeasonState",
    "Setting",
    "Standing",
    "Table",
    "Token",
    "User",
    "Version",
    "VersionState",
]
