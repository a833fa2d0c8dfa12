"""The operators' forms for everybody's accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import Blueprint, flash

from dashboard import classes, users
from dashboard import forms as pages
from matchbox.answers.classes import FreshAccount, FreshAccounts
from server.auth import acting, context, signed_in
from server.routes.form_fields import field, form_of, go_to, secret_page
from server.routes.source import the_source
from server.services import account_deletion, account_operations, accounts
from server.zips import handed_over_zip

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

CHANGES: Final = {
    "role": (account_operations.set_role, "role"),
    "note": (account_operations.set_note, "note"),
    "close": (account_operations.close, "reason"),
}
"""What each form does to an account, and the name of its field."""

routes = Blueprint("forms_users", __name__)


@routes.post("/admin/users")
@form_of(pages.admin_page)
def create() -> Response:
    """Makes an account for somebody else."""
    wanted = field("name"), field("password"), field("role")
    accounts.create_user(signed_in(), acting, *wanted)
    return go_to("pages.user", name=wanted[0])


@routes.post("/admin/users/<name:name>/reset")
@form_of(users.user_page)
def reset(name: str) -> Response:
    """Gives the account a new password, and shows it once."""
    revoke = field("revoke") == "yes"
    fresh = account_operations.reset_password(signed_in(), acting, name, revoke=revoke)
    items = [FreshAccount(name=name, password=fresh)]
    return secret_page(classes.passwords_page(FreshAccounts(league="", items=items)))


@routes.post("/admin/users/<name:name>/password-link")
@form_of(users.user_page)
def make_password_link(name: str) -> Response:
    """Makes a link that sets the account's password, and shows it once."""
    settings = context().settings
    with acting() as (session, actor, now):
        made = account_operations.make_password_link(
            session, actor, name, settings=settings, now=now
        )
    return secret_page(users.user_page(the_source(), name, link=made))


@routes.post("/admin/users/<name:name>/data")
def data(name: str) -> Response:
    """Returns all data of the account as a zip."""
    return handed_over_zip(name)


@routes.post("/admin/users/<name:name>/<any(role, note, close):action>")
@form_of(users.user_page, without=["action"])
def change(name: str, action: str) -> Response:
    """Changes the account's role or note, or closes it."""
    do, given = CHANGES[action]
    with acting() as (session, actor, now):
        do(session, actor, name, field(given), now=now)
    return go_to("pages.user", name=name)


@routes.post("/admin/users/<name:name>/sessions/<number:number>/end")
def end_session(name: str, number: int) -> Response:
    """Logs one of the account's browsers out."""
    with acting() as (session, actor, now):
        account_operations.end_session(session, actor, name, number, now=now)
    return go_to("pages.user", name=name, _anchor="sessions")


@routes.post("/admin/users/<name:name>/tokens/<number:number>/revoke")
def revoke_token(name: str, number: int) -> Response:
    """Revokes one of the account's tokens."""
    with acting() as (session, actor, now):
        account_operations.revoke_token(session, actor, name, number, now=now)
    return go_to("pages.user", name=name, _anchor="tokens")


@routes.post("/admin/users/<name:name>/reopen")
@form_of(users.user_page)
def reopen(name: str) -> Response:
    """Reopens the account."""
    with acting() as (session, actor, now):
        account_operations.reopen(session, actor, name, now=now)
    return go_to("pages.user", name=name)


@routes.post("/admin/users/<name:name>/delete")
@form_of(users.user_page)
def delete(name: str) -> Response:
    """Deletes the account, which is closed."""
    with acting() as (session, actor, now):
        account_deletion.delete_closed_account(session, actor, name, field("reason"), now=now)
    flash(f"The account {name} is deleted.")
    return go_to("pages.users")
