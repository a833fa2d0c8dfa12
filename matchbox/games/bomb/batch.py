"""Many bouts of bomb side by side, as matchbox.game.Batch asks for it.

Plays the same moves as rules.py, with the same cards and dice, in one loop. Knows no fault: it
hands back a bout with a move that the rules would refuse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from matchbox.game import Outcome
from matchbox.games.bomb.cards import (
    AT_ASKS,
    AT_CARDS,
    AT_COUNTS,
    AT_OTHER,
    AT_PILE,
    AT_SEEN,
    BOMB,
    BOTTOM,
    DEFUSE,
    NUMBERS,
    SEE,
    SEEN,
    SHUFFLE,
)
from matchbox.games.bomb.deal import dealt
from matchbox.match import frame_codec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matchbox.dice import SeededDice
    from matchbox.game import Answers, Plain

_PLAYED: Final = {kind: (kind, NUMBERS[kind]) for kind in ("see", "skip", "shuffle", "bottom")}
"""The moves that play a card: one string for all bouts, instead of a new one from each frame."""
_ENDED: Final = (Outcome((2, 1), (0, 1), "explosion"), Outcome((1, 2), (1, 0), "explosion"))
"""The outcome, by the seat that exploded."""
_DRAWS: Final = -1
_REFUSED: Final = -2


class _Bout:
    """The table of one bout, as in rules.State, and its moves so far."""

    __slots__ = ("dice", "moves", "number", "pile", "questions", "seed", "seen", "size", "told")

    def __init__(self, number: int, dice: SeededDice, seed: str) -> None:
        self.number = number
        self.dice = dice
        self.pile, self.told = dealt(dice)
        self.size = len(self.pile)
        """How many cards of `pile` are left; the ones behind them are drawn already."""
        self.seen = False
        """Whether the mover's brief shows cards seen."""
        if not frame_codec.COMPILED:
            self.questions: list[tuple[int, Any, str | None]] = [
                (number, told, None) for told in self.told
            ]
            """Each seat's question, without a seed; the briefs in it change with the moves."""
        self.seed: str | None = seed
        """The seed of seat 1's player, until it was sent."""
        self.moves: list[Plain] = []


