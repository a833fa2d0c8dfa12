"""Creates a platform's first contents: the house, a league for every game, the shipped bots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matchbox import registry
from server.services import accounts, leagues, seasons, uploads

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
    """The bytes of its file, as they would be uploaded."""


def prepare(
    session: Session, settings: Settings, shipped: Iterable[ShippedBot], *, now: int
) -> list[Version]:
    """Creates the house and the default leagues, uploads the shipped bots, returns their versions.

    Raises BadGame if a hook of an installed game is misspelt or incomplete, even if only pages use
    it, or if a league of another game has the name of a game. Pauses seasons that this installation
    cannot play. A second call changes nothing, and a bot that an operator has retired stays
    retired. Where bots of several games share a name, the game's name is put in front of it:
    skull-random.
    """
    shipped = list(shipped)
    owner = accounts.house(session, now=now)
    names = _names(shipped, {bot.name: bot.game for bot in owner.bots})
    retired = {bot.name for bot in owner.bots if bot.retired_at is not None}
    games = registry.games()
    for game in games:
        registry.draw_module(game)
        registry.choices_module(game)
    leagues.ensure_default_leagues(session, games.values(), settings, now=now)
    seasons.pause_outdated(session, now=now)
    return [
        uploads.upload(
            session, owner, game=bot.game, name=name, data=bot.data, settings=settings, now=now
        )
        for bot, name in zip(shipped, names, strict=True)
        if name not in retired
    ]


def _names(shipped: list[ShippedBot], taken: dict[str, str]) -> list[str]:
    """The name under which each bot is uploaded; `taken` maps the house's names to their games."""
    games = Counter(bot.name for bot in shipped)
    return [
        bot.name
        if taken.get(bot.name, bot.game if games[bot.name] == 1 else "") == bot.game
        else f"{bot.game}-{bot.name}"
        for bot in shipped
    ]
