"""Bomb at the terminal: the notebook's `play_game`, and a human's prompts. Never in a box."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from matchbox.errors import IllegalMove
from matchbox.games.bomb.player import (
    Card,
    GameData,
    Player,
    answer,
    bottom_card,
    in_words,
    see_card,
    shuffle_card,
    skip_card,
)
from matchbox.games.bomb.rules import GAME
from matchbox.match.module_dice import MODULE_DICE
from matchbox.match.transcript import Transcript


def play_game(player0: Player, player1: Player, print_details: bool, raise_exceptions: bool) -> int:
    """Plays one game; returns the winner, 0 or 1."""
    for player in (player0, player1):
        assert isinstance(player, Player), f"{player!r} is not an instance of Player"
    game = _TerminalGame((player0, player1), print_details)
    if game.nameless is not None:
        loser, wrong = game.nameless
        game.forfeit(loser, wrong)
        if raise_exceptions:
            raise wrong
        return 1 - loser
    while seats := GAME.to_move(game.state):
        mover = seats[0]
        try:
            game.step(mover)
        except Exception as error:
            game.forfeit(mover, error)
            if raise_exceptions:
                raise
            return 1 - mover
    outcome = GAME.outcome(game.state)
    assert outcome is not None
    game.show(game.transcript.ended(outcome.places))
    return outcome.places.index(1)


class _TerminalGame:
    """One game in this process."""

    def __init__(self, players: tuple[Player, Player], print_details: bool) -> None:
        self.players = players
        self.fault: ValueError | None = None
        """The first move that the rules refused."""
        self._print_details = print_details
        self.nameless: tuple[int, Exception] | None = None
        """The first seat whose `name()` failed, and its error."""
        names = [self._name(seat) for seat in (0, 1)] if print_details else ["", ""]
        self.transcript = Transcript(names)
        self.state = GAME.start(2, MODULE_DICE, {})

    def step(self, seat: int) -> None:
        """Makes one decision of that seat, with all moves played during it."""
        self.show(self.transcript.turn(seat))
        view: Any = GAME.view(self.state, seat)
        try:
            move = answer(self.players[seat], view, self._within)
        except IllegalMove as error:
            raise self._refused(error) from None
        if self.fault is not None:
            raise self.fault
        self._apply(move)

    def forfeit(self, seat: int, error: Exception) -> None:
        """Ends the game by that seat's fault."""
        if self.fault is not None:
            self.show(self.transcript.forfeited(seat, "illegal", str(self.fault)))
        else:
            self.show(self.transcript.forfeited(seat, "crash", repr(error)))
        self.show(self.transcript.ended([2, 1] if seat == 0 else [1, 2]))

    def show(self, lines: list[str]) -> None:
        """Prints the lines if details are wanted."""
        if self._print_details:
            for line in lines:
                print(line)

    def _name(self, seat: int) -> str:
        """The player's name; that of its class if `name()` fails, which is a fault."""
        try:
            return self.players[seat].name()
        except Exception as error:  # noqa: BLE001 - Whatever the player raises is its fault.
            self.nameless = self.nameless or (seat, error)
            return type(self.players[seat]).__name__

    def _within(self, move: Any) -> Any:
        """Makes a move during a turn; returns the view after it."""
        self._apply(move)
        return GAME.view(self.state, GAME.to_move(self.state)[0])

    def _apply(self, move: Any) -> None:
        seat = GAME.to_move(self.state)[0]
        try:
            GAME.apply(self.state, seat, move, MODULE_DICE)
        except IllegalMove as error:
            raise self._refused(error) from None
        if self._print_details:
            line = GAME.describe(move, GAME.view(self.state, None))
            self.show(self.transcript.moved(seat, line))

    def _refused(self, error: IllegalMove) -> ValueError:
        """Returns the error that the notebook's engine raises for the fault: the first one, even if
        the player caught it."""
        if self.fault is None:
            self.fault = ValueError(str(error))
        return self.fault


# --- A human's prompts -----------------------------------------------------------------------

_LETTERS: Final = {"h": shuffle_card, "s": see_card, "k": skip_card, "b": bottom_card}
_KEYS: Final = {"h": "s[h]uffle", "s": "[s]ee", "k": "s[k]ip", "b": "[b]ottom"}
_NUMBERS: Final = {1: "one card", 2: "two cards", 3: "three cards"}


def ask_for_turn(
    game_data: GameData,
    play_a_card: Callable[[Card], Any],
    known_cards: int,
    others: Mapping[int, str],
) -> Card | None:
    """Shows the other player's last cards, and asks the human until a card ends the turn."""
    _show_view(game_data, game_data.discard_pile()[known_cards:], others)
    while True:
        text = input(_question(game_data)).strip()
        if not text:
            return None
        card = _LETTERS.get(text[0].lower())
        if card is None:
            print(f"{text!r} is not one of the letters.")
        elif not game_data.my_hand().num_cards(card):
            print(f"You do not have {card}.")
        elif card is skip_card or card is bottom_card:
            return card
        else:
            _show_cards(play_a_card(card))


def ask_for_place(game_data: GameData, others: Mapping[int, str]) -> int:
    """The human's place for the bomb."""
    _show_view(game_data, (), others)
    size = game_data.draw_pile_size()
    while True:
        text = input(f"Where does the bomb go? From 0 (the top) to {size} (the bottom): ").strip()
        try:
            place = int(text)
        except ValueError:
            print(f"{text!r} is not a whole number.")
            continue
        if 0 <= place <= size:
            return place
        print(f"{place} is not a place: choose one from 0 to {size}.")


def _question(game_data: GameData) -> str:
    """The question for a card; it names the cards in the hand that can be played."""
    hand = game_data.my_hand()
    held = [_KEYS[letter] for letter, card in _LETTERS.items() if hand.num_cards(card)]
    cards = " or ".join(filter(None, [", ".join(held[:-1]), *held[-1:]]))
    return f"Play {cards}, or press Enter to draw: " if cards else "Press Enter to draw: "


def _show_view(game_data: GameData, news: Sequence[Card], others: Mapping[int, str]) -> None:
    other = next(iter(others.values()), "")
    print(str(game_data).replace("The other player", other) if other else game_data)
    if news:
        cards = in_words(list(map(str, news)))
        print(f"Since your last turn {other or 'the other player'} has played {cards}.")


def _show_cards(cards: Sequence[Card] | None) -> None:
    if cards is not None:
        print(f"You see {_NUMBERS[len(cards)]}, from the top: {in_words(list(map(str, cards)))}.")
