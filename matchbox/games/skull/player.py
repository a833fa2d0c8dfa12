"""The seat's side of Skull: a view becomes a `GameState`, and an agent's answer a plain move.

Knows the seat's view and the document's names; does not know the rules of points and rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

from matchbox.errors import IllegalMove
from matchbox.games.skull import codec, moves, story
from matchbox.games.skull.agent import Agent
from matchbox.games.skull.charts import Chart, Move, Seen
from matchbox.games.skull.moves import (
    BETTING,
    CHOICE,
    DOCUMENT,
    LOSE,
    PASSED_BYTE,
    PLACING,
    START,
)
from matchbox.games.skull.skullboard import MOVES, Board, GameState
from matchbox.games.skull.skulltypes import Card, GamePhase, Player
from matchbox.match.fault_text import value_text

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
_KNOWN: Final = {id(move): text for text, move in MOVES.items()}
"""The texts of the moves that legal_moves() returns, by identity, so that they need no check."""
_SEATS: Final[tuple[Player, ...]] = tuple(Player)
_KINDS: Final[tuple[Card, ...]] = tuple(Card)
_BETS: Final = [MOVES.get(text, MOVES[moves.PASS]) for text in moves.BETS]
"""The moves of the document by bid; nobody bids 0."""
_PLACES: Final = [
    [[MOVES[text] for text in moves.placing(*both, True, table)] for table in range(len(_BETS))]
    for both in ((0, 0), (0, 1), (1, 0), (1, 1))
]
"""The cards to place and the bids up to a number. The first index is 2 if the hand has a skull,
plus 1 if it has a rose."""
_CHOICES: Final = [MOVES[text] for text in moves.CHOICES]

_blank: Final = object.__new__
"""Makes a GameView without calling its constructor."""
_PASS: Final = MOVES[moves.PASS]
_PHASES: Final = (GamePhase.placing, GamePhase.betting, *[GamePhase.choice] * 4)
"""The document's phases, by our phase. Decisions after a challenge count as part of the choice
phase."""
_TURNED: Final = {
    start + seat: (seat, card)
    for start, card in ((story.SKULL, Card.skull), (story.ROSE, Card.rose))
    for seat in range(moves.MAX_SEATS)
}
"""The events of a card turned over: the seat and the kind."""


def answer(player: Agent, view: dict[str, Any], ask: Callable[[Any], Any]) -> str:
    """The player's move for this view. Raises IllegalMove if the answer is not a move."""
    return answer_brief(player, brief_of(view), ask)


def answer_brief(player: Agent, brief: bytes, ask: Callable[[Any], Any]) -> str:
    """The same as `answer`, for a brief as `brief_of` writes it."""
    phase = codec.read_phase(brief)
    view = _blank(GameView)
    view._brief = brief
    if phase == LOSE:
        return _loss(player.lose_card(view))
    if phase == START:
        return _starter(player.name_starter(view))
    chosen = player.select_move(view)
    known = _KNOWN.get(id(chosen))
    return _move(chosen) if known is None else known


def brief_of(view: dict[str, Any]) -> bytes:
    """A seat's view in bytes; see codec.py."""
    cards, bids = view["cards"], view["bids"]
    said = [PASSED_BYTE if bid == moves.PASSED_IN_VIEW else bid for bid in bids]
    lost, pile = (bytes(map(moves.KINDS.index, view[name])) for name in ("lost", "pile"))
    return codec.write(
        phase=moves.PHASES.index(view["phase"]),
        variant=moves.VARIANTS.index(view["variant"]),
        seats=len(cards),
        mover=view["mover"],
        starter=view["starter"],
        inside=len(cards) - cards.count(0),
        points=_row(view["points"]),
        cards=_row(cards),
        pile_sizes=_row(view["piles"]),
        bids=_row(said),
        table=sum(view["piles"]),
        top=max(0, *bids),
        skulls=view["hand"]["skull"],
        roses=view["hand"]["rose"],
        me=view["me"],
        lost=lost,
        pile=pile,
        story=story.encode_story(view["rounds"], view["log"]),
    )


def _row(numbers: list[int]) -> bytes:
    """The numbers, with a place for every seat of the largest table."""
    return bytes(numbers).ljust(moves.MAX_SEATS, b"\0")


def report(player: Agent) -> object:
    """The agent's report on its last move."""
    return player.diagnostics()