class Batch:
    """Bouts for two, and the next question to each seat."""

    def __init__(self) -> None:
        self._owing: list[list[_Bout]] = [[], []]
        self._questions: list[Any] = _nobody_asked()
        """The questions in the bouts of `_owing`."""
        self._over: list[tuple[int, list[Plain], Outcome]] = []

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Deals a bout; seat 0 begins."""
        first, second = seeds
        begun = _Bout(bout, dice, second)
        told = begun.told[0]
        told[AT_PILE] = begun.size
        self._owing[0].append(begun)
        if frame_codec.COMPILED:
            self._questions[0].add(bout, told, first)
        else:
            self._questions[0].append((bout, told, first))

    def ask(self, seat: int) -> Sequence[tuple[int, Any, str | None]]:
        """The questions to that seat."""
        asked: Sequence[tuple[int, Any, str | None]] = self._questions[seat]
        return asked

    def take(self, seat: int, answers: Sequence[Any]) -> list[tuple[int, list[Plain], Answers]]:
        """Makes the moves; hands back the bouts in which an answer is no legal move."""
        bouts, self._owing[seat] = self._owing[seat], []
        self._questions[seat].clear()
        back: list[tuple[int, list[Plain], Answers]] = []
        written = frame_codec.COMPILED
        assert len(answers) == len(bouts)
        for place, move in enumerate(answers):
            bout = bouts[place]
            mine, theirs = bout.told[seat], bout.told[1 - seat]
            if bout.seen:
                _put_away(bout, mine)
            if move == "draw" and not mine[AT_ASKS]:
                mover = _DRAWS
                bout.moves.append("draw")
            else:
                mover = _move(bout, seat, move)
                if mover == _REFUSED:
                    back.append((bout.number, bout.moves, {seat: move}))
                    continue
            if mover == _DRAWS:
                mover = 1 - seat
                bout.size -= 1
                card = bout.pile[bout.size]
                if card != BOMB:
                    mine[AT_COUNTS + card] += 1
                    theirs[AT_OTHER] += 1
                elif mine[AT_COUNTS + DEFUSE]:
                    mover = seat
                    _play(mine, theirs, DEFUSE)
                    mine[AT_ASKS] = 1
                else:
                    self._over.append((bout.number, bout.moves, _ENDED[seat]))
                    continue
            self._owing[mover].append(bout)
            if written:
                self._write(bout, mover)
                continue
            bout.told[mover][AT_PILE] = bout.size
            question = bout.questions[mover]
            if mover and bout.seed is not None:
                question = (bout.number, bout.told[mover], bout.seed)
                bout.seed = None
            self._questions[mover].append(question)
        return back

    def _write(self, bout: _Bout, mover: int) -> None:
        """Asks that seat, in compiled code."""
        told, asking, seed = bout.told[mover], self._questions[mover], None
        told[AT_PILE] = bout.size
        if mover:
            seed, bout.seed = bout.seed, None
        asking.add(bout.number, told, seed)

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """The bouts that have ended with an explosion since the last call."""
        over, self._over = self._over, []
        return over

    def leave(self) -> list[tuple[int, list[Plain], Answers]]:
        """Hands back all bouts in progress."""
        left: list[tuple[int, list[Plain], Answers]] = []
        for bout in (*self._owing[0], *self._owing[1]):
            left.append((bout.number, bout.moves, {}))
        self._owing, self._questions = [[], []], _nobody_asked()
        return left


def _nobody_asked() -> list[Any]:
    """No questions for either seat; in compiled code questions are encoded as they come."""
    return [frame_codec.Asking(), frame_codec.Asking()] if frame_codec.COMPILED else [[], []]


def _move(bout: _Bout, seat: int, move: Any) -> int:
    """Makes the move; returns the next mover, _DRAWS or _REFUSED."""
    mine = bout.told[seat]
    if mine[AT_ASKS]:
        return _place(bout, seat, move)
    played = _PLAYED.get(move) if type(move) is str else None
    if played is None:
        return _REFUSED
    move, card = played
    if not mine[AT_COUNTS + card]:
        return _REFUSED
    _play(mine, bout.told[1 - seat], card)
    bout.moves.append(move)
    if card == SEE:
        _show(bout, mine)
        return seat
    if card == SHUFFLE:
        del bout.pile[bout.size :]
        bout.dice.at(len(bout.moves)).shuffle(bout.pile)
        return seat
    if card == BOTTOM:
        bout.pile.insert(bout.size - 1, bout.pile.pop(0))
        return _DRAWS
    return 1 - seat


def _play(mine: bytearray, theirs: bytearray, card: int) -> None:
    """Moves the card from the first player's hand to the discard pile."""
    mine[AT_COUNTS + card] -= 1
    theirs[AT_OTHER] -= 1
    mine.append(card)
    theirs.append(card)


def _show(bout: _Bout, mine: bytearray) -> None:
    """Writes the top cards into the brief, the topmost first."""
    seen = bout.pile[max(bout.size - SEEN, 0) : bout.size]
    seen.reverse()
    mine[AT_SEEN] = len(seen)
    mine[AT_CARDS:AT_CARDS] = seen
    bout.seen = True


def _put_away(bout: _Bout, mine: bytearray) -> None:
    """Removes the seen cards from the brief."""
    del mine[AT_CARDS : AT_CARDS + mine[AT_SEEN]]
    mine[AT_SEEN] = 0
    bout.seen = False


def _place(bout: _Bout, seat: int, move: Any) -> int:
    """Puts the bomb into the pile, below `move` cards. Returns the next mover, or _REFUSED."""
    if type(move) is not int or not 0 <= move <= bout.size:
        return _REFUSED
    bout.pile.insert(bout.size - move, BOMB)
    bout.size += 1
    bout.told[seat][AT_ASKS] = 0
    bout.moves.append(move)
    return 1 - seat
