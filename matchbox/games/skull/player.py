"""The seat's side of Skull: a view becomes a `GameState`, and an agent's answer a plain move.

Knows what a seat is told and the document's names; does not know the rules of points and rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

from matchbox.errors import IllegalMove
from matchbox.games.skull import moves
from matchbox.games.skull.agent import Agent
from matchbox.games.skull.charts import Chart, Move, Seen
from matchbox.games.skull.skullboard import MOVES, Board, GameState
from matchbox.games.skull.skulltypes import Card, GamePhase, Player

BASE: Final = Agent
"""The class that authors subclass: the document's `Player` is something else."""

_HOME: Final = "matchbox.games.skull"
ALIASES: Final[dict[str, str]] = {
    f"{package}{name}": f"{_HOME}.{module}"
    for package in ("", "dlskull.")
    for name, module in {
        "skulltypes": "skulltypes",
        "skullboard": "skullboard",
        "agent": "agent",
        "agent.base": "agent",
    }.items()
} | {"dlskull": _HOME}
"""Module names of the source document that players import."""

_TEXTS: Final = {move: text for text, move in MOVES.items()}
_SEATS: Final[tuple[Player, ...]] = tuple(Player)


def answer(player: Agent, view: dict[str, Any], ask: Callable[[Any], Any]) -> str:
    """The player's move for this view. Raises IllegalMove for an answer that is no move."""
    state = GameView(view)
    if view["ask"] == "lose":
        return _loss(player.lose_card(state))
    if view["ask"] == "start":
        return _starter(player.name_starter(state))
    return _move(player.select_move(state))


def report(player: Agent) -> object:
    """What the agent reports on its last move."""
    return player.diagnostics()


class GameView(GameState):
    """A position as one player sees it: the other hands and all cards face down are None."""

    def __init__(self, view: dict[str, Any]) -> None:
        self._view = view

    @cached_property
    def players(self) -> tuple[Player, ...]:  # type: ignore[override]
        """Those who still own a card, in the order of their seats."""
        return tuple(_SEATS[seat] for seat, cards in enumerate(self._view["cards"]) if cards)

    @property
    def me(self) -> Player:
        """The player whose view it is."""
        me: int = self._view["me"]
        return _SEATS[me]

    @property
    def starter(self) -> Player:
        """Who began this round."""
        starter: int = self._view["starter"]
        return _SEATS[starter]

    @property
    def points(self) -> dict[Player, int]:
        """The points of all who began the game."""
        return {_SEATS[seat]: points for seat, points in enumerate(self._view["points"])}

    @property
    def cards(self) -> dict[Player, int]:
        """How many cards each of them owns, wherever they are."""
        return {_SEATS[seat]: cards for seat, cards in enumerate(self._view["cards"])}

    @property
    def lost(self) -> list[Card]:
        """The kinds of the own cards that were lost, oldest first."""
        return [Card(kind) for kind in self._view["lost"]]

    @property
    def log(self) -> tuple[str, ...]:
        """What happened in this round, a short text an event."""
        return _events(self._view["log"])

    @property
    def rounds(self) -> tuple[tuple[str, ...], ...]:
        """What happened in earlier rounds, the events of each as in `log`."""
        return tuple(map(_events, self._view["rounds"].splitlines()))

    @cached_property
    def _index(self) -> int:  # type: ignore[override]
        mover = _SEATS[self._view["mover"]]
        return self.players.index(mover) if mover in self.players else 0

    @cached_property
    def board(self) -> Board:  # type: ignore[override]
        """The board, with None for every hidden card."""
        view = self._view
        board = _empty_board(self.players, view)
        board.turned = [(_SEATS[seat], Card(kind)) for seat, kind in _turned(view)]
        board.chosen_cards = len(board.turned)
        board.last_chosen = board.turned[-1][1] if board.turned else None
        board._bets = {_SEATS[seat]: bid for seat, bid in enumerate(view["bids"]) if bid}
        board.players_bet = len(board._bets)
        board.phase = _phase(view["phase"])
        if board._bets:
            board.top_bet = max(board._bets.items(), key=itemgetter(1))
        for player in self.players:
            _fill(board._table, player, self._pile(player))
            _fill(board._hands, player, self._hand(player))
        return board

    def _pile(self, player: Player) -> list[Seen]:
        if player is self.me:
            return [Card(kind) for kind in self._view["pile"]]
        return [None] * self._view["piles"][player.value]

    def _hand(self, player: Player) -> list[Seen]:
        if player is self.me:
            held = self._view["hand"]
            return [Card(kind) for kind in moves.KINDS for _ in range(held[kind])]
        seat = player.value
        turned = sum(owner == seat for owner, _ in _turned(self._view))
        return [None] * (self._view["cards"][seat] - self._view["piles"][seat] - turned)

    @cached_property
    def _past(self) -> GameState:
        """This position as it came about from the first of the round, as this player saw it."""
        state = self._first()
        own = iter(self._own_cards())
        for event in self.log:
            state = _replayed(state, event, self.me, own)
        return state

    @property
    def previous_state(self) -> GameState | None:  # type: ignore[override]
        """The position before the last move, as this player saw it; None at the round's first."""
        return self._past.previous_state

    @property
    def last_move(self) -> Move | None:  # type: ignore[override]
        """The last move of this round; a card placed by another is hidden."""
        return self._past.last_move

    def _first(self) -> GameState:
        """The round's first position: all cards in hand."""
        board = _empty_board(self.players, self._view)
        for player in self.players:
            hidden: list[Seen] = [None] * self.cards[player]
            _fill(board._hands, player, self._owned() if player is self.me else hidden)
        return GameState(board, self.players, None, None, self.players.index(self.starter))

    def _owned(self) -> list[Seen]:
        """The own cards, wherever they are."""
        return [*self._hand(self.me), *self._own_cards()]

    def _own_cards(self) -> list[Card]:
        """The own cards placed in this round, in order."""
        turned = [kind for seat, kind in _turned(self._view) if seat == self.me.value]
        return [Card(kind) for kind in [*self._view["pile"], *reversed(turned)]]

    def _legal_texts(self) -> list[str]:
        """The legal moves, without a board."""
        view = self._view
        if view["ask"] != "move":
            return super()._legal_texts()
        table = sum(view["piles"])
        if view["phase"] == "placing":
            hand, ready = view["hand"], table >= len(view["cards"]) - view["cards"].count(0)
            return moves.placing(hand["skull"], hand["rose"], ready, table)
        if view["phase"] == "betting":
            return moves.betting(max(view["bids"]), table)
        return moves.choosing(view["piles"], view["me"])

    def legal_moves(self) -> list[Move]:
        """All that may be done now: places (skull, rose), bids rising, pass, choices."""
        if self._view["ask"] != "move":
            return super().legal_moves()
        return [MOVES[text] for text in self._legal_texts()]

    def is_over(self) -> bool:
        """True where the challenge is over; never when a move is asked for."""
        return self._view["ask"] != "move" and super().is_over()


