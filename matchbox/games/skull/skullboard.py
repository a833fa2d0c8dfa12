"""The document's `skullboard`: the engine of one challenge, whole or as one player sees it.

Knows the rules of one challenge; knows no points and no other rounds. In one player's view a hidden
card stays hidden: turning it over shows nothing, so it is unknown whether the challenge has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from matchbox.games.skull import moves
from matchbox.games.skull.charts import Chart, Move, Seen
from matchbox.games.skull.skulltypes import Card, GamePhase, Player

__all__ = ["Board", "Card", "Chart", "GamePhase", "GameState", "Move", "Player"]

MOVES = {
    **{text: Move(place=Card[kind]) for text, kind in zip(moves.PLACES, moves.KINDS, strict=True)},
    **{text: Move(bet=number) for number, text in enumerate(moves.BETS) if number},
    **{text: Move(choice=Player(seat)) for seat, text in enumerate(moves.CHOICES)},
    moves.PASS: Move.pass_bet(),
}
"""The document's moves by their text."""


class Board:
    """Hands, table and bids of one challenge.

    Attributes:
        phase: a GamePhase.
        players_bet: the set of the players that have bid or passed.
        top_bet: the highest bidder and its bid; (None, -1) before there is one.
        chosen_cards: how many cards have been turned over.
        last_chosen: the card turned over last; None before that, and if it is hidden.
        turned: the cards turned over, as (player, card), in order.
        everybody_speaks_once: whether each player bids or passes only once, as in the document's
            own engine.
    """

    def __init__(self, players: Iterable[Player], everybody_speaks_once: bool = False) -> None:
        self.players = tuple(players)
        self.everybody_speaks_once = everybody_speaks_once
        self._table = Chart(True, False, self.players)
        self._hands = Chart(False, True, self.players)
        self._bets: dict[Player, int] = {}
        self.players_bet: set[Player] = set()
        self.phase = GamePhase.placing
        self.top_bet: tuple[Player | None, int] = (None, -1)
        self.chosen_cards = 0
        self.last_chosen: Seen = None
        self.turned: list[tuple[Player, Seen]] = []

    @property
    def bids(self) -> dict[Player, int]:
        """A copy of the last bid of each player that has bid or passed in this round; -1 is a
        pass."""
        return dict(self._bets)

    def get_table(self) -> Chart:
        """A copy of the chart of cards that lie face down."""
        return self._table.copy()

    def get_hand(self, player: Player) -> list[Seen]:
        """The cards in the player's hand; None for each hidden card."""
        return self._hands.get_player(player)

    def has_card(self, player: Player, card: Card) -> bool:
        """True if the card is in the player's hand. Raises ValueError if the hand is hidden."""
        return self._hands.has_card(player, card)

    def place_card(self, player: Player, card: Card) -> None:
        """Moves a card from the hand to the pile. Raises ValueError if the hand lacks it."""
        self._table.add(player, self._hands.remove(player, card))

    def place_bet(self, player: Player, bet: int) -> None:
        """Makes a bid, or passes with -1; the last one opens the choice phase."""
        self.phase = GamePhase.betting
        self.players_bet.add(player)
        self._bets[player] = bet
        if bet != moves.PASSED_IN_VIEW:
            self.top_bet = (player, bet)
        if self.bidding_is_over():
            self.phase = GamePhase.choice
            if not self.everybody_speaks_once:
                self._turn_own_pile()

    def choose_card(self, start_player: Player, dest_player: Player) -> Seen:
        """Turns over the top card of that pile; returns it, or None if it is hidden.

        Raises ValueError if there is no card, or if somebody else is the challenger.
        """
        if start_player != self.top_bet[0]:
            raise ValueError(f"{start_player} is not the challenger")
        self.last_chosen = self._table.remove(dest_player)
        self.turned.append((dest_player, self.last_chosen))
        self.chosen_cards += 1
        return self.last_chosen

    def all_cards_chosen(self) -> bool:
        """True if as many cards have been turned over as were bid."""
        return 0 < self.top_bet[1] <= self.chosen_cards

    def bidding_is_over(self) -> bool:
        """True if nobody may bid any more, or if all cards on the table were bid."""
        return not self.may_speak() or self.top_bet[1] == self._table.get_total_cards()

    def may_speak(self) -> list[Player]:
        """The players that may still bid in this round."""
        if self.everybody_speaks_once:
            return [player for player in self.players if player not in self._bets]
        others = [player for player in self.players if player != self.top_bet[0]]
        return [player for player in others if self._bets.get(player) != moves.PASSED_IN_VIEW]

    def skull_is_turned(self) -> bool:
        """True if the challenge has failed."""
        return self.last_chosen is Card.skull

    def copy(self) -> Board:
        """A separate board in the same position."""
        other = Board.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._table, other._hands = self._table.copy(), self._hands.copy()
        other._bets, other.turned = dict(self._bets), list(self.turned)
        other.players_bet = set(self.players_bet)
        return other

    def _turn_own_pile(self) -> None:
        challenger, bid = self.top_bet
        assert challenger is not None
        while self._table.get_player_cards(challenger) and self.chosen_cards < bid:
            if self.choose_card(challenger, challenger) is Card.skull:
                return

    def _value(self) -> tuple[object, ...]:
        return (
            self.players, self.everybody_speaks_once, self._table, self._hands,
            tuple(sorted((player.value, bet) for player, bet in self._bets.items())),
            self.phase, frozenset(self.players_bet), self.top_bet, self.chosen_cards,
            tuple(self.turned),
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return self._value() == other._value() if isinstance(other, Board) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._value())

    def __str__(self) -> str:
        player, bid = self.top_bet
        bids = f"highest bid {bid} by {player}" if player else "no bid yet"
        return f"{self.phase.name}, {bids}\non the table:\n{self._table}\nin hand:\n{self._hands}"


