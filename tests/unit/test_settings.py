"""Settings: the values read, and the values refused by name."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from matchbox.errors import BadSetting
from matchbox.settings import (
    FRAME_DECISIONS,
    LEARN_CPU_MS,
    PREFIX,
    SECRET_FILES,
    Settings,
    limits_of,
    read_settings,
)
from sandbox import policy
from server.services import sessions
from worker import broker

MAIL = {"SMTP_HOST": "mail.example.org", "SMTP_SENDER": "league@bots.example"}


def test_an_empty_environment_gives_the_defaults() -> None:
    assert read_settings({}) == Settings()


def test_an_empty_variable_counts_as_not_set() -> None:
    assert read_settings({"MATCHBOX_WIDTH": ""}).width == Settings().width


def test_other_programs_variables_are_left_alone() -> None:
    assert read_settings({"HOME": "/root", "MATCHBOX_TOKEN": "x"}) == Settings()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("width", "64", 64),
        ("secure_cookies", "yes", True),
        ("secure_cookies", "0", False),
        ("box", "bwrap", "bwrap"),
        ("database_url", "postgresql+psycopg://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        ("database_url", "postgresql+psycopg://u:p[@h/d", "postgresql+psycopg://u:p[@h/d"),
        ("broker_url", "unix:///run/redis.sock", "unix:///run/redis.sock"),
        ("broker_url", "unix:///srv/a@b/redis.sock", "unix:///srv/a@b/redis.sock"),
        ("server_url", "http://[fe80::1%br-1.2]:80", "http://[fe80::1%br-1.2]:80"),
        ("server_url", "HTTP://[::1]:80", "HTTP://[::1]:80"),
        ("server_url", "https://bots.example/", "https://bots.example/"),
        ("internal_url", "http://web_internal:8001", "http://web_internal:8001"),
        ("broker_url", "redis://:a%2Fb@here:6379/0", "redis://:a%2Fb@here:6379/0"),
        ("broker_url", "redis:///0", "redis:///0"),
        ("secret_key", "s" * 32, "s" * 32),
        ("arena_token", "four words, in all 32 characters", "four words, in all 32 characters"),
        (
            "secret_key",
            "a sentence of \N{EN DASH} more than 32 characters",
            "a sentence of \N{EN DASH} more than 32 characters",
        ),
    ],
)
def test_a_variable_sets_its_knob(name: str, text: str, value: object) -> None:
    assert getattr(read_settings({PREFIX + name.upper(): text}), name) == value


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("WIDTH", "many", "whole number"),
        ("WIDTH", "0", "between 1 and 1024"),
        ("WIDTH", "1025", "between 1 and 1024"),
        ("BOX", "cardboard", "auto, bwrap"),
        ("SECURE_COOKIES", "maybe", "true or false"),
        ("SECRET_KEY", "short", "32 or more"),
        ("BROKER_URL", "amqp://somewhere", "redis://"),
        ("DATABASE_URL", "nonsense", "sqlite://"),
        ("SERVER_URL", "ftp://here", "http://"),
        ("SERVER_URL", "http:here", "http://"),
        ("SERVER_URL", "http://", "a host"),
        ("SERVER_URL", "http://[::1", "a host"),
        ("SERVER_URL", "http://here:80a", "its port"),
        ("SERVER_URL", "http://..", "write a host"),
        ("SERVER_URL", "http://a b", "write a host"),
        ("SERVER_URL", "http://x\r\nSet:1", "write a host"),
        ("SERVER_URL", "https://school.example/bots", "must end after the host"),
        ("SERVER_URL", "https://school.example?", "must end after the host"),
        ("SERVER_URL", "https://school.example/#top", "must end after the host"),
        ("WIDTH", "1_0", "whole number"),
        ("WIDTH", "\N{ARABIC-INDIC DIGIT THREE}", "whole number"),
        ("WIDTH", " 5 ", "whole number"),
        ("WIDTH", "9" * 30, "between 1 and 1024"),
        ("ARENA_TOKEN", "\N{LATIN SMALL LETTER E WITH ACUTE}" * 32, "that no HTTP header takes"),
        ("ARENA_TOKEN", " " * 40, "has 0 characters"),
        ("ARENA_TOKEN", "two words " * 4, "that no HTTP header takes"),
        ("SMTP_HOST", "mail.example.org/", "a host"),
        ("SMTP_HOST", "mail.example.org:587", "a host without a port"),
        ("SMTP_HOST", "[2001:db8::1]:587", "a host without a port"),
        ("SMTP_PORT", "0", "between 1 and 65535"),
        ("SMTP_TLS", "ssl", "starttls, tls, none"),
        ("SMTP_SENDER", "League <league@example.org>", "an address"),
        ("SMTP_SENDER", "a@example.org\nBcc: b@example.org", "an address"),
        ("WEBHOOKS", "private", "public, any, none"),
        ("SOCKETS", "relative/x", "a path that begins with /"),
        ("DISKS", "books", "paths that begin with /"),
        ("DISKS", "/books,", "paths that begin with /"),
    ],
)
def test_nonsense_is_refused_by_the_variables_name(name: str, text: str, says: str) -> None:
    with pytest.raises(BadSetting, match=says) as refused:
        read_settings({PREFIX + name: text})
    assert PREFIX + name in str(refused.value)


@pytest.mark.parametrize(
    ("name", "url", "says"),
    [
        ("BROKER_URL", "redis://:secret@here:bad", "its port must be a number"),
        ("BROKER_URL", "rediss://:secret/word@here", "takes %2F for a /"),
        ("BROKER_URL", "redis://:1/secret@here", "takes %2F for a /"),
        ("BROKER_URL", "redis://:secret[@here", "%5B for a"),
        ("SERVER_URL", "https://anna:secret@here", "leave out an account and a password"),
        ("INTERNAL_URL", "http://anna:secret@", "leave out an account and a password"),
        ("INTERNAL_URL", "http://anna:1/secret@web", "has an @, which it cannot hold"),
    ],
)
def test_an_address_that_may_hold_a_password_is_refused_without_it(
    name: str, url: str, says: str
) -> None:
    with pytest.raises(BadSetting, match=f"^MATCHBOX_{name} .*{says}") as refused:
        read_settings({PREFIX + name: url})
    assert "secret" not in str(refused.value)


def test_the_broker_of_a_data_folder_is_taken_wherever_the_folder_is() -> None:
    for folder in ("/srv/anna@school.example/data", "/srv/a[b/data", "/srv/a#b?/data"):
        url = broker.address(Path(folder))
        assert read_settings({"MATCHBOX_BROKER_URL": url}).broker_url == url


def test_two_equal_secrets_are_refused() -> None:
    secret = "s" * 40
    with pytest.raises(BadSetting, match="are the same; give them two values") as refused:
        read_settings({"MATCHBOX_SECRET_KEY": secret, "MATCHBOX_ARENA_TOKEN": secret})
    assert secret not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"SMTP_HOST": "mail.example.org"}, "MATCHBOX_SMTP_SENDER is empty"),
        ({**MAIL, "SMTP_PORT": "465"}, "set MATCHBOX_SMTP_TLS to tls, or the port to 587"),
        ({"SMTP_USER": "league"}, "MATCHBOX_SMTP_USER and MATCHBOX_SMTP_PASSWORD go together"),
        ({"SMTP_PASSWORD": "open sesame"}, "MATCHBOX_SMTP_USER and MATCHBOX_SMTP_PASSWORD"),
    ],
)
def test_half_a_way_for_mails_is_refused(given: dict[str, str], says: str) -> None:
    with pytest.raises(BadSetting, match=says) as refused:
        read_settings({PREFIX + name: text for name, text in given.items()})
    assert "open sesame" not in str(refused.value)


@pytest.mark.parametrize("host", ["mail.example.org", "192.0.2.1", "2001:db8::1", "localhost"])
def test_a_mail_server_is_a_name_or_an_address(host: str) -> None:
    given = {**MAIL, "SMTP_HOST": host, "SMTP_PORT": "465", "SMTP_TLS": "tls"}
    assert read_settings({PREFIX + name: text for name, text in given.items()}).smtp_host == host


def test_a_least_size_above_the_greatest_is_refused() -> None:
    with pytest.raises(
        BadSetting, match="MATCHBOX_FEWEST_DEALS is 20 and MATCHBOX_MOST_DEALS only"
    ):
        read_settings({"MATCHBOX_FEWEST_DEALS": "20", "MATCHBOX_MOST_DEALS": "10"})


def test_what_is_secret_is_not_printed() -> None:
    key, token, password = "k" * 32, "t" * 32, "open sesame"
    printed = repr(Settings(secret_key=key, arena_token=token, smtp_password=password))
    assert not [secret for secret in (key, token, password) if secret in printed]


def test_an_unknown_setting_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(BadSetting, match="did you mean MATCHBOX_MEMORY_MB"):
        read_settings({"MATCHBOX_MEMORY": "64"})


def test_every_setting_says_what_it_means() -> None:
    assert all(len(knob.metadata["meaning"]) > 10 for knob in fields(Settings))


def test_every_number_has_bounds_and_a_default_within_them() -> None:
    for knob in fields(Settings):
        if type(knob.default) is int:
            assert knob.metadata["least"] <= knob.default <= knob.metadata["most"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"CPU_MS": "120000", "BANK_MS": "3600000"},
            "CPU_MS .* take 3600 s for a question.* to 61, or",
        ),
        (
            {"CPU_MS": "600000", "BANK_MS": "300000"},
            "CPU_MS .* take 300 s for a question.* to 6, or",
        ),
        ({"START_CPU_MS": "300000"}, "START_CPU_MS .* take 300 s to load, .*LEASE_MINUTES is 5"),
        (
            {"WALL_FACTOR": "30"},
            "^MATCHBOX_WALL_FACTOR lets a bot take 300 s for a lesson, .*_MINUTES to 6, or",
        ),
        ({"START_CPU_MS": "60000", "WALL_FACTOR": "29", "LEASE_MINUTES": "4"}, "290 s to load"),
        (
            {"LEASE_MINUTES": "1", "BANK_MS": "60000", "CPU_MS": "15000"},
            "MATCHBOX_LEASE_MINUTES to 2, or",
        ),
    ],
)
def test_limits_of_bots_that_no_lease_can_hold_are_refused(
    given: dict[str, str], says: str
) -> None:
    environment = {f"MATCHBOX_{name}": value for name, value in given.items()}
    with pytest.raises(BadSetting, match=says):
        read_settings(environment, open)
    read_settings(environment)  # A command that plays by itself has no lease.


@pytest.mark.parametrize(
    "given",
    [
        {"CPU_MS": "600000"},
        {"LEASE_MINUTES": "1"},
        {"BANK_MS": "3600000"},
        {"WALL_FACTOR": "29"},
        {"WALL_FACTOR": "100", "LEASE_MINUTES": "17"},
    ],
)
def test_limits_of_bots_that_a_lease_can_hold_are_taken(given: dict[str, str]) -> None:
    read_settings({f"MATCHBOX_{name}": value for name, value in given.items()}, open)


def test_the_lease_is_checked_for_as_much_as_a_box_allows() -> None:
    assert (FRAME_DECISIONS, LEARN_CPU_MS) == (policy.FRAME_DECISIONS, policy.LEARN_CPU_MS)
    limits = policy.learning_limits(policy.Limits(wall_factor=7))
    assert (limits.cpu_ms, limits.bank_ms) == (LEARN_CPU_MS, 7 * LEARN_CPU_MS)


def test_sessions_cannot_be_kept_longer_than_they_live() -> None:
    for days, kept in (("7", 7), ("31", sessions.LIFE_DAYS), ("36500", sessions.LIFE_DAYS)):
        read = read_settings({"MATCHBOX_KEEP_SESSION_DAYS": days})
        assert read.keep_session_days == kept
    with pytest.raises(BadSetting, match="must lie between 0 and 36500"):
        read_settings({"MATCHBOX_KEEP_SESSION_DAYS": "36501"})


def test_the_limits_of_a_seat_are_taken_from_the_settings() -> None:
    assert limits_of(read_settings({"MATCHBOX_CPU_MS": "70"}))["cpu_ms"] == 70


def test_a_secret_is_read_from_its_file_without_the_line_end(tmp_path: Path) -> None:
    place = tmp_path / "key"
    place.write_text("k" * 40 + "\n")
    read = read_settings({"MATCHBOX_SECRET_KEY_FILE": str(place)}, open)
    assert read.secret_key == "k" * 40


def test_a_secret_and_its_file_together_are_refused(tmp_path: Path) -> None:
    given = {"MATCHBOX_SECRET_KEY": "k" * 40, "MATCHBOX_SECRET_KEY_FILE": str(tmp_path / "key")}
    with pytest.raises(BadSetting, match="both set; remove one"):
        read_settings(given, open)


def test_the_file_of_a_secret_that_is_empty_or_missing_is_named(tmp_path: Path) -> None:
    place = tmp_path / "password"
    with pytest.raises(BadSetting, match=r"MATCHBOX_SMTP_PASSWORD_FILE names .* cannot be read"):
        read_settings({"MATCHBOX_SMTP_PASSWORD_FILE": str(place)}, open)
    place.write_text("\n")
    with pytest.raises(BadSetting, match="which is empty; write the secret into it"):
        read_settings({"MATCHBOX_SMTP_PASSWORD_FILE": str(place)}, open)


def test_a_setting_that_is_no_secret_is_not_read_from_a_file() -> None:
    with pytest.raises(BadSetting, match="there is no setting MATCHBOX_SIGNUP_FILE"):
        read_settings({"MATCHBOX_SIGNUP_FILE": "somewhere"}, open)


def test_every_setting_that_is_not_shown_may_be_in_a_file() -> None:
    hidden = {f"MATCHBOX_{one.name.upper()}_FILE" for one in fields(Settings) if not one.repr}
    assert hidden <= set(SECRET_FILES)
