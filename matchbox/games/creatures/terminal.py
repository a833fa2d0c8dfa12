"""The duel at the terminal: a whole game, its log, the files of the document, a human's prompts.

Never loaded in a box. The files lie in the working directory, unless another place is named.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from matchbox.dice import SeededDice
from matchbox.errors import IllegalMove
from matchbox.games.creatures.card import Card
from matchbox.games.creatures.card_counts import count_new
from matchbox.games.creatures.duel_log import Game, logged
from matchbox.games.creatures.memory import EMPTY, WinCounts, read
from matchbox.games.creatures.player import Player, answer, sit_down
from matchbox.games.creatures.rules import GAME
from matchbox.match.record import Bout, Record
from matchbox.match.replay import steps
from matchbox.match.transcript import Transcript, distinct_names

RESULTS: Final = Path("results.json")
PARSED: Final = Path("parsed.json")
_SPACE: Final = re.compile(r"\s*")
_MOST_DUELS: Final = 1_000_000
"""The numbers that are kept free for the duels of one exported match."""

# --- A game ----------------------------------------------------------------------------------


def play_game(player0: Player, player1: Player, print_details: bool, toss: bool) -> int:
    """Plays one duel and appends it to the log; returns the winner, 0 or 1."""
    remind(player0, player1)
    turned = toss and random.randrange(2) == 1
    players = (player1, player0) if turned else (player0, player1)
    append(play(players, next_number(), print_details))
    return 0 if player1.lose else 1


def play(players: tuple[Player, Player], number: int, print_details: bool = False) -> Game:
    """Plays one duel and returns its log; the first player begins. Raises a player's errors."""
    for player in players:
        assert isinstance(player, Player), f"{player!r} is not an instance of Player"
    log = Game(distinct_names([player.name for player in players]), number)
    duel = TerminalDuel(players, log, print_details)
    while duel.play_turn():
        pass
    return log


def remind(*players: Player) -> None:
    """Passes the content of parsed.json to the players."""
    remembered = PARSED.read_bytes() if PARSED.exists() else EMPTY
    for player in players:
        player.remember(remembered)


class _Over(BaseException):
    """Ends a player's turn when the duel has ended inside it."""


class TerminalDuel:
    """One duel in this process."""

    def __init__(self, players: tuple[Player, Player], log: Game, print_details: bool) -> None:
        """Deals the cards; the first player begins. `log` takes the moves."""
        self.players = players
        self.log = log
        self._print_details = print_details
        self._transcript = Transcript([player.name for player in players])
        for player, other in (players, players[::-1]):
            sit_down(player, other.name)
        self._state = GAME.start(2, SeededDice(random.randbytes(16), 0), {})

    @property
    def mover(self) -> Player:
        """The player who has the next turn."""
        return self.players[GAME.to_move(self._state)[0]]

    def play_turn(self) -> bool:
        """Lets the mover make its turn; returns False once somebody has lost."""
        try:
            self._decide(GAME.to_move(self._state)[0])
        except _Over:
            pass
        except Exception as error:
            seat = GAME.to_move(self._state)[0]
            self._show(self._transcript.forfeited(seat, "crash", repr(error)))
            self._lose(seat)
            raise
        except KeyboardInterrupt:
            self._lose(GAME.to_move(self._state)[0])
            return False
        outcome = GAME.outcome(self._state)
        if outcome is not None:
            self._lose(outcome.places.index(2))
        return outcome is None

    def show_lives(self) -> None:
        """Brings the lives that the players see up to date."""
        for player, own, other in zip(
            self.players, self._state.sides, self._state.sides[::-1], strict=True
        ):
            player.life = own.life
            assert player.opponent is not None
            player.opponent.life = other.life

    def _decide(self, seat: int) -> None:
        view: Any = GAME.view(self._state, seat)
        self._apply(seat, answer(self.players[seat], view, partial(self._within, seat)))

    def _within(self, seat: int, move: Any) -> Any:
        """Makes a move inside a turn, and the other's answer to it; returns the view after both."""
        self._apply(seat, move)
        while (movers := GAME.to_move(self._state)) and movers[0] != seat:
            self._decide(movers[0])
        if not movers:
            raise _Over
        return GAME.view(self._state, seat)

    def _apply(self, seat: int, move: Any) -> None:
        table: Any = GAME.view(self._state, None)
        try:
            GAME.apply(self._state, seat, move, SeededDice(b"", 0))
        except IllegalMove as error:
            raise ValueError(str(error)) from None
        note(self.log, move, table)
        line = GAME.describe(move, GAME.view(self._state, None))
        self._show(self._transcript.moved(seat, line))

    def _lose(self, seat: int) -> None:
        self.players[seat].lose = True
        self.show_lives()
        self.log.record_results(self.log.players[seat])
        self._show(self._transcript.ended([2, 1] if seat == 0 else [1, 2]))

    def _show(self, lines: list[str]) -> None:
        if self._print_details:
            for line in lines:
                print(line)


