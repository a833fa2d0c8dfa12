"""Makes plain-text mails, and hands them to the mail server of the settings.

Knows SMTP and the form of mails, but no notices and no database. The email package refuses a line
break in a header, so a text that a user has typed cannot add a header.
"""

from __future__ import annotations

import re
import smtplib
import ssl
from contextlib import suppress
from dataclasses import dataclass
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate
from typing import TYPE_CHECKING, Final

from matchbox.errors import BadName, Forbidden, Unavailable, quoted

if TYPE_CHECKING:
    from matchbox.errors import MatchboxError
    from matchbox.settings import Settings

TIMEOUT_S: Final = 10.0
"""The time to wait for each answer of the mail server, which is the operator's own, in seconds."""
LONGEST_SUBJECT: Final = 78
_SEVEN_BIT: Final = SMTP.clone(cte_type="7bit")  # smtplib announces no 8BITMIME.
_NO_SUCH_RECEIVER: Final = re.compile(r"5\.(1\.(1|2|3|6|10)|2\.1)\b")
"""The status codes of RFC 3463 for an address that is wrong, moved or switched off. Other refusals
may be about the sender or the platform's account, which an operator can put right."""

_SYSTEM: Final = re.compile(rb"421|4\d\d 4\.[345]\.")
"""Temporary refusals of a receiver that are about the server or the way there. Others are about the
receiver alone, such as a full mailbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A mail to one person."""

    to: str
    subject: str
    text: str
    name: str
    """The mail's Message-ID. It stays the same on a retry, so that receivers can drop
    duplicates."""
    at: int
    """Seconds since the epoch."""


def message_of(letter: Letter, sender: str) -> EmailMessage:
    """Returns the letter as an e-mail message. Raises BadName if an address is not valid."""
    message = EmailMessage(policy=_SEVEN_BIT)
    domain = sender.partition("@")[2]
    try:
        message["From"] = Address("Matchbox", addr_spec=sender)
        message["To"] = Address(addr_spec=letter.to)
    except (ValueError, MessageError) as error:
        raise BadName(f"{quoted(letter.to)} is not a valid mail address") from error
    message["Subject"] = one_line(letter.subject, LONGEST_SUBJECT)
    message["Date"] = formatdate(letter.at)
    message["Message-ID"] = f"<{letter.name}@{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text)
    return message


def send(letter: Letter, settings: Settings, *, trust: ssl.SSLContext | None = None) -> None:
    """Hands the letter to the mail server.

    Raises BadName if there is no such receiver, Forbidden if the server refuses this mail for
    another reason, such as a receiver that takes no mail for the moment, or Unavailable if it
    cannot take mails now.
    """
    message = message_of(letter, settings.smtp_sender)
    try:
        with _open(settings, trust or ssl.create_default_context()) as server:
            if settings.smtp_user:
                server.login(settings.smtp_user, settings.smtp_password)
            server.send_message(message)
            with suppress(smtplib.SMTPServerDisconnected):
                server.quit()  # The end of the block takes another answer than 221 for an error.
    except smtplib.SMTPRecipientsRefused as error:
        code, reply = next(iter(error.recipients.values()))
        refused = _refusal(letter.to, code, reply)
        if isinstance(refused, Unavailable) and not _SYSTEM.match(b"%d %s" % (code, reply)):
            refused = Forbidden(str(refused))
        raise refused from error
    except smtplib.SMTPDataError as error:
        raise _refusal(letter.to, *error.args) from error
    except (OSError, smtplib.SMTPException, ValueError) as error:
        # A ValueError: a host that is not a valid name, or an account or password beyond ASCII.
        raise Unavailable(f"the mail server at {settings.smtp_host} failed: {error}") from error


def _open(settings: Settings, trust: ssl.SSLContext) -> smtplib.SMTP:
    host, port = settings.smtp_host, settings.smtp_port
    here = settings.smtp_sender.partition("@")[2]
    if settings.smtp_tls == "tls":
        return smtplib.SMTP_SSL(host, port, here, timeout=TIMEOUT_S, context=trust)
    server = smtplib.SMTP(host, port, here, timeout=TIMEOUT_S)
    if settings.smtp_tls == "starttls":
        try:
            server.starttls(context=trust)
        except (OSError, smtplib.SMTPException):
            server.close()
            raise
    return server


def _refusal(address: str, code: int, reply: bytes) -> MatchboxError:
    """The error for a server's refusal of the mail to that address, before or after its text."""
    said = reply.decode("ascii", "replace")
    text = f"the mail server refuses the mail to {address}: {code} {said}"
    if code < 500:
        return Unavailable(text)
    return (BadName if _NO_SUCH_RECEIVER.match(said) else Forbidden)(text)


def one_line(text: str, most: int) -> str:
    """Returns the text on one line of at most `most` characters, cut with an ellipsis.

    A character that cannot be printed becomes a space.
    """
    line = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return line if len(line) <= most else line[: most - 1] + "…"
