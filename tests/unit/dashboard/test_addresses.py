"""Addresses in templates: those of Flask, and each is made once."""

from __future__ import annotations

from urllib.parse import urlencode

import flask
import pytest
from flask import Flask

from dashboard import addresses
from matchbox.setting_values import is_loopback


@pytest.fixture
def app() -> Flask:
    """An app with one page."""
    made = Flask("pages")
    made.add_url_rule("/bots/<name>", "bot", lambda name: "")
    return made


def test_an_address_is_that_of_flask_for_every_site_and_value(app: Flask) -> None:
    url_for = addresses.remembered()
    for root in ("http://one/", "http://two/under"):
        with app.test_request_context("/", base_url=root):
            for values in (
                {"name": "one"},
                {"name": "one", "page": 1},
                {"name": "one", "page": True},
                {"name": "one", "page": None},
                {"name": "one", "_anchor": "top"},
                {"name": "one", "_external": True},
            ):
                for _ in range(2):
                    assert url_for("bot", **values) == flask.url_for("bot", **values)


def test_an_address_is_made_once(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    url_for = addresses.remembered()
    with app.test_request_context("/"):
        first = url_for("bot", name="one")
        monkeypatch.setattr(flask, "url_for", None)
        assert url_for("bot", name="one") == first
    with app.test_request_context("/", base_url="http://another.example"):
        assert url_for("bot", name="one") == first


def test_a_long_address_is_not_remembered(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody can make as many of them as they like."""
    url_for = addresses.remembered()
    with app.test_request_context("/"):
        for values in ({"next": "x" * 201}, {"x" * 201: ""}):
            assert url_for("bot", name="one", **values) == "/bots/one?" + urlencode(values)
        monkeypatch.setattr(flask, "url_for", lambda endpoint, **values: "made again")
        assert url_for("bot", name="one", next="x" * 201) == "made again"


@pytest.mark.parametrize(
    ("address", "alone"),
    [
        ("http://127.0.0.1:8000/join/abcd", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:8000/", True),
        ("http://localhost:8000", True),
        ("http://bots.localhost/", True),
        ("http://192.168.0.7:8000/", False),
        ("https://bots.example.org/", False),
        ("https://localhost.example.org/", False),
    ],
)
def test_addresses_of_one_computer_only_are_known(address: str, alone: bool) -> None:
    assert is_loopback(address) is alone
