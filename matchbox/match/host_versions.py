"""The versions of everything on a host that a match may depend on.

An arena on another host reports them with every request for a job. The server gives jobs only to
arenas whose versions equal its own.
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from matchbox import registry
from matchbox.match.record import python_minor


class HostVersions(Struct, frozen=True, kw_only=True):
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
def own_versions(libraries: tuple[str, ...]) -> HostVersions:
    """Returns the versions of this installation, where bots may import these libraries."""
    return HostVersions(
        release=registry.release(),
        python=python_minor(),
        rules=registry.digests(),
        match=registry.match_digest(),
        libraries=registry.library_versions(libraries),
    )
