"""`matchbox admin user ...`: everybody's accounts, for operators and for users of the server's
machine.

With --data a command works on the database itself, and needs no account.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from cli import output
from cli.data_option import data_option
from cli.playing import JsonOption
from cli.remote import connect, quoted
from matchbox.errors import BadOption

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.answers.accounts import Account, PasswordLink
    from server.context import Context

user = typer.Typer(help="Accounts.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="the account's name")]
ReasonOption = Annotated[str, typer.Option(help="why; it is kept in the log")]
DataOption = Annotated[
    Path | None, data_option("work in this data folder, without an account of your own")
]
ROLES = ("author", "operator")


@user.command()
def create(
    name: NameArgument,
    role: Annotated[str, typer.Option(help="author or operator")] = "author",
    password: Annotated[str, typer.Option(help="the password; a random one if left out")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Create an account. With --data it also gets a token, and may be the first operator."""
    from server.services import passwords

    _check_role(role)
    secret = password or passwords.readable()
    if data is not None:
        shown = _in_folder(data, name, secret, role)
    else:
        shown = _account("/users", {"name": name, "password": secret, "role": role}).plain()
    if not password:
        shown["password"] = secret
    _show(shown, json)


@user.command()
def reset(
    name: NameArgument,
    revoke_tokens: Annotated[
        bool, typer.Option("--revoke-tokens", help="revoke the account's tokens, too")
    ] = False,
    link: Annotated[
        bool, typer.Option("--link", help="make a link with which its owner chooses the password")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Give an account a random password, or a link to choose one; it is printed only once.

    A random password ends the account's sessions at once, a link when it is used.
    """
    from server.services import account_operations

    if link:
        if revoke_tokens:
            raise BadOption("with --link, the page that the link opens asks about the tokens")
        _show(_password_link(name, data).plain(), json)
        return
    if data is not None:
        with opened(data) as context:
            acting = partial(_at_the_machine, context)
            fresh = account_operations.reset_password(None, acting, name, revoke=revoke_tokens)
        _show({"name": name, "password": fresh}, json)
        return
    from matchbox.answers.classes import FreshAccount

    with connect() as client:
        body = {"revoke_tokens": revoke_tokens}
        made = client.post(FreshAccount, f"/users/{quoted(name)}/reset", body)
    _show(made.plain(), json)


@user.command()
def role(
    name: NameArgument,
    wanted: Annotated[str, typer.Argument(metavar="ROLE", help="author or operator")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Make an account an author's or an operator's."""
    _check_role(wanted)
    if data is None:
        _show(_account(f"/users/{quoted(name)}/role", {"role": wanted}).plain(), json)
        return
    from server.services import account_operations

    with opened(data) as context, context.write() as session:
        found = account_operations.set_role(session, None, name, wanted, now=context.now())
    _show({"name": found.name, "role": str(found.role)}, json)


@user.command()
def note(
    name: NameArgument,
    text: Annotated[str, typer.Argument(help="the note; an empty one deletes it")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Put a note on an account, such as a pupil's real name; only operators see it."""
    if data is None:
        from matchbox.answers.platform import UserDetail

        with connect() as client:
            made = client.post(UserDetail, f"/users/{quoted(name)}/note", {"note": text})
        _show({"name": name, "note": made.note}, json)
        return
    from server.services import account_operations

    with opened(data) as context, context.write() as session:
        found = account_operations.set_note(session, None, name, text, now=context.now())
    _show({"name": found.name, "note": found.note}, json)


@user.command()
def close(
    name: NameArgument,
    reason: ReasonOption,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Close an account: its sessions, tokens and ranked matches end."""
    if data is None:
        _show(_account(f"/users/{quoted(name)}/close", {"reason": reason}).plain(), json)
        return
    from server.services import account_operations

    with opened(data) as context, context.write() as session:
        account_operations.close(session, None, name, reason, now=context.now())
    _show({"name": name, "closed": True}, json)


@user.command()
def reopen(name: NameArgument, data: DataOption = None, json: JsonOption = False) -> None:
    """Reopen a closed account; its tokens stay revoked."""
    if data is None:
        _show(_account(f"/users/{quoted(name)}/reopen", {}).plain(), json)
        return
    from server.services import account_operations

    with opened(data) as context, context.write() as session:
        account_operations.reopen(session, None, name, now=context.now())
    _show({"name": name, "closed": False}, json)


@user.command()
def delete(
    name: NameArgument,
    reason: ReasonOption,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Delete a closed account for ever; the matches of its bots stay, under no name."""
    if data is None:
        _show(_account(f"/users/{quoted(name)}/delete", {"reason": reason}).plain(), json)
        return
    from server.services import account_deletion

    with opened(data) as context, context.write() as session:
        gone = account_deletion.delete_closed_account(
            session, None, name, reason, now=context.now()
        )
        _show({"name": gone.name}, json)


@user.command()
def export(
    name: NameArgument,
    out: Annotated[Path, typer.Option(help="the zip to write")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Write all data of an account into a zip, for its owner."""
    from cli.complete_file import complete_file

    os.umask(0o077)
    with complete_file(out) as file:
        if data is None:
            with connect() as client:
                file.write(client.post_for_bytes(f"/users/{quoted(name)}/data"))
        else:
            _write_personal_data(data, name, file)
    _show({"name": name, "file": str(out)}, json)


def _write_personal_data(data: Path, name: str, file: IO[bytes]) -> None:
    from server.queries.personal_data import write_personal_data
    from server.services import account_operations

    with opened(data) as context:
        now = context.now()
        with context.write() as session:
            found = account_operations.hand_over_data(session, None, name, now=now)
        with context.read() as session:
            write_personal_data(session, found, file, settings=context.settings, now=now)


def _password_link(name: str, data: Path | None) -> PasswordLink:
    """Makes a one-time link to set the account's password, here or on the server."""
    from matchbox.answers.accounts import PasswordLink

    if data is not None:
        from server.services import account_operations

        with opened(data) as context, context.write() as session:
            settings, now = context.settings, context.now()
            return account_operations.make_password_link(
                session, None, name, settings=settings, now=now
            )
    with connect() as client:
        return client.post(PasswordLink, f"/users/{quoted(name)}/password-link")


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise BadOption(f"there is no role {role!r}: choose author or operator")


def _account(path: str, body: dict[str, str]) -> Account:
    """Posts to the server, and returns the account in its answer."""
    from matchbox.answers.accounts import Account

    with connect() as client:
        return client.post(Account, path, body)


def _show(shown: Mapping[str, object], json: bool) -> None:
    if json:
        output.document(shown)
    else:
        for key, value in shown.items():
            print(f"{key}: {value}")


@contextmanager
def opened(data: Path) -> Iterator[Context]:
    """Opens the folder's or the environment's database."""
    from cli.folder import settings_for
    from server.context import make_context
    from server.outbox import OfflineSender

    context = make_context(settings_for(data), sender=OfflineSender())
    try:
        yield context
    finally:
        context.close()


def _in_folder(data: Path, name: str, password: str, role: str) -> dict[str, str]:
    """Makes the account in the database; returns it and a token."""
    from server.db.models import User
    from server.services import accounts

    with opened(data) as context:
        acting = partial(_at_the_machine, context)
        made = accounts.create_user(None, acting, name, password, role)
        with context.write() as session:
            account, now = session.get_one(User, made.id), context.now()
            token = accounts.make_token(session, account, "made by admin user create", now=now)
            return {"name": account.name, "role": str(account.role), "token": token}


@contextmanager
def _at_the_machine(context: Context) -> Iterator[tuple[Session, None, int]]:
    """A write transaction of somebody at the machine itself, whom the log calls the platform."""
    with context.write() as session:
        yield session, None, context.now()
