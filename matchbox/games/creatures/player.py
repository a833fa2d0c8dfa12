"""The classes for authors of duel players, and the driver that asks them.

Knows a player's view of the duel; does not know the rules. The names of the classes, methods and
arguments are those of the source document.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from inspect import signature
from typing import Any, Final

from matchbox.games.creatures.board import GameControl
from matchbox.games.creatures.card import Card
from matchbox.games.creatures.card_counts import count, game_of
from matchbox.games.creatures.codec import BLOCK, brief_of, read_ask
from matchbox.games.creatures.idle import IdleBoard
from matchbox.games.creatures.memory import EMPTY, NOW, read
from matchbox.games.creatures.seat_driver import Ask, SeatDriver

ALIASES: Final[dict[str, str]] = {
    "card": "matchbox.games.creatures.card",
    "mana": "matchbox.games.creatures.mana",
    "board": "matchbox.games.creatures.board",
    "battle": "matchbox.games.creatures.battle",
    "player": "matchbox.games.creatures",
    "prompts": "matchbox.games.creatures.prompts",
    "jsonlog": "matchbox.games.creatures.jsonlog",
    "parsing": "matchbox.games.creatures.parsing",
}
"""The module names of the source document, and ours."""

REMEMBERED: Final[dict[str, bytes]] = {"parsed.json": EMPTY}
"""The file from which a bot reads its memory, and its content at first."""

LIFE: Final = 20


class Player:
    """The base class of all players: write `turn_prompt` and `will_block`."""

    board: GameControl
    """Your side of the table, and the actions there."""
    opponent: Any
    """The other player: its name, life and board, as far as you can see them."""
    memory: bytes = b""
    """The argument of `remember`."""
    _driver: SeatDriver | None = None

    def __init__(self, name: str = "") -> None:
        """A player of that name; without a name, it gets the name of its class."""
        self.name = name or type(self).__name__
        self.life = LIFE
        self.lose = False
        self.opponent = None
        self.board = IdleBoard()

    def attack(self, cardname: str | Card) -> bool:
        """Attacks with your first untapped creature of that name; returns True if there was one.

        The attack is settled when this returns.
        """
        driver = self._driver
        return driver is not None and driver.attack(cardname)

    def block(self, attacker: Card, blocker: Card | str) -> bool:
        """Blocks with your untapped creature, inside `will_block`; False if that is impossible."""
        return self._driver is not None and self._driver.block(blocker)

    def take_damage(self, n: int) -> None:
        """Lets the attacker through, inside `will_block`; the game reduces your life."""
        if self._driver is not None:
            self._driver.let_through()

    def turn_prompt(self) -> bool:
        """Makes a part of your turn; return False to end the turn, True to be called again."""
        raise NotImplementedError("a player must have a method turn_prompt()")

    def will_block(self, attacker: Card) -> object:
        """Answers an attack: call `block`, or `take_damage` or nothing to let it through.

        You are asked only if you have an untapped creature.
        """
        raise NotImplementedError("a player must have a method will_block(attacker)")

    def who_blocks(self, attacker: Card) -> object:
        """Chooses the blocker; your own `will_block` may call it."""
        raise NotImplementedError("this player has no method who_blocks(attacker)")

    def remember(self, memory: bytes) -> None:
        """Stores the memory of earlier games: the bytes of a parsed.json."""
        self.memory = memory

    @staticmethod
    def learn(memory: bytes, records: list[dict[str, Any]]) -> bytes:
        """Adds the summons of every recorded duel to the table, as the document's parsing does.

        Bots that read `parsed.json` learn so unless they have a `learn` of their own; other bots
        do not learn.
        """
        table = read(memory)
        for record in records:
            count(table, game_of(record))
        return json.dumps(table, sort_keys=True).encode()

    def count_action(self) -> None:
        """Counts one more action of this turn. Raises IllegalMove if there were too many."""
        if self._driver is not None:
            self._driver.count()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


# --- The driver ------------------------------------------------------------------------------


def maker(chosen: type[Player]) -> Callable[[], Player]:
    """Returns a function that makes a player; it passes the class's name if it needs a name."""
    try:
        signature(chosen).bind()
    except TypeError:
        return lambda: chosen(chosen.__name__)
    return chosen


def sit_down(player: Player, opponent: str = "Opponent") -> SeatDriver:
    """Begins a duel for the player, against somebody of that name."""
    other = Player.__new__(Player)
    other.name, other.life, other.lose = opponent or Player.__name__, LIFE, False
    player._driver = driver = SeatDriver(other)
    player.lose = False
    player.opponent = other
    other.opponent = None
    return driver


def answer(player: Player, view: dict[str, Any], ask: Ask) -> Any:
    """The player's move for this view; `ask(move)` makes a move before it, inside the turn."""
    return answer_brief(player, brief_of(view), ask, False)


def answer_brief(player: Player, brief: bytes, ask: Ask, keep: bool = True) -> Any:
    """The same as `answer`, for briefs as `brief_of` writes them. It may return a tuple of moves.

    Moves with a certain effect are handed over together, unless `keep` is False.
    """
    driver = player._driver or sit_down(player)
    try:
        if read_ask(brief) == BLOCK:
            return driver.attacked(player, brief)
        return driver.turn(player, brief, ask, keep)
    finally:
        NOW.memory = None