class GameView(GameState):
    """A position as one player sees it: the other hands and all cards face down are None."""

    def __init__(self, view: dict[str, Any] | bytes) -> None:
        """The position in a view or in its brief."""
        self._brief = brief_of(view) if isinstance(view, dict) else view

    @cached_property
    def players(self) -> tuple[Player, ...]:  # type: ignore[override]
        """The players that still own a card, in the order of their seats."""
        cards = codec.read_cards(self._brief)
        return tuple(_SEATS[seat] for seat, owned in enumerate(cards) if owned)

    @property
    def me(self) -> Player:
        """The player who sees this view."""
        return _SEATS[codec.read_me(self._brief)]

    @property
    def starter(self) -> Player:
        """The player that began this round."""
        return _SEATS[codec.read_starter(self._brief)]

    @property
    def points(self) -> dict[Player, int]:
        """The points of all players of the game."""
        return dict(zip(_SEATS, codec.read_points(self._brief), strict=False))

    @property
    def cards(self) -> dict[Player, int]:
        """How many cards each of them owns, in all places."""
        return dict(zip(_SEATS, codec.read_cards(self._brief), strict=False))

    @property
    def lost(self) -> list[Card]:
        """The kinds of your lost cards, oldest first."""
        return [_KINDS[kind] for kind in codec.read_lost(self._brief)]

    @property
    def log(self) -> tuple[str, ...]:
        """The events of this round, one short text each."""
        return tuple(story.event_texts(self._round()))

    @property
    def rounds(self) -> tuple[tuple[str, ...], ...]:
        """The events of earlier rounds, each as in `log`."""
        earlier = story.round_texts(codec.read_story(self._brief))
        return tuple(tuple(events.split(", ")) for events in earlier)

    @cached_property
    def _index(self) -> int:  # type: ignore[override]
        mover = _SEATS[codec.read_mover(self._brief)]
        return self.players.index(mover) if mover in self.players else 0

    @cached_property
    def board(self) -> Board:  # type: ignore[override]
        """The board, with None for every hidden card."""
        board = self._empty_board(self.players)
        board.turned = [(_SEATS[seat], kind) for seat, kind in self._turned()]
        board.chosen_cards = len(board.turned)
        board.last_chosen = board.turned[-1][1] if board.turned else None
        board._bets = {
            _SEATS[seat]: moves.PASSED_IN_VIEW if bid == PASSED_BYTE else bid
            for seat, bid in enumerate(codec.read_bids(self._brief))
            if bid
        }
        board.players_bet = set(board._bets)
        board.phase = _PHASES[codec.read_phase(self._brief)]
        if board._bets:
            board.top_bet = max(board._bets.items(), key=itemgetter(1))
        board._table._chart = {player: self._pile(player) for player in self.players}
        board._hands._chart = {player: self._hand(player) for player in self.players}
        return board

    def _empty_board(self, players: tuple[Player, ...]) -> Board:
        board = Board(players, codec.read_variant(self._brief) == DOCUMENT)
        board._hands = Chart(False, False, players)
        return board

    def _turned(self) -> list[tuple[int, Card]]:
        """The cards turned over in this round, as (seat, kind)."""
        return [_TURNED[byte] for byte in self._round() if byte in _TURNED]

    def _round(self) -> bytes:
        """The events of this round."""
        return story.this_round(codec.read_story(self._brief))

    def _pile(self, player: Player) -> list[Seen]:
        if player is self.me:
            return [_KINDS[kind] for kind in codec.read_pile(self._brief)]
        return [None] * codec.read_pile_sizes(self._brief)[player.value]

    def _hand(self, player: Player) -> list[Seen]:
        brief = self._brief
        if player is self.me:
            skulls, roses = codec.read_hand(brief)
            return [*[Card.skull] * skulls, *[Card.rose] * roses]
        seat = player.value
        turned = sum(owner == seat for owner, _ in self._turned())
        placed = codec.read_pile_sizes(brief)[seat] + turned
        return [None] * (codec.read_cards(brief)[seat] - placed)

    @cached_property
    def _past(self) -> GameState:
        """This position with all positions of the round before it, as this player saw them."""
        state = self._first()
        own = iter(self._own_cards())
        for event in self.log:
            state = _replayed(state, event, self.me, own)
        return state

    @property
    def previous_state(self) -> GameState | None:  # type: ignore[override]
        """The position before the last move, as this player saw it; None if a round begins."""
        return self._past.previous_state

    @property
    def last_move(self) -> Move | None:  # type: ignore[override]
        """The last move of this round; another player's placed card is hidden."""
        return self._past.last_move

    def _first(self) -> GameState:
        """The round's first position: all cards in hand, also those of a player put out in it."""
        brief = self._brief
        out = _SEATS[codec.read_mover(brief)] if codec.read_phase(brief) == START else None
        players = tuple(one for one in _SEATS if one in self.players or one is out)
        board = self._empty_board(players)
        for player in players:
            hidden: list[Seen] = [None] * (1 if player is out else self.cards[player])
            board._hands._chart[player] = self._owned() if player is self.me else hidden
        return GameState(board, players, None, None, players.index(self.starter))

    def _owned(self) -> list[Seen]:
        """Your own cards, in all places."""
        return [*self._hand(self.me), *self._own_cards()]

    def _own_cards(self) -> list[Card]:
        """Your own cards that were placed in this round, in order."""
        me = codec.read_me(self._brief)
        turned = [kind for seat, kind in self._turned() if seat == me]
        return [*(_KINDS[kind] for kind in codec.read_pile(self._brief)), *reversed(turned)]

    def legal_moves(self) -> list[Move]:
        """All legal moves: places (skull, rose), bids ascending, pass, choices."""
        legal = _legal(self._brief)
        return super().legal_moves() if legal is None else legal

    def is_over(self) -> bool:
        """True if the challenge is over; never true when a move is asked for."""
        return codec.read_own_phase(self._brief) > CHOICE and super().is_over()


