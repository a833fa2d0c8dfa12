"""`matchbox play war --option play=dealt` without bots: the transcript of the source document."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from cli import output
from matchbox.errors import BadOption

if TYPE_CHECKING:
    from collections.abc import Sequence


def play(game: str, seed: str, options: Sequence[str], json: bool) -> None:
    """Deals one game, prints its transcript, or the document of --json.

    Raises UnknownGame, and BadOption if the game needs players.
    """
    from cli.game_options import read_options
    from cli.war_statistics import GAME
    from matchbox import registry
    from matchbox.game import fill_options
    from matchbox.games.war.state import DEALT

    options_read = fill_options(registry.game(game).spec, read_options(options))
    if game != GAME:
        raise BadOption(f"name a bot for each seat of {game}; `human` is you")
    if options_read["play"] != DEALT:
        raise BadOption(
            "name a bot for each seat of war, `human` is you; or add --option play=dealt, which "
            "needs no bots"
        )
    text = io.StringIO()
    with redirect_stdout(text):
        document = _play(seed)
    lines = text.getvalue().splitlines()
    if json:
        output.document(document | {"transcript": lines})
    else:
        print("\n".join(lines))
        output.note(f"seed {seed}, no bots")


def _play(seed: str) -> dict[str, Any]:
    """Plays and prints the deal of that seed; returns the keys of the document of --json."""
    from matchbox.dice import SeededDice, derive_deals
    from matchbox.games.war import terminal
    from matchbox.games.war.rules import GAME
    from matchbox.games.war.state import DEALT

    dice = SeededDice(bytes.fromhex(derive_deals(seed, 1)[0]), 0)
    first, second = GAME.start(2, dice, {"play": DEALT}).hands
    result = terminal.play(([*first], [*second]))
    places = {0: [1, 1], 1: [1, 2], 2: [2, 1]}[result.winner]
    return {
        "game": GAME.spec.name,
        "seed": seed,
        "bots": [],
        "initial": [result.initial1, result.initial2],
        "scores": [result.final1, result.final2],
        "places": places,
    }