def _empty_board(players: tuple[Player, ...], view: dict[str, Any]) -> Board:
    board = Board(players, view["variant"] == "document")
    board._hands = Chart(False, False, players)
    return board


def _fill(chart: Chart, player: Player, cards: list[Seen]) -> None:
    for card in cards:
        chart.add(player, card)


def _events(text: str) -> tuple[str, ...]:
    return tuple(text.split(", ")) if text else ()


def _turned(view: dict[str, Any]) -> list[tuple[int, str]]:
    """The cards turned over in this round: whose, and what they were."""
    events = [event.split() for event in _events(view["log"])]
    return [(int(event[0]), event[1]) for event in events if event[1] in moves.KINDS]


def _phase(name: str) -> GamePhase:
    """The document's phase; what is decided after a challenge belongs to the choice."""
    return GamePhase[name] if name in GamePhase.__members__ else GamePhase.choice


def _replayed(state: GameState, event: str, me: Player, own: Any) -> GameState:
    """The position after an event of the log; cards turned over are seen only then."""
    seat, what, *rest = event.split()
    player = Player(int(seat))
    if what in Card.__members__:
        _reveal(state.board, player, Card[what])
        return state
    board = state.board.copy()
    if what == "place" and player is me:
        card = next(own)
        board.place_card(player, card)
        return state._followed_by(board, Move(place=card))
    if what == "place":
        board._table.add(player, board._hands.remove(player))
        return state._followed_by(board, Move.hidden())
    if what in ("bet", "pass"):
        board.place_bet(player, int(rest[0]) if rest else moves.PASSED)
        return state._followed_by(board, MOVES[" ".join([what, *rest])])
    if what == "choose":
        board.choose_card(player, Player(int(rest[0])))
        return state._followed_by(board, MOVES[f"choose {rest[0]}"])
    return state


def _reveal(board: Board, player: Player, card: Card) -> None:
    """The first hidden card of that player that was turned over is seen."""
    if (player, None) in board.turned:
        board.turned[board.turned.index((player, None))] = (player, card)
        board.last_chosen = board.turned[-1][1]


# --- Answers ---------------------------------------------------------------------------------


def _move(chosen: object) -> str:
    if type(chosen) is Move:
        try:
            return _TEXTS[chosen]
        except (KeyError, TypeError):
            raise IllegalMove("select_move() returned a move that there is not in Skull") from None
    raise IllegalMove(f"select_move() returned {_named(chosen)}; return one of legal_moves()")


def _loss(card: object) -> str:
    if card is None:
        return moves.LOSE_ANY
    if type(card) is Card:
        return f"lose {card.value}"
    raise IllegalMove(f"lose_card() returned {_named(card)}; return a Card, or None for any")


def _starter(player: object) -> str:
    if player is None:
        return moves.START_ANY
    if type(player) is Player:
        return moves.STARTS[player.value]
    raise IllegalMove(f"name_starter() returned {_named(player)}; return a Player, or None for any")


def _named(thing: object) -> str:
    """What a player handed over, in a few words that none of its own code has a hand in."""
    if thing is None or type(thing) in (int, bool):
        return f"{thing!r:.40}"
    return f"something of type {type(thing).__name__:.40}"
