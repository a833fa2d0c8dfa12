"""Digests of the records that release 0.1.0 wrote: 1,000 deals of each game, 50 deals a match.

`python -m tests.contract.stored_digests GAME` records the digests of a game that has none yet. It
refuses a game that has some. If the digests of a recorded game differ, the change that made them
differ is at fault: records that people have stored can no longer be verified. An intended change of
the rules needs a new rules version and a line in docs/decisions.md. Only then delete the game's
entry from the file, and record the game again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from matchbox import registry
from matchbox.dice import derive_deals
from matchbox.match import record as records
from tests.contract.identity import TABLES, play_match

STORED: Final = Path(__file__).with_name("digests-0.1.0.json")
DEALS: Final = 1000
DEALS_PER_MATCH: Final = 50
WIDTH: Final = 16

Entry = dict[str, Any]
"""A game's `rules` (their version), `players` (shipped bots in seat order) and `digests`."""


def read() -> dict[str, Entry]:
    """Every game's entry."""
    entries: dict[str, Entry] = json.loads(STORED.read_text())
    return entries


def play(game: str, players: list[str]) -> Iterator[str]:
    """The digest of each match of the game, in the order of deals."""
    deals = derive_deals(f"stored digests of {game}", DEALS)
    for first in range(0, DEALS, DEALS_PER_MATCH):
        part = deals[first : first + DEALS_PER_MATCH]
        yield digest(play_match(game, players, None, WIDTH, part), players)


def digest(packed: bytes, players: list[str]) -> str:
    """The record's digest with the players' names in place of their versions.

    A version is the digest of a bot's file, so a comment in that file would change it. The bot's
    moves must stay the same.
    """
    record = msgspec.structs.replace(records.unpack(packed), seats=players)
    return records.digest(record)


def differences(stored: list[str], played: list[str]) -> list[str]:
    """The differences between the two, as ranges of deals."""
    return [
        f"deals {number * DEALS_PER_MATCH} to {(number + 1) * DEALS_PER_MATCH - 1}"
        for number, (before, now) in enumerate(zip(stored, played, strict=True))
        if before != now
    ]


def with_game(entries: Mapping[str, Entry], game: str) -> dict[str, Entry]:
    """The entries with one more, played now. Raises ValueError if the game has one."""
    if game in entries:
        raise ValueError(f"{game} has digests already; the docstring says what to do instead")
    players = list(TABLES[game])
    entry = {
        "rules": registry.game(game).spec.rules,
        "players": players,
        "digests": list(play(game, players)),
    }
    return dict(sorted({**entries, game: entry}.items()))


def main() -> None:
    """Records the digests of one game that has none."""
    parser = argparse.ArgumentParser(description="Records the digests of a game that has none.")
    parser.add_argument("game", choices=sorted(TABLES))
    game = parser.parse_args().game
    try:
        entries = with_game(read() if STORED.exists() else {}, game)
    except ValueError as error:
        parser.error(str(error))
    STORED.write_text(json.dumps(entries, indent=1) + "\n")


if __name__ == "__main__":
    main()
