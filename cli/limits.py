"""The settings with which a bot is checked or verified here: with the limits of the server.

Knows the server of the environment or of the last login, and asks it once. Plays nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple

from cli import output
from matchbox.errors import MatchboxError
from matchbox.settings import PREFIX, Settings, limits_for_authors, read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matchbox.answers.games import Limits

_WAIT_S: Final = 5.0
"""How long the server may take to name its limits: without them a bot is checked all the same."""


class Chosen(NamedTuple):
    """Settings, and whose limits they hold: those of the server, or the usual ones if it is None,
    but for the limits that the variables `own` of the environment set to another value."""

    settings: Settings
    server: str | None
    own: tuple[str, ...]


def choose() -> Chosen:
    """This machine's settings, with the limits of the server that the person is logged in to.

    A setting of the environment takes precedence. If the server cannot be asked, says so on
    stderr. Raises BadSetting for a wrong setting of the environment.
    """
    own = read_settings(os.environ)
    try:
        from cli.client import Client
        from cli.login import Login, load_login
        from matchbox.answers.games import Limits

        known = load_login()
        if not (known.token or os.environ.get("MATCHBOX_URL")):
            return Chosen(own, None, _differing(own, Settings()))
        with Client(Login(known.url)) as client:  # Everybody may ask, also with an old token.
            theirs = client.answer(Limits, "/limits", wait_s=_WAIT_S)
        given = _environment(theirs)
        settings = read_settings({**given, **_given()})
        return Chosen(settings, known.url, _differing(settings, read_settings(given)))
    except MatchboxError as error:
        output.note(f"the server's limits are not known: {error}")
        return Chosen(own, None, _differing(own, Settings()))


def described(chosen: Chosen) -> str:
    """Whose limits these are, as the end of a sentence."""
    whose = f"the limits of {chosen.server}" if chosen.server else "the usual limits"
    return f"{whose}, but for {' and '.join(chosen.own)}" if chosen.own else whose


def document(chosen: Chosen) -> dict[str, object]:
    """The limits and whose they are, as --json prints them."""
    values = limits_for_authors(chosen.settings)
    return {"server": chosen.server, "own": list(chosen.own), **values}


def _differing(settings: Settings, others: Settings) -> tuple[str, ...]:
    """The variables of the limits that differ between the two."""
    theirs = limits_for_authors(others)
    ours = limits_for_authors(settings).items()
    return tuple(f"{PREFIX}{name.upper()}" for name, value in ours if value != theirs[name])


def _given() -> Mapping[str, str]:
    """The variables of the environment that are set: an empty one is as good as none."""
    return {name: value for name, value in os.environ.items() if value}


def _environment(limits: Limits) -> dict[str, str]:
    """The limits, as the settings that would give them."""
    values = {**limits.plain(), "libraries": next(iter(limits.libraries), "none")}
    return {f"{PREFIX}{name.upper()}": str(value) for name, value in values.items()}
