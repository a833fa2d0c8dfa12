"""Mails: their form, and the messages to a mail server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from matchbox.errors import BadName, Forbidden, Unavailable
from matchbox.settings import Settings
from server import mail
from server.mail import Letter
from server.services import deliveries
from tests.receivers import MailServer, certificate, mail_server

LETTER = Letter(
    to="alice@example.org",
    subject="Matchbox: alice/größer was refused",
    text="alice/größer was refused\n\nhttps://bots.example/\n",
    name="notice-7",
    at=1_700_000_000,
)


def settings_of(told: MailServer, **more: Any) -> Settings:
    """Settings that lead to this mail server."""
    knobs = {"smtp_tls": "none", "smtp_sender": "league@bots.example", **more}
    return Settings(smtp_host="localhost", smtp_port=told.port, **knobs)


def test_a_letter_arrives_as_plain_text_with_its_headers() -> None:
    with mail_server() as told:
        mail.send(LETTER, settings_of(told))
    (arrived,) = told.mails
    assert arrived["From"] == "Matchbox <league@bots.example>"
    assert arrived["To"] == "alice@example.org"
    assert arrived["Subject"] == "Matchbox: alice/größer was refused"
    assert arrived["Message-ID"] == "<notice-7@bots.example>"
    assert arrived["Date"] == "Tue, 14 Nov 2023 22:13:20 -0000"
    assert arrived["Auto-Submitted"] == "auto-generated"
    assert arrived.get_content_type() == "text/plain"
    assert arrived.get_content() == LETTER.text
    assert arrived["Content-Transfer-Encoding"] == "quoted-printable", "no 8BITMIME was agreed on"
    assert told.envelopes == [("<league@bots.example>", ["<alice@example.org>"])]


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r", "\x0b", "\x85", "\u2028", "\0"])
def test_no_text_adds_a_header(end: str) -> None:
    evil = f"done{end}Bcc: bob@example.org{end}{end}Buy this"
    with mail_server() as told:
        mail.send(replace(LETTER, subject=evil), settings_of(told))
        with pytest.raises(BadName):
            mail.send(replace(LETTER, to=f"alice@example.org{end}Bcc: x@y"), settings_of(told))
    (arrived,) = told.mails
    assert arrived["Subject"] == "done Bcc: bob@example.org Buy this"
    assert arrived["Bcc"] is None
    assert told.envelopes[0][1] == ["<alice@example.org>"]


def test_a_line_with_a_dot_ends_no_letter() -> None:
    text = "one\n.\nRCPT TO:<bob@example.org>\n..two\n"
    with mail_server() as told:
        mail.send(replace(LETTER, text=text), settings_of(told))
    assert told.mails[0].get_content() == text
    assert len(told.envelopes) == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [("short", "short"), ("x" * 11, "x" * 9 + "…"), ("a\n\tb\u202e c", "a b c")],
)
def test_a_subject_is_one_short_line(text: str, line: str) -> None:
    assert mail.one_line(text, 10) == line


def test_the_password_is_said_only_to_a_server_that_shows_its_certificate(tmp_path: Path) -> None:
    shown, trust = certificate(tmp_path, "localhost")
    knobs = {"smtp_tls": "starttls", "smtp_user": "league", "smtp_password": "open sesame"}
    with mail_server(shown) as told:
        mail.send(LETTER, settings_of(told, **knobs), trust=trust)
        assert [line.split()[0] for line in told.said[:4]] == ["ehlo", "STARTTLS", "ehlo", "AUTH"]
        said = len(told.said)
        with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED") as refused:
            mail.send(LETTER, settings_of(told, **knobs))
        assert not [line for line in told.said[said:] if line.startswith("AUTH")]
    with mail_server() as told, pytest.raises(Unavailable, match="STARTTLS") as stripped:
        mail.send(LETTER, settings_of(told, **knobs))
    assert not [line for line in told.said if line.startswith("AUTH")]
    assert "sesame" not in f"{refused.value} {stripped.value}"


def test_a_delivery_is_held_for_longer_than_the_slowest_server_takes(tmp_path: Path) -> None:
    shown, trust = certificate(tmp_path, "localhost")
    knobs = {"smtp_tls": "starttls", "smtp_user": "league", "smtp_password": "open sesame"}
    with mail_server(shown) as told:
        mail.send(LETTER, settings_of(told, **knobs), trust=trust)
    waits = len(told.said) + 3  # Also for the greeting, for TLS, and for the text to be taken.
    assert 1000 * mail.TIMEOUT_S * waits < deliveries.HELD_MS


def test_a_server_may_speak_tls_from_the_start(tmp_path: Path) -> None:
    shown, trust = certificate(tmp_path, "localhost")
    with mail_server(shown, wrapped=True) as told:
        mail.send(LETTER, settings_of(told, smtp_tls="tls"), trust=trust)
    assert len(told.mails) == 1


@pytest.mark.parametrize("step", ["refuses", "dislikes"])
@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ("550 5.1.1 no such account", BadName),
        ("550 5.1.10 no such account", BadName),
        ("550 5.2.1 the account is switched off", BadName),
        ("550 5.1.8 the sender's domain is unknown", Forbidden),
        ("554 5.7.1 relay access denied", Forbidden),
        ("553 5.7.1 not the sender's account", Forbidden),
        ("550 relay not permitted", Forbidden),
        ("450 4.3.2 not now", Unavailable),
        ("421 4.2.0 too many", Unavailable),
    ],
)
def test_a_refusal_is_for_good_only_if_there_is_no_such_receiver(
    step: str, reply: str, error: type[Exception]
) -> None:
    with mail_server() as told:
        setattr(told, step, reply)
        with pytest.raises(error, match=f"alice@example.org: {reply}"):
            mail.send(LETTER, settings_of(told))
    assert not told.mails


def test_a_receiver_that_takes_no_mail_for_the_moment_is_refused_alone() -> None:
    with mail_server() as told:
        told.refuses = "452 4.2.2 the mailbox is full"
        with pytest.raises(Forbidden, match=r"452 4\.2\.2 the mailbox is full"):
            mail.send(LETTER, settings_of(told))
        told.refuses, told.dislikes = "", "450 4.2.0 not now"
        with pytest.raises(Unavailable, match=r"450 4\.2\.0 not now"):
            mail.send(LETTER, settings_of(told))


def test_a_letter_that_was_taken_has_arrived_whatever_follows() -> None:
    with mail_server() as told:
        told.farewell = "421 shutting down"
        mail.send(LETTER, settings_of(told))
    assert len(told.mails) == 1


def test_a_wrong_password_is_told_without_it() -> None:
    with mail_server() as told:
        told.password = "something else"
        knobs = {"smtp_user": "league", "smtp_password": "open sesame"}
        with pytest.raises(Unavailable, match="535") as refused:
            mail.send(LETTER, settings_of(told, **knobs))
    assert "sesame" not in str(refused.value)


def test_a_mail_server_that_is_down_is_tried_later() -> None:
    with mail_server() as told:
        knobs = settings_of(told)
    with pytest.raises(Unavailable, match="mail server at localhost failed"):
        mail.send(LETTER, knobs)


@pytest.mark.parametrize(
    "wrong",
    [{"smtp_host": "mail..example"}, {"smtp_user": "league", "smtp_password": "Öffne dich"}],
)
def test_a_setting_that_no_mail_can_be_sent_with_is_told_without_the_password(
    wrong: dict[str, Any],
) -> None:
    with mail_server() as told:
        told.password = "open sesame"
        with pytest.raises(Unavailable, match="codec") as refused:
            mail.send(LETTER, replace(settings_of(told), **wrong))
    assert "dich" not in str(refused.value)
