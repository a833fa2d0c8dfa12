"""One result row per bout. Knows a bout's result; does not know why it was played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import msgspec

from matchbox.match.record import entrant


@dataclass(frozen=True, slots=True)
class Row:
    """One bout. Seats, places and scores are in the order of the seats.

    Raises ValueError if the parts do not fit together.
    """

    match: str
    deal: str
    """The deal's seed: rows with the same seed depend on each other."""
    rotation: int
    seats: tuple[str, ...]
    """Entrant ids."""
    places: tuple[int, ...]
    """One per seat; 1 is best, equal places are a draw."""
    forfeit: int | None = None
    """The seat that forfeited, if one did."""
    scores: tuple[int, ...] = ()
    """The game's own scores; a cooperative board needs them."""

    def __post_init__(self) -> None:
        if not self.seats or len(self.places) != len(self.seats):
            raise ValueError(f"bout {self._name()} needs one place for each of its seats")
        if self.scores and len(self.scores) != len(self.seats):
            raise ValueError(f"bout {self._name()} needs one score for each seat, or none at all")
        if self.forfeit is not None and not 0 <= self.forfeit < len(self.seats):
            raise ValueError(f"bout {self._name()} has a forfeit by a seat that it does not have")

    def _name(self) -> str:
        return f"{self.match}/{self.deal}/{self.rotation}"

    @property
    def key(self) -> tuple[str, str, int]:
        """The bout's unique key: match, deal, rotation."""
        return (self.match, self.deal, self.rotation)


def rows_of(
    match: str,
    deals: Sequence[str],
    names: Sequence[str],
    bouts: Iterable[tuple[int, int, list[int], list[int], int | None]],
) -> list[Row]:
    """Returns one row per bout of a match between entrants with these names.

    A bout is its deal, rotation, places, scores, and the seat that forfeited, if one did. Raises
    ValueError if its parts do not fit together.
    """

    @lru_cache
    def table(rotation: int) -> tuple[str, ...]:
        return tuple(names[entrant(seat, rotation, len(names))] for seat in range(len(names)))

    return [
        Row(
            match=match,
            deal=deals[deal],
            rotation=rotation,
            seats=table(rotation),
            places=tuple(places),
            forfeit=forfeit,
            scores=tuple(scores),
        )
        for deal, rotation, places, scores, forfeit in bouts
    ]


def half_points(row: Row) -> tuple[int, ...]:
    """Half points by seat: two for every seat that it beat, one for every draw."""
    return _half_points(row.places)


@lru_cache
def _half_points(places: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(
        sum((place < other) + (place <= other) for other in places) - 1 for place in places
    )


def points(row: Row) -> tuple[float, ...]:
    """By seat, the share of the other seats that it beat, draws half: 0 to 1; 0.5 if alone."""
    most = 2 * (len(row.seats) - 1)
    return tuple(half / most for half in half_points(row)) if most else (0.5,)


def refuse_self_play(row: Row) -> None:
    """Raises ValueError if an entrant sits twice at the table: self-play is never rated."""
    if len(set(row.seats)) != len(row.seats):
        raise ValueError(
            f"an entrant meets itself in match {row.match}; leave self-play out of rated rows"
        )


def in_order(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Every bout once, ordered by match, deal and rotation.

    Raises ValueError if two rows of one bout differ.
    """
    kept: dict[tuple[str, str, int], Row] = {}
    for row in rows:
        if kept.setdefault(row.key, row) != row:
            raise ValueError(f"bout {row._name()} has two different results")
    return tuple(kept[key] for key in sorted(kept))


def by_match(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The bouts of every match, each once, by deal and rotation. Raises as `in_order` does."""
    found: dict[str, list[Row]] = {}
    for row in in_order(rows):
        found.setdefault(row.match, []).append(row)
    return found


def digest_bouts(bouts: Iterable[Row]) -> bytes:
    """A digest of 32 bytes over the bouts of one match, which must be in order."""
    digest = blake2b(digest_size=32)
    for row in bouts:
        digest.update(_encode(row) + b"\n")
    return digest.digest()


def digest_matches(matches: Mapping[str, bytes], settings: Mapping[str, object]) -> str:
    """64 hex digits over the settings, which are plain data, and the digest of each match.

    The digests are hashed in the order of the matches' names. So matches can be added one by one
    without the rows of earlier ones; any match that is changed, left out or added changes the
    result, as in a Merkle tree of one level.
    """
    digest = blake2b(_encode(settings), digest_size=32)
    for name in sorted(matches):
        digest.update(matches[name])
    return digest.hexdigest()


_encode = msgspec.json.Encoder(order="deterministic").encode
