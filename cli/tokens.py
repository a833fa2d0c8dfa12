"""`matchbox login`, `logout`, `token ...` and `password`: the secrets of an account."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Final

import typer

from cli import output
from cli.playing import JsonOption
from cli.remote import DAYS, DaysOption, ScopeOption, connect, secret_of, token_fields
from matchbox.errors import BadOption, MatchboxError, Unavailable

token = typer.Typer(help="Secrets that stand for your account.", no_args_is_help=True)

COLUMNS: Final = ("id", "name", "scopes", "made", "last used", "ends")


def log_in(
    url: Annotated[str, typer.Argument(help="the server's address")],
    name: Annotated[str, typer.Option(help="your account; asked for if left out")] = "",
    token: Annotated[bool, typer.Option("--token", help="paste a token, not a password")] = False,
    scope: ScopeOption = None,
    days: DaysOption = DAYS,
    json: JsonOption = False,
) -> None:
    """Log in to a server; the password is asked for, or read from stdin."""
    from cli.client import Client, check_address
    from cli.login import Login, save_login
    from matchbox.answers.accounts import Account, FreshToken

    address = url.rstrip("/")
    if token and (scope or days != DAYS):
        raise BadOption("a token keeps its scopes and days: leave out --scope and --days")
    check_address(address)
    if token:
        chosen = Login(address, secret_of("Token").strip())
        with Client(chosen) as client:
            known = client.answer(Account, "/whoami")
        account, role = known.name, known.role
    else:
        options = token_fields(scope, days)
        body = {
            "name": name or _asked_name(),
            "password": secret_of("Password"),
            **options,
        }
        with Client(Login(address)) as client:
            made = client.post(FreshToken, "/login", body)
        account, role, chosen = made.account, made.role, Login(address, made.token, options)
    path = save_login(chosen)
    known_as = {"url": address, "account": account, "role": role}
    output.outcome(known_as, f"Logged in to {address} as {account} ({role}); kept in {path}", json)


def log_out(json: JsonOption = False) -> None:
    """Log out: revoke the token of the last login, and delete the file in which it is kept."""
    from cli.client import Client
    from cli.login import Login, forget_login

    kept, path = forget_login()
    if kept is None:
        told = f"No login is kept in {path} now, and no token is revoked"
    else:
        try:
            with Client(Login(kept.url)) as client:
                client.post_without_answer("/logout", {"token": kept.token})
        except MatchboxError as error:
            raise Unavailable(
                f"{path} is deleted, but its token still works: {error}; revoke it on your "
                f"account's page at {kept.url}"
            ) from error
        told = f"Logged out of {kept.url}: the token is revoked, and {path} is deleted"
    if os.environ.get("MATCHBOX_TOKEN"):
        told += "; MATCHBOX_TOKEN is still set"
    output.outcome({"url": kept.url if kept else None, "file": str(path)}, told, json)


def _asked_name() -> str:
    """The account's name: asked for at a terminal, otherwise read as a line of stdin.

    Raises BadOption if stdin has no such line.
    """
    if sys.stdin.isatty():
        name: str = typer.prompt("Name", err=True)
        return name
    if not (line := sys.stdin.readline().strip()):
        raise BadOption("give --name, or the name as a line of stdin")
    return line


@token.command("list")
def list_tokens(json: JsonOption = False) -> None:
    """List your tokens with their scopes, last use and end."""
    from matchbox.answers.accounts import TokenLine

    with connect() as client:
        tokens = list(client.answers(TokenLine, "/tokens"))
    rows = [
        (
            one.id,
            one.name,
            " ".join(one.scopes),
            one.created_at[:10],
            (one.used_at or "never")[:10],
            (one.ends_at or "never")[:10],
        )
        for one in tokens
    ]
    output.listing(tokens, COLUMNS, rows, json)


@token.command("make")
def make(
    name: Annotated[str, typer.Argument(help="what the token is for")],
    scope: ScopeOption = None,
    days: DaysOption = DAYS,
    json: JsonOption = False,
) -> None:
    """Make a token; its secret is printed only once."""
    from matchbox.answers.accounts import FreshToken

    with connect() as client:
        made = client.post(FreshToken, "/tokens", {"name": name, **token_fields(scope, days)})
    if json:
        output.document(made.plain())
    else:
        ends = (made.ends_at or "never")[:10]
        output.note(f"It may {', '.join(made.scopes)}, and ends on {ends}.")
        print(made.token)


@token.command("revoke")
def revoke(
    number: Annotated[int, typer.Argument(min=1, help="the token's id in `token list`")],
    json: JsonOption = False,
) -> None:
    """Revoke a token."""
    with connect() as client:
        client.delete(f"/tokens/{number}")
    output.outcome({"revoked": number}, f"Token {number} is revoked.", json)


def password(
    revoke_tokens: Annotated[
        bool,
        typer.Option(
            "--revoke-tokens",
            help="revoke all tokens; unless MATCHBOX_TOKEN is set, a saved login gets a new one",
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Change your password; the old and the new one are asked for, or read from stdin."""
    from cli.client import Client
    from cli.login import Login, load_login, save_login
    from matchbox.answers.accounts import Account, FreshToken

    chosen = load_login()
    with Client(chosen) as client:
        old, new = secret_of("Password"), secret_of("New password", twice=True)
        body = {"old": old, "new": new, "revoke_tokens": revoke_tokens}
        account = client.post(Account, "/account/password", body).name
    given = bool(os.environ.get("MATCHBOX_TOKEN"))
    if revoke_tokens and not given:
        body = {"name": account, "password": new, **chosen.options}
        try:
            with Client(Login(chosen.url)) as client:
                fresh = client.post(FreshToken, "/login", body)
            save_login(Login(chosen.url, fresh.token, chosen.options))
        except MatchboxError as error:
            raise Unavailable(
                "the password is changed and all tokens are revoked, but you are not logged in "
                f"again: {error}; use `matchbox login {chosen.url}`"
            ) from error
    changed = {"account": account, "tokens_revoked": revoke_tokens}
    output.outcome(changed, _password_message(revoke_tokens, given=given), json)


def _password_message(revoked: bool, *, given: bool) -> str:
    """The message after a new password; `given` is True if the token is the environment's."""
    message = "The password is changed, and every browser is logged out."
    if not revoked:
        return f"{message} Your tokens still work; `matchbox token list` shows them."
    if given:
        return f"{message} All tokens are revoked, including MATCHBOX_TOKEN: log in again."
    return f"{message} All tokens are revoked; a new one is kept for `matchbox`."
