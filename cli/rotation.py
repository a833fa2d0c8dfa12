"""`matchbox admin rotate-secrets` and `end-sessions`: what to do when a secret may be known.

Both work on files and the database of this machine, and need no account.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cli import output
from cli.playing import JsonOption
from cli.users import opened

if TYPE_CHECKING:
    from server.services.secret_rotation import Ended

DataOption = Annotated[Path, typer.Option(help="the data folder")]
DATABASE: Final = "MATCHBOX_DATABASE_URL"
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
    from matchbox.errors import BadOption

    if env_file is not None and (end_sessions or revoke_tokens):
        raise BadOption(
            "the database of containers is not reached from here; run `docker compose run --rm "
            "prepare matchbox admin end-sessions --revoke-tokens --data /tmp` for that"
        )
    elsewhere: list[str] = []
    ended = None
    if env_file is not None:
        rotated = _rotate_file(env_file)
    else:
        rotated, elsewhere, ended = _rotate_folder(data, end_sessions, revoke_tokens)
    if json:
        counts = {} if ended is None else ended._asdict()
        output.document({"rotated": rotated, "not_rotated": elsewhere, **counts})
        return
    print(f"Replaced: {', '.join(rotated) or 'nothing'}.")
    if ended is not None:
        print(_sentence(ended))
    output.note(_next_steps(elsewhere, env_file))


def end_sessions(
    data: DataOption = Path("data"), revoke_tokens: TokensOption = False, json: JsonOption = False
) -> None:
    """Log everybody out, at once and also while the platform runs."""
    ended = _end(data, sessions=True, tokens=revoke_tokens)
    if json:
        output.document(ended._asdict())
    else:
        print(_sentence(ended))


def _rotate_file(path: Path) -> list[str]:
    from cli import deployment
    from matchbox.errors import BadSetting

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

    What was opened with the old ones ends first: after a crash in between, the command is run
    again. Raises Conflict while a platform runs in the folder.
    """
    from sqlalchemy import make_url

    from cli import folder

    database = folder.settings_of(data).database_url
    place = data.resolve()
    elsewhere = [
        name for name in folder.SECRETS if os.environ.get(name) or os.environ.get(f"{name}_FILE")
    ]
    rotated = [name for name in folder.SECRETS if name not in elsewhere]
    with folder.locked(place):
        ended = _end(data, sessions=sessions, tokens=tokens) if sessions or tokens else None
        folder.rotate(place, rotated)
    if database and make_url(database).password:
        elsewhere.append(DATABASE)
    return rotated, elsewhere, ended


def _end(data: Path, *, sessions: bool, tokens: bool) -> Ended:
    from server.services import secret_rotation

    with opened(data) as context, context.write() as session:
        return secret_rotation.end_everything(
            session, sessions=sessions, tokens=tokens, now=context.now()
        )


def _sentence(ended: Ended) -> str:
    return f"Ended: {ended.sessions:,} browser sessions, {ended.tokens:,} API tokens."


def _next_steps(elsewhere: list[str], env_file: Path | None) -> str:
    arenas = "Arenas on other machines need the new MATCHBOX_ARENA_TOKEN"
    if env_file is not None:
        return (
            "Now run `docker compose up --detach`: it gives Postgres its new password, and starts "
            f"again what has a new secret. {arenas} and the broker's new password."
        )
    left = [name for name in elsewhere if name != DATABASE]
    steps = [f"{' and '.join(left)}: set in the environment, replace it there."] if left else []
    if DATABASE in elsewhere:
        steps.append(f"{DATABASE}: docs/operate.md says how to change the password in Postgres.")
    return " ".join((*steps, f"Now start the platform again. {arenas}, from secrets.json."))
