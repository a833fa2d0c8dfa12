"""The first contents of a platform: the house, a league for every game, the shipped bots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matchbox import registry
from server.services import accounts, leagues, uploads

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import Version


@dataclass(frozen=True, slots=True)
class ShippedBot:
    """A bot that comes with the platform."""

    game: str
    name: str
    data: bytes
    """The file's bytes, in the form of an upload."""


def prepare(
    session: Session, settings: Settings, shipped: Iterable[ShippedBot], *, now: int
) -> list[Version]:
    """The shipped bots' versions, uploaded as anybody's; done again it changes nothing.

    Bots of several games that share a name have the game's before it: skull-random.
    """
    shipped = list(shipped)
    owner = accounts.house(session, now=now)
    names = _names(shipped, {bot.name: bot.game for bot in owner.bots})
    leagues.ensure_default_leagues(session, registry.games().values(), settings, now=now)
    return [
        uploads.upload(
            session,
            owner,
            game=bot.game,
            name=name,
            data=bot.data,
            settings=settings,
            now=now,
        )
        for bot, name in zip(shipped, names, strict=True)
    ]


def _names(shipped: list[ShippedBot], taken: dict[str, str]) -> list[str]:
    """The name of each bot on the boards; `taken` are the house's names and their games."""
    games = Counter(bot.name for bot in shipped)
    return [
        bot.name
        if taken.get(bot.name, bot.game if games[bot.name] == 1 else "") == bot.game
        else f"{bot.game}-{bot.name}"
        for bot in shipped
    ]
