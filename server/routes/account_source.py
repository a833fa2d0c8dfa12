"""The functions that pages about the viewer read from, in the page's database session."""

from __future__ import annotations

from matchbox.answers.accounts import LogInWays, OpenidFound, SessionLine, TokenLine, Viewer
from matchbox.answers.classes import Membership
from matchbox.answers.notices import DeliverySettings
from server import openid_flow, queries
from server.auth import (
    account,
    context,
    reader,
    reading,
    reading_as,
    session_number,
    viewer,
    visitor,
)
from server.queries import classes, log_ins
from server.queries import inbox as inbox_queries
from server.services import accounts, contact, notices


class AccountSource:
    """The part of `dashboard.source.Source` that is about the viewer."""

    claim_open = staticmethod(reading(accounts.is_open_link))
    my_bots = staticmethod(reading_as(account, queries.my_bots))
    inbox = staticmethod(reading_as(account, inbox_queries.inbox))

    def log_in_ways(self) -> LogInWays:
        issuer = context().settings.openid_issuer
        with reader() as session:
            return log_ins.log_in_ways(session, account(session), issuer=issuer)

    def viewer(self) -> Viewer | None:
        asking = visitor()
        if asking is None:
            return None
        with reader() as session:
            unread = notices.unread(session, asking.id)
        return Viewer(name=asking.name, role=asking.role, unread=unread)

    def tokens(self) -> list[TokenLine]:
        with reader() as session:
            since = accounts.listed_since(context().now())
            return queries.tokens(session, account(session), since=since, revoked=True)

    def signup_closed(self) -> bool:
        return context().settings.signup != "open"

    def play_closed(self) -> bool:
        return not context().settings.play_tables

    def openid_label(self) -> str | None:
        settings = context().settings
        return settings.openid_label if settings.openid_issuer else None

    def openid_found(self) -> OpenidFound | None:
        openid_flow.provider()
        kept = openid_flow.found_identity()
        if kept is None:
            return None
        with reader() as session:
            settings = context().settings
            return log_ins.openid_found(session, viewer(session), kept[0], settings)

    def openid_out(self) -> str:
        return openid_flow.provider().end_address()

    def sessions(self) -> list[SessionLine]:
        with reader() as session:
            user, now = account(session), context().now()
            return queries.sessions(session, user, session_number(), now=now)

    def delivery_settings(self) -> DeliverySettings:
        with reader() as session:
            return inbox_queries.delivery_settings(session, account(session), context().settings)

    def sends_mail(self) -> bool:
        return bool(context().settings.smtp_host)

    def reset_name(self, number: int, secret: str) -> str | None:
        ctx = context()
        with reader() as session:
            return inbox_queries.reset_name(session, number, secret, ctx.settings, ctx.now())

    def link_open(self, secret: str) -> bool:
        ctx = context()
        with reader() as session:
            user, now = account(session), ctx.now()
            return contact.is_open(user, secret, settings=ctx.settings, now=now)

    def memberships(self) -> list[Membership]:
        with reader() as session:
            asking = viewer(session)
            return classes.memberships(session, asking) if asking else []
