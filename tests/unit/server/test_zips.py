"""The turns of zips that are made for one request."""

from __future__ import annotations

from threading import Thread
from typing import IO

import flask
import pytest

from matchbox.errors import Unavailable
from server import zips
from server.zips import Turns
from tests.installation import eventually


def test_one_zip_is_made_one_waits_and_others_are_refused_at_once() -> None:
    turns, made = Turns(), list[str]()

    def make() -> None:
        with turns.taken():
            made.append("second")

    second = Thread(target=make)
    with turns.taken():
        second.start()
        eventually(lambda: turns._places._value == 0)
        with pytest.raises(Unavailable, match="try again in a minute"), turns.taken():
            pass
        assert made == []
    second.join()
    assert made == ["second"]


def test_a_zip_that_waits_too_long_is_refused_and_keeps_no_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(zips, "WAIT_S", 0.01)
    turns = Turns()
    with turns.taken():
        for _ in range(3):
            with pytest.raises(Unavailable), turns.taken():
                pass
    with turns.taken():
        pass


def test_only_a_few_zips_are_held_until_their_clients_have_read_them() -> None:
    def write(file: IO[bytes]) -> str:
        file.write(b"a zip")
        return "season"

    def fail(file: IO[bytes]) -> str:
        raise ValueError("it cannot be made")

    turns = Turns()
    with flask.Flask("zips").test_request_context("/"):
        for _ in range(zips.MAX_UNREAD + 1):
            with pytest.raises(ValueError, match="it cannot be made"):
                zips.zip_response(fail, "no-store", turns)
        held = [zips.zip_response(write, "no-store", turns) for _ in range(zips.MAX_UNREAD)]
        with pytest.raises(Unavailable, match="being downloaded"):
            zips.zip_response(write, "no-store", turns)
        held[0].close()
        held[0] = zips.zip_response(write, "no-store", turns)
        for one in held:
            one.close()
