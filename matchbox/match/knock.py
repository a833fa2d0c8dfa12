"""The facts that an arena on another host reports about itself with every request for a job.

The server gives jobs only to arenas whose knock equals its own.
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from matchbox import registry
from matchbox.match.record import python_minor


class Knock(Struct, frozen=True, kw_only=True):
    """The release, Python, rules and libraries of an installation."""

    release: str
    """Its version of Matchbox."""
    python: str
    """Its minor version of Python, such as 3.12."""
    rules: dict[str, str]
    """The digest of the rules of every game by the game's name."""
    match: str = ""
    """The digest of `matchbox/match`; empty from an older release."""
    libraries: dict[str, str] = {}
    """The version of every library that bots may import there, by its name."""


@cache
def own_knock(libraries: tuple[str, ...]) -> Knock:
    """Returns the knock of this installation, where bots may import these libraries."""
    return Knock(
        release=registry.release(),
        python=python_minor(),
        rules=registry.digests(),
        match=registry.match_digest(),
        libraries=registry.library_versions(libraries),
    )
