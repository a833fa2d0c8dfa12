"""One seat of one duel: turns a player's wishes into moves, and views into the player's boards.

Knows what the seat sees, so that an impossible wish does nothing; the rules check every move again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from matchbox.errors import IllegalMove
from matchbox.games.creatures.board import GameControl
from matchbox.games.creatures.card import Card
from matchbox.games.creatures.kinds import CREATURES, LAND
from matchbox.games.creatures.memory import enter

if TYPE_CHECKING:
    from matchbox.games.creatures.player import Player

Ask = Callable[[Any], Any]
ACTIONS: Final = 1000
"""What a player may try in one turn, impossible things counted."""
_TOO_MANY: Final = f"more than {ACTIONS} actions in one turn"


class Table:
    """The boards of both sides as one player sees them, and what it may do just now."""

    def __init__(self, player: Player, opponent: Player) -> None:
        self.own = GameControl(self.act)
        self.other = GameControl()
        self._player = player
        self._opponent = opponent
        opponent.board = self.other
        self._view: dict[str, Any] = {}
        self._ask: Ask | None = None
        self._tried = 0
        self._answer: Any = None

    # --- A turn ------------------------------------------------------------------------------

    def turn(self, view: dict[str, Any], ask: Ask, play: Callable[[Player], None]) -> str:
        """Lets the player make its turn; returns the move that ends it."""
        self._begin(view)
        self._ask = ask
        try:
            play(self._player)
        finally:
            self._ask = None
        return "done"

    def act(self, action: str, what: Any) -> bool:
        """Does what the player wishes in its turn; False, and nothing done, where it cannot be."""
        self.count()
        if self._ask is None:
            return False
        move = _MOVES[action](self, what)
        if move is None:
            return False
        enter(None)
        self._see(self._ask(move))
        return True

    def count(self) -> None:
        """Counts one thing that the player tries. Raises IllegalMove where it is one too many."""
        self._tried += 1
        if self._tried > ACTIONS:
            if self._ask is not None:
                self._ask(_TOO_MANY)
            raise IllegalMove(_TOO_MANY)

    # --- An attack ---------------------------------------------------------------------------

    def attacked(self, view: dict[str, Any]) -> Any:
        """Lets the player answer an attack; returns ["block", creature] or "pass"."""
        self._begin(view)
        self._answer = None
        self._player.will_block(self.other.creature(view["attacker"][0]))
        return self._answer or "pass"

    def block(self, blocker: object) -> bool:
        """Blocks with that card; False where it cannot, or where the attack is settled."""
        self.count()
        if self._view.get("ask") != "block" or self._answer is not None:
            return False
        number = self._ready(blocker)
        if number is None:
            return False
        self._answer = ["block", number]
        return True

    def let_through(self) -> None:
        """Settles the attack without a block, where it is not settled yet."""
        self.count()
        if self._view.get("ask") == "block" and self._answer is None:
            self._answer = "pass"

    # --- What is seen ------------------------------------------------------------------------

    def _begin(self, view: dict[str, Any]) -> None:
        self._tried = 0
        self._see(view)

    def _see(self, view: dict[str, Any]) -> None:
        self._view = view
        enter(self._player.memory)
        me, other = view["me"], view["other"]
        self.own.show(me)
        self.other.show(other)
        self._player.life, self._opponent.life = me["life"], other["life"]
        self._player.board, self._player.opponent = self.own, self._opponent

    # --- From wishes to moves ----------------------------------------------------------------

    def _land(self, _: Any) -> Any:
        me = self._view["me"]
        return "land" if not me["played"] and LAND in me["hand"] else None

    def _tap(self, _: Any) -> Any:
        untapped = self._view["me"]["lands"] - self._view["me"]["tapped"]
        return ["tap", untapped] if untapped else None

    def _tap_one(self, land: Any) -> Any:
        place = next((n for n, one in enumerate(self.own.lands) if one is land), None)
        if place is None or land.tapped or not self._tap(None):
            return None
        land.tapped = True
        return ["tap", 1]

    def _summon(self, name: Any) -> Any:
        name = name.name if isinstance(name, Card) else name
        me = self._view["me"]
        kind = CREATURES.get(name) if isinstance(name, str) else None
        if kind is None or name not in me["hand"] or kind.cost > me["mana"]:
            return None
        return ["summon", name]

    def _attack(self, creature: Any) -> Any:
        number = self._ready(creature)
        return None if number is None else ["attack", number]

    def _ready(self, creature: object) -> int | None:
        """The number of an untapped creature of one's own: the card, or the first of that name."""
        for number, name, mark in self._view["me"]["field"]:
            if not mark and (creature == name or creature is self.own.creature(number)):
                return int(number)
        return None


_MOVES: Final[dict[str, Callable[[Table, Any], Any]]] = {
    "land": Table._land,
    "tap": Table._tap,
    "tap one": Table._tap_one,
    "summon": Table._summon,
    "attack": Table._attack,
}
