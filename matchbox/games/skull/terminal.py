"""Skull at the terminal: a game in this process, and a human's prompts. Never in a box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from matchbox.errors import BadOption, FaultKind, IllegalMove
from matchbox.game import Options, check_seats, fill_options
from matchbox.games.skull.agent import Agent
from matchbox.games.skull.charts import Move
from matchbox.games.skull.event_text import sentence
from matchbox.games.skull.player import GameView, answer
from matchbox.games.skull.rules import GAME
from matchbox.games.skull.skulltypes import Card, Player
from matchbox.match.module_dice import MODULE_DICE
from matchbox.match.transcript import Transcript

_LETTERS: Final = {"s": Card.skull, "r": Card.rose}


def play_game(
    agents: Sequence[Agent], print_details: bool, raise_exceptions: bool, variant: str
) -> list[int]:
    """Plays one game; returns the place of each agent.

    Raises ValueError for an impossible number of agents or variant.
    """
    for agent in agents:
        assert isinstance(agent, Agent), f"{agent!r} is not an instance of Agent"
    try:
        check_seats(GAME.spec, len(agents))
        options = fill_options(GAME.spec, {"variant": variant})
    except BadOption as error:
        raise ValueError(str(error)) from None
    game = _TerminalGame(agents, print_details, options)
    while seats := GAME.to_move(game.state):
        try:
            game.step(seats[0])
        except IllegalMove as error:
            game.forfeit(seats[0], "illegal", str(error))
            if raise_exceptions:
                raise ValueError(str(error)) from None
        except Exception as error:
            game.forfeit(seats[0], "crash", repr(error))
            if raise_exceptions:
                raise
    return game.places()


class _TerminalGame:
    """One game in this process."""

    def __init__(self, agents: Sequence[Agent], print_details: bool, options: Options) -> None:
        self._agents = agents
        self._print_details = print_details
        self._transcript = Transcript([type(agent).__name__ for agent in agents])
        self._gone: list[int] = []
        self.state = GAME.start(len(agents), MODULE_DICE, options)

    def step(self, seat: int) -> None:
        """One decision of that seat. Raises IllegalMove, and the player's errors."""
        view: Any = GAME.view(self.state, seat)
        move = answer(self._agents[seat], view, lambda move: None)
        GAME.apply(self.state, seat, move, MODULE_DICE)
        if self._print_details:
            line = GAME.describe(move, GAME.view(self.state, None))
            self._show(self._transcript.moved(seat, line))
        self._show_end()

    def forfeit(self, seat: int, kind: FaultKind, detail: str) -> None:
        """Puts the seat out for its own fault; the others play on."""
        self._gone.append(seat)
        self._show(self._transcript.forfeited(seat, kind, detail))
        GAME.without(self.state, seat, MODULE_DICE)
        self._show_end()

    def places(self) -> list[int]:
        """The final places: players at fault come behind all others."""
        outcome = GAME.outcome(self.state)
        assert outcome is not None
        places = list(outcome.places)
        for number, seat in enumerate(self._gone):
            places[seat] = len(places) - number
        return places

    def _show_end(self) -> None:
        if GAME.outcome(self.state) is not None:
            self._show(self._transcript.ended(self.places()))

    def _show(self, lines: list[str]) -> None:
        if self._print_details:
            print("\n".join(lines))


# --- A human's prompts -----------------------------------------------------------------------


def show_events(view: GameView, shown: int, others: Mapping[int, str]) -> int:
    """Prints the new events and the table; returns the number of events shown so far.

    With the names of the others, the events have been shown already.
    """
    events = [event for round_ in (*view.rounds, view.log) for event in round_]
    for event in () if others else events[shown:]:
        print(f"- {sentence(event)}")
    print("\n".join(_table(view, others)))
    return len(events)


def _table(view: GameView, others: Mapping[int, str]) -> list[str]:
    """The table as this player sees it, one line per player."""
    board, lines = view.board, []
    for player in view.players:
        who = f"you ({player})" if player is view.me else _name(player, others)
        placed, held = board.get_table().get_player_cards(player), len(board.get_hand(player))
        bid = _bid(board.bids.get(player))
        lines.append(f"{who}: {_points(view.points[player])}, {placed} placed, {held} in hand{bid}")
    if view.me in view.players:
        lines.append(f"Your hand: {_in_words(board.get_hand(view.me))}.")
        lines.append(
            f"Your pile, the top last: {_in_words(board.get_table().get_player(view.me))}."
        )
    if view.lost:
        lines.append(f"You have lost: {_in_words(view.lost)}.")
    return lines


def ask_for_move(view: GameView, others: Mapping[int, str]) -> Move:
    """The human's move; asks until it is legal."""
    legal = view.legal_moves()
    while True:
        text = input(f"{_question(legal, others)}: ").strip().lower()
        move = _read(text, legal)
        if move in legal:
            return move
        print(f"{text!r} is not possible now.")


def ask_for_loss() -> Card:
    """The human's choice of the card to lose."""
    while True:
        text = input("Your own skull. Which card do you lose, a [s]kull or a [r]ose? ")
        card = _LETTERS.get(text.strip().lower()[:1])
        if card is not None:
            return card
        print("Type s or r.")


def ask_for_starter(view: GameView, others: Mapping[int, str]) -> Player:
    """The human's choice of the player that starts the next round."""
    seats = {str(player.value): player for player in view.players}
    names = " or ".join(_name(player, others) for player in view.players)
    while True:
        text = input(f"You are out. Who starts, {names}? Type the seat's number: ").strip()
        if text in seats:
            return seats[text]
        print(f"{text!r} is not one of these seats.")


def _name(player: Player, others: Mapping[int, str]) -> str:
    """The player's seat, with the name if it is known."""
    name = others.get(player.value)
    return f"{name} ({player})" if name else str(player)


def _read(text: str, legal: Sequence[Move]) -> Move | None:
    """The move for a human's input: a letter, or a number."""
    if text[:1] in _LETTERS:
        return Move(place=_LETTERS[text[:1]])
    if text[:1] == "p":
        return Move.pass_bet()
    bids = {str(move.bet): move for move in legal if move.bet is not None}
    choices = {str(move.choice.value): move for move in legal if move.choice is not None}
    return (bids | choices).get(text)


def _question(legal: Sequence[Move], others: Mapping[int, str]) -> str:
    bets = [move.bet for move in legal if move.bet is not None]
    parts = [f"[{move.place.name[0]}]{move.place.name[1:]}" for move in legal if move.place]
    if bets:
        parts.append("a bid " + (f"from {bets[0]} to {bets[-1]}" if bets[1:] else f"of {bets[0]}"))
    parts += ["[p]ass"] if Move.pass_bet() in legal else []
    if legal[0].choice is not None:
        seats = [_name(move.choice, others) for move in legal if move.choice is not None]
        return f"Whose card do you turn over, {' or '.join(seats)}? Type the seat's number"
    return f"Your move: {', '.join(parts)}"


def _bid(number: int | None) -> str:
    return "" if number is None else ", passed" if number < 0 else f", bid {number}"


def _points(number: int) -> str:
    return "1 point" if number == 1 else f"{number} points"


def _in_words(cards: Sequence[Card | None]) -> str:
    return ", ".join(card.name if card else "hidden" for card in cards) or "no cards"
