"""Notices, and the addresses to which they are sent."""

from __future__ import annotations

from typing import Final, NamedTuple

from matchbox.answers import Answer


class NoticeKind(NamedTuple):
    """The names of a kind of notice on the pages.

    `label` stands before each notice in the inbox. `mail_label` is its label in the form that
    chooses e-mails; None if it cannot be muted.
    """

    label: str
    mail_label: str | None = None


NOTICE_KINDS: Final = {
    "verdict": NoticeKind("Verdict", "verdicts on your uploads, and quarantines"),
    "first-fault": NoticeKind("First fault", "the first fault of a version"),
    "stateful": NoticeKind("Kept state", "that a version keeps state between bouts"),
    "suspension": NoticeKind("Suspension", "suspensions"),
    "disqualification": NoticeKind("Disqualification", "disqualifications"),
    "retirement": NoticeKind("Retired", "that an operator has retired one of your bots"),
    "reinstatement": NoticeKind("Reinstatement", "that one of these was taken back"),
    "season-start": NoticeKind("Season", "the starts of your seasons, with or without your bots"),
    "rank-change": NoticeKind("Rank", "changes of rank in a season"),
    "season-end": NoticeKind("Season", "the ends of your seasons"),
    "comparison-end": NoticeKind("Comparison", "the ends of your comparisons"),
    "finding": NoticeKind("Platform"),
    "finding-over": NoticeKind("Platform"),
    "password": NoticeKind("Account"),
    "password-link": NoticeKind("Account"),
    "confirm-email": NoticeKind("Account"),
    "address": NoticeKind("Account"),
    "role": NoticeKind("Account"),
    "webhook": NoticeKind("Account"),
}
"""Every kind of notice. docs/write-a-bot.md explains them to authors."""

MAY_BE_MUTED: Final = tuple(
    name for name, kind in NOTICE_KINDS.items() if kind.mail_label is not None
)
"""The kinds that an account can mute: those about its bots and their seasons."""


class NoticeLine(Answer):
    """A notice; `path` is the page that it is about."""

    id: int
    kind: str
    subject: str
    text: str
    path: str
    at: str
    read_at: str | None


class Notices(Answer):
    """A page of your notices, newest first; `unread` counts all unread ones."""

    items: list[NoticeLine]
    next: str | None
    unread: int


class Marked(Answer):
    """The number of notices that were unread before."""

    read: int


class Mail(Answer):
    """Where notices are mailed (null for nowhere), all kinds, and the kinds that are not mailed."""

    email: str | None
    kinds: list[str]
    muted: list[str]


class WebhookLine(Answer):
    """A webhook; `disabled_at` is null while notices are posted to it."""

    id: int
    url: str
    created_at: str
    arrived_at: str | None
    disabled_at: str | None
    trouble: str


class FreshWebhook(WebhookLine):
    """A webhook with its secret, which is shown only once."""

    secret: str


class Webhooks(Answer):
    """Your webhooks."""

    items: list[WebhookLine]
    next: str | None


class DeliverySettings(Mail):
    """Where an account's notices are sent, and whether its bots are shared.

    `mail` says whether this platform sends mail, and `email_asked` is an address that is not
    confirmed yet. `hooks` says where webhooks may lead: public, any or none. `shares` says whether
    others may have the bots with exported seasons.
    """

    mail: bool
    shares: bool
    email_asked: str | None
    hooks: str
    webhooks: list[WebhookLine]