class GameState:
    """A position of one challenge; a move makes a new one.

    Attributes:
        board: the Board.
        players: the players, in the order of their seats.
        previous_state: the position before the last move, None at the first.
        last_move: the Move that led here, None at the first.
    """

    board: Board
    players: tuple[Player, ...]
    previous_state: GameState | None
    last_move: Move | None

    def __init__(
        self,
        board: Board,
        players: Sequence[Player],
        previous: GameState | None,
        move: Move | None,
        index: int = 0,
    ) -> None:
        """`index` is the place of the mover in `players`."""
        self.board = board
        self.players = tuple(players)
        self.previous_state = previous
        self.last_move = move
        self._index = index

    @classmethod
    def new_game(cls, bots: Mapping[Player, Any] | Iterable[Any]) -> GameState:
        """The first position for these bots by player, or for that many bots in a row."""
        players = [
            bot if isinstance(bot, Player) else Player(seat) for seat, bot in enumerate(bots)
        ]
        return cls(Board(players), players, None, None)

    def get_cur_player(self) -> Player:
        """The player to move."""
        return self.players[self._index]

    def get_next_player(self) -> Player:
        """The player to move next; the challenger stays. Players that have passed are skipped."""
        if self.board.phase is GamePhase.choice:
            return self.get_cur_player()
        may = self.players if self.board.phase is GamePhase.placing else self.board.may_speak()
        ring = self.players[self._index + 1 :] + self.players[: self._index + 1]
        return next((player for player in ring if player in may), self.get_cur_player())

    def legal_moves(self) -> list[Move]:
        """All legal moves: places (skull, rose), bids ascending, pass, choices.

        Empty if the challenge is over. A hidden hand may hold either card.
        """
        return [] if self.is_over() else [MOVES[text] for text in self._legal_texts()]

    def is_valid_move(self, move: Move) -> bool:
        """True if the move is among `legal_moves()`."""
        return move in self.legal_moves()

    def is_over(self) -> bool:
        """True if a skull was turned over, or as many cards as were bid."""
        board = self.board
        if board.phase is not GamePhase.choice:
            return False
        if board.everybody_speaks_once:
            last = board.turned[-1][0] if board.turned else None
            emptied = last is not None and not board.get_table().get_player_cards(last)
            return board.skull_is_turned() or emptied
        return board.skull_is_turned() or board.all_cards_chosen()

    def apply_move(self, move: Move) -> GameState:
        """The position after the move. Raises ValueError if the move is not legal."""
        if not self.is_valid_move(move):
            raise ValueError(f"{move} is not possible for {self.get_cur_player()} now")
        board, player = self.board.copy(), self.get_cur_player()
        if move.place is not None:
            board.place_card(player, move.place)
        elif move.choice is not None:
            board.choose_card(player, move.choice)
        else:
            board.place_bet(player, moves.PASSED_IN_VIEW if move.bet is None else move.bet)
        return self._followed_by(board, move)

    def _followed_by(self, board: Board, move: Move) -> GameState:
        """The position with that board, and the right player to move."""
        after = GameState(board, self.players, self, move, self._index)
        next_one = board.top_bet[0] if board.phase is GamePhase.choice else after.get_next_player()
        assert next_one is not None
        after._index = self.players.index(next_one)
        return after

    def _legal_texts(self) -> list[str]:
        board, player = self.board, self.get_cur_player()
        table = board.get_table()
        if board.phase is GamePhase.placing:
            hand, size = board.get_hand(player), table.get_total_cards()
            skulls, roses = (hand.count(kind) + hand.count(None) for kind in Card)
            return moves.placing(skulls, roses, size >= len(self.players), size)
        if board.phase is GamePhase.betting:
            return moves.betting(board.top_bet[1], table.get_total_cards())
        piles = {player.value: table.get_player_cards(player) for player in self.players}
        sizes = [piles.get(seat, 0) for seat in range(moves.MAX_SEATS)]
        return moves.choosing(sizes, player.value)

    def __str__(self) -> str:
        return f"{self.get_cur_player()} to move, {self.board}"
