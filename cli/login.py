"""The login of the commands: the server's address and a token, from the environment or a file.

Asks no server.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cli import whole_file
from matchbox import errors

DEFAULT_URL: Final = "http://127.0.0.1:8000"


@dataclass(frozen=True, slots=True)
class Login:
    """The server's address, and the secret of an account."""

    url: str
    token: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    """The scopes and days that were asked for with the token, as `/login` takes them."""


def load_login() -> Login:
    """The environment's server and token, or those of the last `matchbox login`.

    If the environment has both, nothing is read: a script may have no home.
    """
    given = os.environ.get("MATCHBOX_URL"), os.environ.get("MATCHBOX_TOKEN")
    if given[0] and given[1]:
        return Login(given[0].rstrip("/"), given[1])
    saved = _saved_login()
    url = (os.environ.get("MATCHBOX_URL") or saved.url).rstrip("/")
    if url != saved.url:
        return Login(url, os.environ.get("MATCHBOX_TOKEN", ""))
    return Login(url, os.environ.get("MATCHBOX_TOKEN") or saved.token, saved.options)


def save_login(chosen: Login) -> Path:
    """Saves the login to a file that only its owner can read; returns the file's path.

    Raises Unavailable if that fails, as on a full disk.
    """
    path = _file()
    saved = {"url": chosen.url, "token": chosen.token, "options": dict(chosen.options)}
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        whole_file.replace(path, json.dumps(saved))
    except OSError as error:
        raise errors.Unavailable(
            f"the login cannot be kept in {path}: {error.strerror or error}; set MATCHBOX_TOKEN, "
            "or name another folder with XDG_CONFIG_HOME"
        ) from error
    return path


def forget_login() -> tuple[Login | None, Path]:
    """Deletes the file of the last login; returns what it held and its path. The login is None if
    there was no such file, or a damaged one."""
    path = _file()
    kept: Login | None = None
    if path.exists():
        with suppress(errors.BadSetting):
            kept = _saved_login()
        path.unlink()
    return kept, path


def _saved_login() -> Login:
    """The last login, or the default server without one. Raises BadSetting for a damaged file."""
    path = _file()
    try:
        saved = json.loads(path.read_text())
        return Login(str(saved["url"]), str(saved["token"]), dict(saved.get("options", {})))
    except FileNotFoundError:
        return Login(DEFAULT_URL)
    except (ValueError, KeyError, TypeError) as error:
        raise errors.BadSetting(f"{path} is damaged: `matchbox login URL` makes it anew") from error


def _file() -> Path:
    try:
        folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    except RuntimeError as error:
        raise errors.BadSetting(
            "this account has no home folder to keep a login in: set HOME or XDG_CONFIG_HOME, or "
            "MATCHBOX_URL and MATCHBOX_TOKEN"
        ) from error
    return Path(folder) / "matchbox" / "login.json"
