"""`matchbox admin rotate-secrets` and `end-sessions`: for secrets that somebody else may know.

Both work on files and the database of this machine, and need no account.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

import typer

from cli import deployment, output
from cli.backups import DataOption
from cli.playing import JsonOption
from cli.users import opened
from matchbox.errors import BadOption, BadSetting

if TYPE_CHECKING:
    from server.services.secret_rotation import Ended

DATABASE: Final = "MATCHBOX_DATABASE_URL"
_KEPT_ELSEWHERE: Final = {
    DATABASE: "docs/operate.md says how to change the password in Postgres and here",
    "MATCHBOX_BROKER_URL": "change the password in the broker and here",
    "MATCHBOX_SMTP_PASSWORD": "change it at the mail server and here",
    "MATCHBOX_OPENID_CLIENT_SECRET": "change it at the provider and here",
}
"""The step to do by hand for each secret that another program knows, too."""
TokensOption = Annotated[bool, typer.Option("--revoke-tokens", help="revoke all API tokens, too")]


def rotate_secrets(
    data: DataOption = Path("data"),
    env_file: Annotated[
        Path | None,
        typer.Option(help="replace those of containers in this file, instead of the folder's"),
    ] = None,
    end_sessions: Annotated[
        bool, typer.Option("--end-sessions", help="delete all browser sessions, too")
    ] = False,
    revoke_tokens: TokensOption = False,
    json: JsonOption = False,
) -> None:
    """Replace the secrets that the platform keeps; it must be stopped. Everybody is logged out."""
    if env_file is not None and (end_sessions or revoke_tokens):
        raise BadOption(
            "the database of containers is not reached from here; run `docker compose run --rm "
            "prepare matchbox admin end-sessions --revoke-tokens --data /tmp` for that"
        )
    elsewhere: list[str] = []
    ended = None
    if env_file is not None:
        rotated, steps = list(deployment.SECRETS), _steps_of_containers(_rotate_file(env_file))
    else:
        rotated, elsewhere, ended = _rotate_folder(data, end_sessions, revoke_tokens)
        steps = _steps_of_folder(elsewhere)
    steps += _steps_of_keys(revoke_tokens)
    if json:
        counts = {} if ended is None else ended._asdict()
        output.document({"rotated": rotated, "not_rotated": elsewhere, **counts, "by_hand": steps})
        return
    print(f"Replaced: {', '.join(rotated) or 'nothing'}.")
    if "MATCHBOX_SECRET_KEY" in rotated:
        print(
            "No longer valid: the log-ins of all browsers, and open links to set a password, to "
            "confirm an address or to join a table."
        )
    if ended is not None:
        print(_sentence(ended))
    output.note("\n".join(("Left to do by hand:", *(f"- {step}" for step in steps))))


def end_sessions(
    data: DataOption = Path("data"), revoke_tokens: TokensOption = False, json: JsonOption = False
) -> None:
    """Log everybody out at once, even while the platform runs."""
    ended = _end(data, sessions=True, tokens=revoke_tokens)
    if json:
        output.document(ended._asdict())
    else:
        print(_sentence(ended))


def _rotate_file(path: Path) -> Path:
    """Returns the file or the folder that has the new secrets."""
    try:
        return deployment.rotate(path)
    except ValueError as error:
        raise BadSetting(str(error)) from error
    except OSError as error:
        raise BadSetting(f"{path} cannot be rewritten: {error.strerror}") from error


def _rotate_folder(
    data: Path, sessions: bool, tokens: bool
) -> tuple[list[str], list[str], Ended | None]:
    """Returns the names of the secrets that were replaced, and of those that are set elsewhere.

    Sessions and tokens end before the secrets change, so after a crash in between the command can
    be run again. Raises Conflict while a platform runs in the folder.
    """
    from sqlalchemy import make_url

    from cli import folder

    settings = folder.settings_of(data)
    place = data.resolve()
    elsewhere = [name for name in folder.SECRETS if _is_given(name)]
    rotated = [name for name in folder.SECRETS if name not in elsewhere]
    with folder.locked(place):
        ended = _end(data, sessions=sessions, tokens=tokens) if sessions or tokens else None
        folder.rotate(place, rotated)
    if settings.database_url and make_url(settings.database_url).password:
        elsewhere.append(DATABASE)
    if settings.broker_url and urlsplit(settings.broker_url).password:
        elsewhere.append("MATCHBOX_BROKER_URL")
    elsewhere += [name for name in _KEPT_ELSEWHERE if not name.endswith("_URL") and _is_given(name)]
    return rotated, elsewhere, ended


def _is_given(name: str) -> bool:
    """Whether the environment sets it, or names a file that holds it."""
    return bool(os.environ.get(name) or os.environ.get(f"{name}_FILE"))


def _end(data: Path, *, sessions: bool, tokens: bool) -> Ended:
    from server.services import secret_rotation

    with opened(data) as context, context.write() as session:
        return secret_rotation.end_everything(
            session, sessions=sessions, tokens=tokens, now=context.now()
        )


def _sentence(ended: Ended) -> str:
    sessions = output.plural(ended.sessions, "browser session")
    tokens = output.plural(ended.tokens, "API token")
    return f"Ended: {ended.sessions:,} {sessions}, {ended.tokens:,} {tokens}."


def _steps_of_containers(place: Path) -> list[str]:
    """The steps that are left to do by hand for containers, whose secrets are at that place."""
    source = f"the files in {place}" if place.is_dir() else place.name
    return [
        *(
            f"{name}: if it is set, {step}."
            for name, step in _KEPT_ELSEWHERE.items()
            if not name.endswith("_URL")
        ),
        "Run `docker compose up --detach --force-recreate`: it gives Postgres its new password, "
        "and starts everything with the new secrets.",
        "Give arenas on other machines that use MATCHBOX_ARENA_TOKEN the new one and the broker's "
        f"new password, from {source}.",
    ]


def _steps_of_folder(elsewhere: list[str]) -> list[str]:
    """The steps that are left to do by hand for a data folder; `elsewhere` are other secrets."""
    return [
        *(
            f"{name}: {_KEPT_ELSEWHERE.get(name, 'set in the environment; replace it there')}."
            for name in elsewhere
        ),
        "Start the platform again.",
        "Give arenas on other machines that use MATCHBOX_ARENA_TOKEN the new one, from "
        "secrets.json.",
    ]


def _steps_of_keys(tokens_end: bool) -> list[str]:
    """The steps about everything that gives access and was not replaced."""
    steps = [
        "Keys of arenas (mba_...) stay valid: `matchbox admin arena keys` lists them; `matchbox "
        "admin arena remove NAME` ends one, `matchbox admin arena make-key` makes another."
    ]
    if not tokens_end:
        steps.append("API tokens stay valid: `matchbox admin end-sessions --revoke-tokens`.")
    steps.append(
        "Passwords of accounts (`matchbox admin user reset NAME`), codes of leagues (`matchbox "
        "league code NAME --renew`) and the secrets of webhooks stay as they are."
    )
    return steps
