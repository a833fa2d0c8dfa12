"""The Game at the terminal: `simulate_game`, the document's batch, a human. Never in a box."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from matchbox.errors import BadOption, IllegalMove
from matchbox.game import fill_options
from matchbox.games.thegame.piles import RISING, STARTS, WORDS
from matchbox.games.thegame.player import Player, Strategy, Table, adopt, answer
from matchbox.games.thegame.players import strategies
from matchbox.games.thegame.rules import GAME, SPEC
from matchbox.match.module_dice import MODULE_DICE


def simulate_game(num_players: int, strategy: Strategy | Player | str, rules: str) -> int:
    """Plays one game; returns how many cards were played."""
    return simulate(num_players, strategy, rules)[0]


def simulate(
    num_players: int, strategy: Strategy | Player | str, rules: str, hints: bool = False
) -> tuple[int, str]:
    """Plays one game; returns the number of cards played, and its end: won, blocked or invalid.

    Raises ValueError for an impossible number of players, name or rules.
    """
    if num_players not in SPEC.seats:
        raise ValueError(f"The Game is for 1 to 7 players, not {num_players!r:.40}")
    try:
        options = fill_options(SPEC, {"rules": rules, "hints": hints})
    except BadOption as error:
        raise ValueError(str(error)) from None
    player = _player(strategy)
    state = GAME.start(num_players, MODULE_DICE, options)
    while seats := GAME.to_move(state):
        views: list[Any] = [GAME.view(state, seat) for seat in seats]
        for seat, view in zip(list(seats), views, strict=True):
            try:
                GAME.apply(state, seat, answer(player, view, _no_more), MODULE_DICE)
            except IllegalMove as error:
                raise ValueError(str(error)) from None
    outcome = GAME.outcome(state)
    assert outcome is not None
    return outcome.scores[0], outcome.why


def batch(repeats: int, rules: str = "article") -> Iterator[str]:
    """The document's experiment as lines of three columns, without a header.

    num_players, strategy and cards_played of one game for each of 1 to 7 players and each of the
    three names, repeated `repeats` times.
    """
    for _ in range(repeats):
        for num_players in SPEC.seats:
            for name in strategies:
                yield f"{num_players}\t{name}\t{simulate_game(num_players, name, rules)}"


def _player(strategy: Strategy | Player | str) -> Player:
    if isinstance(strategy, Player):
        return strategy
    if isinstance(strategy, str):
        if strategy not in strategies:
            known = ", ".join(strategies)
            raise ValueError(f"there is no strategy {strategy!r:.40}; there are {known}")
        strategy = strategies[strategy]
    adopted = adopt(strategy, named=True)
    if adopted is None:
        raise ValueError(f"{strategy!r:.60} is not a strategy; pass a function or a player")
    return adopted()


def _no_more(move: object) -> object:
    raise RuntimeError("a strategy makes one move at a time")


# --- A human's prompts -----------------------------------------------------------------------

_PLAY: Final = "Which card on which pile, such as `{example}`? "
_MORE: Final = "Another card, such as `{example}`, or press Enter to end your turn: "
_HINT: Final = "Your hint on pile {pile}: press Enter, or [l]eave it, or I can go [c]lose: "
_LETTERS: Final = dict(zip(("", "l", "c"), WORDS, strict=True))
_NUMBER: Final = re.compile(r"[0-9]{1,9}")


def ask_for_play(table: Table, others: Mapping[int, str]) -> tuple[int, int]:
    """The human's next card, as (pile_index, card_index)."""
    _show(table, others)
    while True:
        play = _read_play(table, input(_ask(_PLAY, table)))
        if play is not None:
            return play


def ask_for_more(table: Table, others: Mapping[int, str]) -> tuple[int, int] | None:
    """The human's next card, or None for the end of the turn."""
    _show(table, others)
    while text := input(_ask(_MORE, table)).strip():
        play = _read_play(table, text)
        if play is not None:
            return play
    return None


def ask_for_hint(table: Table, others: Mapping[int, str]) -> list[str]:
    """The human's word for each pile."""
    _show(table, others)
    print(f"{_name(table.mover, others)} is next.")
    words = []
    for pile in range(len(STARTS)):
        letter = input(_HINT.format(pile=pile)).strip().lower()[:1]
        while letter not in _LETTERS:
            print(f"{letter!r} is not one of the letters.")
            letter = input(_HINT.format(pile=pile)).strip().lower()[:1]
        words.append(_LETTERS[letter])
    return words


def _ask(question: str, table: Table) -> str:
    """The question, with the first legal play as its example."""
    pile, place = table.plays()[0]
    return question.format(example=f"{table.hand[place]} {pile}")


def _read_play(table: Table, text: str) -> tuple[int, int] | None:
    """The legal play in the human's text; None, after a message, if there is none."""
    words = text.split()
    card, pile = map(int, words) if _are_numbers(words) else (-1, -1)
    if card < 0:
        print("Type the card's number and the pile's, with a space between them.")
    elif card not in table.hand:
        print(f"You do not have the {card}.")
    elif pile >= len(STARTS):
        print("The piles are 0, 1, 2 and 3.")
    elif not table.fits(pile, card):
        print(f"The {card} does not fit on pile {pile}.")
    else:
        return pile, table.hand.index(card)
    return None


def _are_numbers(words: Sequence[str]) -> bool:
    return len(words) == 2 and all(map(_NUMBER.fullmatch, words))


def _show(table: Table, others: Mapping[int, str]) -> None:
    """Prints the piles with the cards that fit there, the others' hints, the deck and the hand."""
    hand = sorted(table.hand)
    for pile, rising in enumerate(RISING):
        fitting = ", ".join(_fitting(table, pile, card) for card in hand if table.fits(pile, card))
        way = "rises" if rising else "falls"
        print(f"Pile {pile} {way} from {table.top(pile)}; you can lay {fitting or 'nothing'}.")
    for seat, hint in enumerate(table.hints):
        said = [f"{word} ({pile})" for pile, word in enumerate(hint or []) if word != WORDS[0]]
        if said:
            print(f"{_name(seat, others)} says: {', '.join(said)}.")
    cards = "one card" if table.deck == 1 else f"{table.deck or 'no'} cards"
    print(f"The deck has {cards}. You hold {' '.join(map(str, hand))}.")
    if table.mover == table.seat and table.owed > 1:
        print(f"You must lay {table.owed} cards.")


def _fitting(table: Table, pile: int, card: int) -> str:
    """The card's number; a backwards play is called one."""
    return f"{card} (ten back)" if table.step(pile, card) < 0 else str(card)


def _name(seat: int, others: Mapping[int, str]) -> str:
    return others.get(seat, f"Player {seat}")
