"""Golden games: one game of every built-in game, written down state by state.

`python -m tests.contract.playthroughs` writes every playthrough.txt anew; the diff is the review.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from matchbox import registry
from matchbox.dice import SeededDice, derive_deals
from matchbox.game import CHANCE, Game, fill_options

DEAL = derive_deals("playthrough", 1)[0]


def place_of(name: str) -> Path:
    """The path of a game's playthrough."""
    package = import_module(registry.package_of(name))
    return Path(package.__path__[0]) / "playthrough.txt"


def playthrough(game: Game) -> str:
    """The golden game as text, at the smallest table; the moves are drawn by lot."""
    return "\n".join(_lines(game)) + "\n"


def _lines(game: Game) -> Iterator[str]:
    seats, lot = game.spec.seats[0], SeededDice(b"the lot of moves", 0)
    yield f"{game.spec.title}, rules {game.spec.rules}, {seats} seats, deal {DEAL}"
    step = 0
    state = game.start(seats, SeededDice(bytes.fromhex(DEAL), step), fill_options(game.spec, {}))
    while movers := list(game.to_move(state)):
        step += 1
        dice = SeededDice(bytes.fromhex(DEAL), step)
        yield ""
        yield f"State {step}"
        yield from _views(game, state, seats)
        if movers[0] == CHANCE:
            yield "chance moves"
            state = game.apply(state, CHANCE, None, dice)
            continue
        for seat in movers:
            yield f"legal {seat}: {_json(game.legal(state, seat))}"
        seat = lot.choice(movers)
        move = lot.choice(game.legal(state, seat))
        state = game.apply(state, seat, move, dice)
        yield f"seat {seat} moves: {_json(move)}"
        for line in game.describe(move, game.view(state, None)).splitlines():
            yield f"  - {line}"
    yield ""
    yield "The end"
    yield from _views(game, state, seats)
    yield f"outcome: {game.outcome(state)}"


def _views(game: Game, state: object, seats: int) -> Iterator[str]:
    for seat in range(seats):
        yield f"view {seat}: {_json(game.view(state, seat))}"
    yield f"table: {_json(game.view(state, None))}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Writes every game's playthrough anew. Raises SystemExit with the names of games that failed;
    their playthroughs stay as they were."""
    failed = []
    for name, game in registry.games().items():
        try:
            text = playthrough(game)
        except Exception:  # noqa: BLE001  A game that is being written may fail in any way.
            traceback.print_exc()
            failed.append(name)
        else:
            place_of(name).write_text(text, encoding="utf-8")
    if failed:
        raise SystemExit(f"These games failed, and keep their playthroughs: {', '.join(failed)}")


if __name__ == "__main__":
    main()