def _legal(brief: bytes) -> list[Move] | None:
    """The legal moves of the brief's owner; None if it has no move to make."""
    phase = codec.read_own_phase(brief)
    if phase == PLACING:
        skulls, roses, table, inside = codec.read_placing(brief)
        held = 2 * (skulls > 0) + (roses > 0)
        return _PLACES[held][table if table >= inside else 0].copy()
    if phase == BETTING:
        top, table = codec.read_betting(brief)
        return [*_BETS[top + 1 : table + 1], _PASS]
    if phase == CHOICE:
        me, piles = codec.read_me(brief), codec.read_pile_sizes(brief)
        return [_CHOICES[seat] for seat, size in enumerate(piles) if size and seat != me]
    return None


def _replayed(state: GameState, event: str, me: Player, own: Any) -> GameState:
    """The position after an event of the log; cards are visible only once they are turned over."""
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
        board.place_bet(player, int(rest[0]) if rest else moves.PASSED_IN_VIEW)
        return state._followed_by(board, MOVES[" ".join([what, *rest])])
    if what == "choose":
        board.choose_card(player, Player(int(rest[0])))
        return state._followed_by(board, MOVES[f"choose {rest[0]}"])
    return state


def _reveal(board: Board, player: Player, card: Card) -> None:
    """Turns the player's first hidden card that was turned over into this card."""
    if (player, None) in board.turned:
        board.turned[board.turned.index((player, None))] = (player, card)
        board.last_chosen = board.turned[-1][1]


# --- Answers ---------------------------------------------------------------------------------


def _move(chosen: object) -> str:
    if type(chosen) is Move:
        try:
            return _TEXTS[chosen]
        except (KeyError, TypeError):
            raise IllegalMove(
                f"select_move() returned {_named(chosen)}, a move that there is not in Skull; "
                "return one of legal_moves()"
            ) from None
    raise IllegalMove(f"select_move() returned {value_text(chosen)}; return one of legal_moves()")


def _named(move: Move) -> str:
    """The move as its author wrote it; runs none of the player's code."""
    given = (("place", move.place), ("bet", move.bet), ("choice", move.choice))
    parts = [f"{name}={value_text(value)}" for name, value in given if value is not None]
    return f"Move({', '.join(parts)})"


def _loss(card: object) -> str:
    if card is None:
        return moves.LOSE_ANY
    if type(card) is Card:
        return f"lose {card.name}"
    raise IllegalMove(f"lose_card() returned {value_text(card)}; return a Card, or None for any")


def _starter(player: object) -> str:
    if player is None:
        return moves.START_ANY
    if type(player) is Player:
        return moves.STARTS[player.value]
    raise IllegalMove(
        f"name_starter() returned {value_text(player)}; return a Player, or None for any"
    )
