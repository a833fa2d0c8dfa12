"""One seat of one duel: turns a player's calls into moves, and briefs into the player's boards.

Knows everything that the seat sees, so an impossible call does nothing; the rules check every move
again. While it knows the effect of its moves, it collects them instead of waiting for the referee.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from matchbox.errors import IllegalMove
from matchbox.games.creatures import steps
from matchbox.games.creatures.board import GameControl
from matchbox.games.creatures.card import TAPPED, Card
from matchbox.games.creatures.codec import (
    BLOCK,
    TURN,
    brief_of,
    read,
    read_ask,
    read_attacker,
    read_next,
)
from matchbox.games.creatures.idle import IdleBoard
from matchbox.games.creatures.kinds import (
    ACTIONS,
    FACE_DOWN,
    LAND_CARD,
    NAMES,
    NUMBERS,
    TOO_MANY,
)
from matchbox.games.creatures.layout import ATTACKING, Layout
from matchbox.games.creatures.memory import NOW
from matchbox.games.creatures.row import (
    ATTACK_MOVE,
    LAND_MOVE,
    NO_MOVES,
    SUMMON_MOVE,
    TAP_MOVE,
    Row,
)
from matchbox.games.creatures.state import Side

if TYPE_CHECKING:
    from matchbox.games.creatures.player import Player

Ask = Callable[[Any], Any]


class SeatDriver:
    """The boards of both sides as one player sees them, and the actions it may take now.

    The driver, its boards and the opponent refer to the player during a decision only. The player
    refers to the driver. If both always referred to each other, only the garbage collector would
    free a bout.
    """

    __slots__ = (
        "_answer", "_ask", "_keeps", "_last_ask", "_left", "_mine", "_opponent", "_other_layout",
        "_own_layout", "_player", "_row", "_theirs", "_tried", "other", "own",
    )  # fmt: skip

    def __init__(self, opponent: Player) -> None:
        self._mine, self._theirs = Side.__new__(Side), Side.__new__(Side)  # A brief will fill them.
        self.own = GameControl(self, self._mine)
        self.other = IdleBoard(self._theirs)
        self._own_layout: Layout = self.own._layout
        self._other_layout: Layout = self.other._layout
        self._player: Any = None
        self._opponent = opponent
        opponent.board = self.other
        self._last_ask = -1
        """The last question to the seat, as in codec.ASKS; -1 before the first one."""
        self._ask: Ask | None = None
        self._keeps = False
        """Whether moves may be kept back."""
        self._row = NO_MOVES
        """The moves of this turn that the referee does not know yet."""
        self._left = 0
        """How many actions the player may still try in this turn; 0 outside a turn."""
        self._tried = 0
        """How many actions it has tried outside a turn since it was asked."""
        self._answer: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy of a player or of a board is in no duel, so that it has no driver."""
        return type(None), ()

    # --- A turn ------------------------------------------------------------------------------

    def turn(self, player: Player, brief: bytes, ask: Ask, keep: bool) -> Any:
        """Lets the player make its turn; returns the last moves of it, or the last move.

        `keep` allows the driver to hand over several moves at a time.
        """
        try:
            self._begin_turn(player, brief)
            self._ask = ask
            self._keeps = keep
            self._left = ACTIONS
            while player.turn_prompt():
                player.count_action()
        except BaseException:
            if self._row is not NO_MOVES:
                self._make_kept()
            raise
        finally:
            self._left = 0
            self._ask = self._player = self.own._driver = self._opponent.opponent = None
        row = self._row
        self._row = NO_MOVES
        return row.whole

    def count(self) -> None:
        """Counts one action that the player tries. Raises IllegalMove if it is one too many."""
        if self._left:
            self._left -= 1
        else:
            self._try_elsewhere()

    def _try_elsewhere(self) -> bool:
        """Counts an action outside a turn, or after its end; it has no effect."""
        if self._ask is not None:
            self._row = Row((*self._row.moves, TOO_MANY))
            self._make_kept()
        elif self._tried < ACTIONS:
            self._tried += 1
            return False
        raise IllegalMove(TOO_MANY)

    def play_land(self) -> bool:
        """Plays a land. Like the methods below, does nothing and returns False if impossible."""
        left = self._left
        if not left:
            return self._try_elsewhere()
        self._left = left - 1
        mine = self._mine
        place = steps.play_land(mine)
        if place < 0:
            return False
        board, layout = self.own, self._own_layout
        if not layout.is_untouched(board):
            layout.show(board, place)
        else:
            del board.hand[place]
            card = layout.held.pop(place)
            layout.lands.append(card)
            if layout.is_all_laid:
                board.lands.append(card)
            if card._marks:
                layout.show_tapped(mine.tapped)
            board.playedland, board.mana.amount = True, mine.mana
        return self._made(LAND_MOVE)

    def tap_all(self) -> bool:
        """Taps all lands that are untapped."""
        left = self._left
        if not left:
            return self._try_elsewhere()
        self._left = left - 1
        mine = self._mine
        return self._tap(mine.lands - mine.tapped)

    def tap_one(self, land: object) -> bool:
        """Taps that land."""
        self.count()
        mine = next((card for card in self.own.lands if card is land), None)
        if (
            self._ask is None
            or mine is None
            or mine.tapped
            or self._mine.tapped == self._mine.lands
        ):
            return False
        mine.tapped = True
        return self._tap(1)

    def _tap(self, lands: int) -> bool:
        mine = self._mine
        if not steps.tap(mine, lands):
            return False
        board, layout = self.own, self._own_layout
        if not layout.is_untouched(board):
            layout.show(board)
        else:
            if mine.tapped < mine.lands:
                layout.show_tapped(mine.tapped)
            else:
                for land in layout.lands:
                    land._marks = TAPPED
            board.playedland, board.mana.amount = mine.played, mine.mana
        return self._made(TAP_MOVE + lands)

    def summon(self, name: object) -> bool:
        """Summons the first creature of that name, or of that card's, in the hand."""
        left = self._left
        if not left:
            return self._try_elsewhere()
        self._left = left - 1
        name = name.name if isinstance(name, Card) else name
        number = NUMBERS.get(name, FACE_DOWN) if isinstance(name, str) else FACE_DOWN
        if number <= LAND_CARD:
            return False
        mine = self._mine
        place = steps.summon(mine, number)
        if place < 0:
            return False
        board, layout = self.own, self._own_layout
        if not layout.is_untouched(board):
            layout.show(board, place)
        else:
            del board.hand[place]
            card = layout.held.pop(place)
            card._marks = 0
            board.field.append(card)
            layout.creatures.append(card)
            layout.numbers.append(mine.numbers[-1])
            board.playedland, board.mana.amount = mine.played, mine.mana
        return self._made(SUMMON_MOVE + number)

    def attack(self, creature: object) -> bool:
        """Attacks with that creature, or the first untapped one of that name."""
        left = self._left
        if not left:
            return self._try_elsewhere()
        self._left = left - 1
        place = self._ready(creature)
        if place < 0:
            return False
        mine, theirs, layout = self._mine, self._theirs, self._own_layout
        move = ATTACK_MOVE + mine.numbers[place]
        # Actions after the winning attack do not count.
        if not (steps.attack(mine, theirs, place) and (self._keeps or theirs.life > 0)):
            self._row = self._row.then(move)
            self._hand_over()
            return True
        board = self.own
        if not layout.is_untouched(board):
            layout.show(board)
        else:
            layout.creatures[place]._marks = ATTACKING
            board.playedland, board.mana.amount = mine.played, mine.mana
        if self._other_layout.is_laid:
            self._other_layout.show(self.other)
        return self._made(move)

    def _made(self, move: int) -> bool:
        """Adds a move whose effect is certain and already shown to the moves kept back."""
        row = self._row
        self._row = row._longer.get(move) or row._grown(move)
        if not self._keeps:
            self._hand_over()
        player, opponent = self._player, self._opponent
        player.life = self._mine.life
        opponent.life = self._theirs.life
        player.board = self.own
        player.opponent = opponent
        return True

    def _hand_over(self) -> None:
        """Makes the moves that were kept back, and shows their effect."""
        NOW.memory = None
        seen = self._make_kept()
        self._see(seen if type(seen) is bytes else brief_of(seen))
        self._own_layout.show(self.own)
        self._other_layout.show(self.other)
        self._show_lives()

    def _make_kept(self) -> Any:
        """Sends the referee the moves that were kept back; returns the view or brief after them.

        Keeps no moves back meanwhile, so that a call from another duel raises an error.
        """
        assert self._ask is not None
        moves = self._row.moves
        self._row = NO_MOVES
        keeps, self._keeps = self._keeps, False
        seen = self._ask(moves[0] if len(moves) == 1 else moves)
        self._keeps = keeps
        return seen

    # --- An attack ---------------------------------------------------------------------------

    def attacked(self, player: Player, brief: bytes) -> Any:
        """Lets the player answer an attack; returns ["block", creature] or "pass"."""
        try:
            self._begin_block(player, brief)
            self._answer = None
            creatures = self._other_layout.laid(self.other)
            player.will_block(creatures[self._theirs.numbers.index(read_attacker(brief))])
        finally:
            if self._ask is None:  # Not if the player answers its own attack, in its own turn.
                self._player = self.own._driver = self._opponent.opponent = None
        return self._answer or "pass"

    def block(self, blocker: object) -> bool:
        """Blocks with that card; returns False if it cannot, or if the attack is settled."""
        self.count()
        if self._last_ask != BLOCK or self._answer is not None:
            return False
        place = self._ready(blocker)
        if place < 0:
            return False
        self._answer = ["block", self._mine.numbers[place]]
        return True

    def let_through(self) -> None:
        """Settles the attack without a block, if it is not settled yet."""
        self.count()
        if self._last_ask == BLOCK and self._answer is None:
            self._answer = "pass"

    def _ready(self, creature: object) -> int:
        """The place of the player's own untapped creature: this card, or the first of that name."""
        side = self._mine
        if isinstance(creature, Card):
            for place, card in enumerate(self._own_layout.creatures):
                if card is creature:
                    return steps.NOWHERE if side.marks[place] else place
            return steps.NOWHERE
        for place, kind in enumerate(side.kinds):
            if not side.marks[place] and creature == NAMES[kind]:
                return place
        return steps.NOWHERE

    # --- Views -------------------------------------------------------------------------------

    # A board whose side has not changed stays as the player has left it. In a turn its own side
    # has changed, by a drawn card; in an attack the other side has, by the attacker's mark.

    def _begin_turn(self, player: Player, brief: bytes) -> None:
        """Shows a position in which the player has its turn."""
        mine, theirs, opponent, board = self._mine, self._theirs, self._opponent, self.own
        other = self._other_layout
        self._player = opponent.opponent = player
        board._driver = self
        is_laid = other.is_laid
        before = theirs.facts() if is_laid and self._last_ask >= 0 else None
        if self._last_ask == TURN and read_next(brief, mine, theirs):
            if is_laid:
                other.update(brief)
            else:
                other.brief = brief
            NOW.memory = player.memory
            self._own_layout.show_turn(board)
        else:
            self._see(brief)
            self._own_layout.show(board)
        if is_laid and before != theirs.facts():
            other.show(self.other)
        player.life, opponent.life = mine.life, theirs.life
        player.board, player.opponent = board, opponent

    def _begin_block(self, player: Player, brief: bytes) -> None:
        """Shows a position in which the player is attacked."""
        self._tried = 0
        if self._ask is not None:
            self._left = ACTIONS
        self._player = self._opponent.opponent = player
        self.own._driver = self
        before = self._mine.facts() if self._last_ask >= 0 else None
        self._see(brief)
        if before != self._mine.facts():
            self._own_layout.show(self.own)
        self._other_layout.show(self.other)
        self._show_lives()

    def _see(self, brief: bytes) -> None:
        self._last_ask = read_ask(brief)
        read(brief, self._mine, self._theirs)
        self._other_layout.update(brief)
        NOW.memory = self._player.memory

    def _show_lives(self) -> None:
        player, opponent = self._player, self._opponent
        player.life, opponent.life = self._mine.life, self._theirs.life
        player.board, player.opponent = self.own, opponent