# --- The log ---------------------------------------------------------------------------------


def note(log: Game, move: Any, table: Any) -> None:
    """Logs a move under the turn in which it was made; `table` is the spectator's view before
    it."""
    turns = table["turn"]
    while len(log.turns) < turns:
        begun = len(log.turns)
        log.initiate_turn(log.players[begun % 2], begun // 2 + 1)
    log.turns[-1].add(logged(move, table))


def log_of(record: Record, bout: Bout, names: Sequence[str], number: int) -> Game:
    """The log of a recorded duel; `names` are the seats'. Raises BadRecord."""
    log = Game(distinct_names(names), number)
    for step in steps(GAME, record, bout):
        if step.seat is not None and step.fault is None:
            note(log, step.move, step.table)
    log.record_results(log.players[bout.places.index(2)])
    return log


def export(record: Record, names: Sequence[str], start: int | None = None) -> Iterator[str]:
    """Yields every duel of a match as a line of results.json; `names` are the entrants'.

    Of two equal names each gets its entrant's number. Without a `start` the numbers of the duels
    follow from the match: `parse` counts the same match once, and another one besides.
    """
    names = distinct_names(names)
    for number, bout in enumerate(record.bouts, _first_number(record) if start is None else start):
        seats = names if bout.rotation == 0 else names[::-1]
        yield json.dumps(log_of(record, bout, seats, number).format_logging()) + "\n"


def _first_number(record: Record) -> int:
    """The number of the match's first duel, which no other match's duel is likely to have."""
    chosen = blake2b("\n".join([record.match, *record.deals[:1]]).encode(), digest_size=4)
    return int.from_bytes(chosen.digest(), "big") * _MOST_DUELS + 1


def export_table(record: Record, names: Sequence[str]) -> Iterator[str]:
    """Yields the wins and losses per card of a match, as a parsed.json."""
    table: WinCounts = {}
    count_new(table, map(json.loads, export(record, names)), set())
    yield json.dumps(table) + "\n"


EXPORTS: Final = {RESULTS.name: export, PARSED.name: export_table}
"""The files that a match can be exported to, by name; each function yields the text in parts."""


def write(game: Game) -> None:
    """Appends a game to the log once, under a number that no other game has."""
    if not game.written:
        if game.number in _taken(RESULTS, PARSED):
            game.number = next_number()
        append(game)
        game.written = True


def append(game: Game, results: Path = RESULTS) -> None:
    """Writes a game to the end of the log: one JSON object a line."""
    is_cut = results.exists() and not results.read_bytes().endswith(b"\n")
    with results.open("a", encoding="utf-8") as file:
        file.write("\n" * is_cut + json.dumps(game.format_logging()) + "\n")


def read_results(results: Path = RESULTS) -> list[dict[str, Any]]:
    """All games of a log, which is one object or one object per line; none if there is no file.

    Leaves out a game whose line was cut off, as on a full disk.
    """
    text = results.read_text(encoding="utf-8") if results.exists() else ""
    decoder, games, at = json.JSONDecoder(), [], 0
    while (at := _after_space(text, at)) < len(text):
        try:
            game, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            following = text.find("\n{", at)
            at = len(text) if following < 0 else following
        else:
            games.append(game)
    return games


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def next_number(results: Path = RESULTS, parsed: Path = PARSED) -> int:
    """A number that no game of the log has and that has not been counted."""
    return max(_taken(results, parsed), default=0) + 1


def _taken(results: Path, parsed: Path) -> set[int]:
    """The numbers of the games in the log, and of those that have been counted."""
    return {game["number"] for game in read_results(results)} | _counted(parsed)


def parse(results: Path = RESULTS, parsed: Path = PARSED) -> WinCounts:
    """Counts every game of the log once, however often it is called; writes and returns the table.

    The numbers of the counted games are in parsed.numbers.json beside the table.
    """
    table = read(parsed.read_bytes()) if parsed.exists() else {}
    counted = _counted(parsed)
    count_new(table, read_results(results), counted)
    parsed.write_text(json.dumps(table), encoding="utf-8")
    _numbers(parsed).write_text(json.dumps(sorted(counted)), encoding="utf-8")
    return table


def _counted(parsed: Path) -> set[int]:
    """The numbers of the games that the table has counted; empty without a table."""
    numbers = _numbers(parsed)
    return set(json.loads(numbers.read_text())) if parsed.exists() and numbers.exists() else set()


def _numbers(parsed: Path) -> Path:
    return parsed.with_suffix(".numbers.json")


# --- A human's prompts -----------------------------------------------------------------------


def ask_for_command(player: Player) -> bool:
    """Asks for commands of the human's turn until one is done; returns False for DONE."""
    _show_table(player)
    while True:
        typed = input(_question(player)).strip()
        command, _, name = typed.partition(" ")
        if command.upper() == "DONE":
            return False
        if command.upper() == "QUIT":
            raise KeyboardInterrupt
        refusal = _do(player, command.upper(), name) if typed else "Type one of these words."
        if not refusal:
            return True
        print(refusal)


def _do(player: Player, command: str, name: str) -> str:
    """Carries out the command. Returns "", or the reason if that is impossible."""
    board = player.board
    if command == "LAND":
        return "" if board.play_land() else "You hold no land, or have played one this turn."
    if command == "TAP":
        return "" if board.tap_all() else "You have no untapped land."
    if command == "SUMMON":
        name = _spelled(name or input("Summon which creature? "), board.hand)
        return "" if board.summon(name) else _too_dear(player, name)
    if command == "ATTACK":
        name = _spelled(name or input("Attack with which creature? "), board.field)
        return "" if player.attack(name) else f"You have no untapped {name or 'creature'}."
    return f"{command} is not one of the commands."


def _too_dear(player: Player, name: str) -> str:
    """The reason why the human cannot summon that creature."""
    held = [card for card in player.board.hand if card.name == name and card.kind == "creature"]
    if not held:
        return f"You hold no creature {name}.".replace(" .", ".")
    return f"{name} costs {held[0].cost}, and you have {player.board.mana}."


def ask_for_block(player: Player, attacker: Card) -> None:
    """Asks the attacked human whether to block and with what, until there is an answer."""
    blockers = " or ".join(_names(card for card in player.board.field if not card.tapped))
    while True:
        _show_table(player)
        typed = input(f"{attacker} attacks. Do you block? Y or N: ").strip().upper()
        if typed == "N":
            player.take_damage(attacker.power)
            return
        if typed == "Y":
            name = _spelled(input(f"Block with {blockers}? "), player.board.field)
            if player.block(attacker, name):
                return
            print(f"You have no untapped {name or 'creature'}.")
        else:
            print(f"{typed!r} is neither Y nor N.")


def _question(player: Player) -> str:
    """The question for a command; it names what is possible now."""
    board = player.board
    able = [card for card in board.hand if card.kind == "creature"]
    able = [card for card in able if card.cost <= board.mana.amount]
    land = not board.playedland and any(card.kind == "land" for card in board.hand)
    tap = any(not card.tapped for card in board.lands)
    parts = ["LAND"] * land + ["TAP"] * tap
    parts += [f"SUMMON {' or '.join(_names(able))}"] if able else []
    ready = _names(card for card in board.field if not card.tapped)
    parts += [f"ATTACK {' or '.join(ready)}"] if ready else []
    return f"{', '.join([*parts, 'DONE'])} (QUIT gives up): "


def _names(cards: Iterable[Card]) -> list[str]:
    """The names of the cards, each once."""
    return list(dict.fromkeys(card.name for card in cards))


def _spelled(typed: str, cards: Sequence[Card]) -> str:
    """The name in the cards' spelling, whatever its case; as it was typed if no card has it."""
    name = typed.strip()
    return next((card.name for card in cards if card.name.lower() == name.lower()), name)


def _show_table(player: Player) -> None:
    other = player.opponent
    assert other is not None
    board = player.board
    name = next(iter(getattr(player, "others", {}).values()), other.name)
    print(f"\n{name}: {other.life} life, {len(other.board.hand)} cards in hand")
    print(f"  field: {_listed(other.board.field)}")
    print(f"{player.name} (you): {player.life} life, {board.mana}, {len(board.deck)} in the deck")
    print(f"  field: {_listed(board.field)}")
    print(f"  lands: {len(board.lands)}, {sum(not land.tapped for land in board.lands)} untapped")
    print(f"  hand: {_listed(board.hand)}")


def _listed(cards: Sequence[Card]) -> str:
    """The cards, equal ones together, such as "2 x Land, Bear (2) tapped"."""
    shown = [f"{card if card.cost else card.name}{' tapped' * card.tapped}" for card in cards]
    counts = {text: shown.count(text) for text in shown}
    return ", ".join(f"{n} x {text}" if n > 1 else text for text, n in counts.items()) or "nothing"
