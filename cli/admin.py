"""`matchbox admin ...` and `matchbox migrate`: for the person who runs the server."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import output
from cli.playing import JsonOption

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.db.models import User

admin = typer.Typer(help="Run a server.", no_args_is_help=True)
user = typer.Typer(help="Accounts.", no_args_is_help=True)
admin.add_typer(user, name="user")

DataOption = Annotated[
    Path | None, typer.Option(help="work in this data folder, without an account of your own")
]


@user.command()
def create(
    name: Annotated[str, typer.Argument(help="the account's name")],
    role: Annotated[str, typer.Option(help="author or operator")] = "author",
    password: Annotated[str, typer.Option(help="the password; a random one if left out")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Create an account. With --data it also gets a token, and may be the first operator."""
    from matchbox.errors import BadOption

    if role not in ("author", "operator"):
        raise BadOption(f"there is no role {role!r}: choose author or operator")
    secret = password or secrets.token_urlsafe(12)
    if data is not None:
        answer = _in_folder(data, name, secret, role)
    else:
        from cli.client import parse_answer
        from cli.remote import connect
        from matchbox.answers.accounts import Account

        with connect() as client:
            body = {"name": name, "password": secret, "role": role}
            answer = parse_answer(Account, client.post("/users", body)).plain()
    shown = {**answer, **({} if password else {"password": secret})}
    if json:
        output.document(shown)
    else:
        for key, value in shown.items():
            print(f"{key}: {value}")


def migrate(
    data: Annotated[Path, typer.Option(help="the data folder")] = Path("data"),
    json: JsonOption = False,
) -> None:
    """Update the database to this program's schema; `matchbox up` does so by itself."""
    from cli.folder import settings_of
    from matchbox.settings import read_settings
    from server.context import database_url
    from server.db import migrations

    given = bool(os.environ.get("MATCHBOX_DATABASE_URL"))
    url = database_url(read_settings(os.environ) if given else settings_of(data))
    migrations.migrate(url)
    if json:
        output.document({"migrated": True})
    else:
        output.note("The database has this program's schema.")


def _in_folder(data: Path, name: str, password: str, role: str) -> dict[str, Any]:
    """Makes the account in the folder's or environment's database; returns it and a token."""
    from cli.folder import settings_of
    from cli.prepare import OfflineSender
    from matchbox.settings import read_settings
    from server.context import make_context
    from server.services import accounts

    given = bool(os.environ.get("MATCHBOX_DATABASE_URL"))
    settings = read_settings(os.environ) if given else settings_of(data)
    context = make_context(settings, sender=OfflineSender())
    try:
        with context.write() as session:
            now = context.now()
            if role == "author":
                account = accounts.sign_up(session, name, password, signup="open", now=now)
            else:
                account = _operator(session, name, password, now)
            token = accounts.make_token(session, account, "made by admin user create", now=now)
            return {"name": account.name, "role": str(account.role), "token": token}
    finally:
        context.close()


def _operator(session: Session, name: str, password: str, now: int) -> User:
    from sqlalchemy import select

    from server.db.models import Role, User
    from server.services import accounts

    first = accounts.first_operator_link(session, now=now)
    if first is not None:
        return accounts.claim_operator(session, first, name, password, now=now)
    actor = session.scalars(select(User).where(User.role == Role.OPERATOR)).first()
    assert actor is not None
    return accounts.create_user(session, actor, name, password, "operator", now=now)
