"""The client of the API: addresses, tokens and answers that are none, and files that fail."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask, redirect

from cli.client import Client
from cli.login import Login, load_login, save_login
from matchbox.answers.accounts import FreshToken
from matchbox.answers.games import Limits
from matchbox.errors import BadMessage, MatchboxError, NotFound, Unavailable
from server.db.models import User
from tests.unit.cli.conftest import Run
from tests.web_server import answering

HALF = "\udcff"
"""A byte of the command line that is not UTF-8."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """A web server that is not Matchbox."""
    app = Flask("elsewhere")

    @app.route("/<kind>/api/v1/bots")
    def bots(kind: str) -> Any:
        return {
            "page": "<html>hello</html>",
            "array": [1],
            "object": {},
            "error": (["no"], 404),
            "moved": redirect("https://there.example/api/v1/bots", 301),
            "packed": (b"\x1f\x8bxx", {"Content-Encoding": "gzip"}),
        }[kind]

    with answering(app) as address:
        yield address


def test_the_token_of_a_login_is_for_its_server_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("MATCHBOX_TOKEN", raising=False)
    save_login(Login("https://bots.example", "mbx_secret"))
    for url, token in (
        ("https://bots.example", "mbx_secret"),
        ("https://bots.example/", "mbx_secret"),
        ("https://bots.example.org", ""),
    ):
        monkeypatch.setenv("MATCHBOX_URL", url)
        assert load_login() == Login(url.rstrip("/"), token)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        *((kind, "did not answer as Matchbox does") for kind in ("page", "array", "object")),
        ("packed", "did not answer as Matchbox does"),
        ("error", "did not answer as Matchbox does"),
        ("nowhere/at/all", "did not answer as Matchbox does"),
        ("moved", "301 MOVED PERMANENTLY, to https://there.example/api/v1/bots: log in at"),
    ],
)
def test_another_web_server_is_told_from_matchbox(
    kind: str, sentence: str, elsewhere: str, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_URL", f"{elsewhere}/{kind}")
    told = matchbox("bots", "--all")
    assert (told.code, told.err.count("\n")) == (1, 1)
    assert sentence in told.err


def client_that(meets: Callable[[httpx.Request], httpx.Response]) -> Client:
    """Returns a client whose requests all meet this."""
    return Client(Login("http://there"), httpx.MockTransport(meets))


def fails(error: type[httpx.TransportError]) -> Callable[[httpx.Request], httpx.Response]:
    """Returns a network that fails in this way."""

    def fail(request: httpx.Request) -> httpx.Response:
        raise error("broken", request=request)

    return fail


@pytest.mark.parametrize(
    ("meets", "what"),
    [
        (fails(httpx.RemoteProtocolError), "has broken off its answer"),
        (fails(httpx.ReadError), "has broken off its answer"),
        (fails(httpx.ReadTimeout), "has not answered in time"),
        (lambda _: httpx.Response(502, html="<h1>Bad Gateway</h1>"), "answered 502 Bad Gateway"),
    ],
)
def test_a_request_whose_answer_is_lost_may_have_been_carried_out(
    meets: Callable[[httpx.Request], httpx.Response], what: str
) -> None:
    doubt = f"{what}, and may still have done what was asked; look before you ask again"
    with client_that(meets) as client:
        with pytest.raises(Unavailable, match=doubt):
            client.post(FreshToken, "/tokens", {"name": "ci"})
        with pytest.raises(Unavailable, match=doubt):
            client.delete("/tokens/1")
        with pytest.raises(Unavailable, match=f"{what}; ask again"):
            client.read("/bundles/1")


def test_a_server_that_lacks_an_address_may_be_of_an_older_release() -> None:
    problem = {"type": "about:blank", "title": "Not Found", "status": 404}
    with client_that(lambda _: httpx.Response(404, json=problem)) as client:
        told = "http://there, which may be of an older release than this command, has nothing at "
        with pytest.raises(NotFound, match=f"{told}/api/v1/limits$"):
            client.answer(Limits, "/limits")
        with pytest.raises(NotFound, match="nothing is called 'No'"):
            client.read("/bots/No")


def test_a_request_that_was_never_sent_has_done_nothing() -> None:
    client = client_that(fails(httpx.ConnectError))
    with client, pytest.raises(Unavailable, match="cannot be reached: start it"):
        client.delete("/tokens/1")


def test_a_certificate_that_is_not_trusted_is_named() -> None:
    def meets(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")

    sentence = "the certificate of the server at http://there is not trusted .*self-signed"
    with client_that(meets) as client, pytest.raises(Unavailable, match=sentence):
        client.read("/bundles/1")


@pytest.mark.parametrize(
    ("url", "kind", "error", "what"),
    [
        ("http://here/api/v1", "about:blank", BadMessage, "here/api/v1 did not answer as Matchbox"),
        ("http://here/bots", "urn:matchbox:problem:not-found", NotFound, "nothing here"),
        ("http://here", "about:blank", NotFound, "http://here, which may be of an older release"),
    ],
)
def test_a_server_s_address_with_a_path_too_many_is_named(
    url: str, kind: str, error: type[MatchboxError], what: str
) -> None:
    answer = httpx.Response(404, json={"type": kind, "detail": "nothing here"})
    client = Client(Login(url), httpx.MockTransport(lambda _: answer))
    with client, pytest.raises(error, match=what):
        client.read("/leaderboards/bomb")


def test_a_page_of_something_in_between_is_no_answer() -> None:
    with client_that(lambda _: httpx.Response(200, html="<p>Welcome</p>")) as client:
        file = io.BytesIO()
        asked: list[Callable[[], object]] = [
            lambda: client.delete("/tokens/1"),
            lambda: client.read("/leagues/bomb/results.csv"),
            lambda: client.post_for_bytes("/users/alice/data"),
            lambda: client.save("/seasons/1/archive", file),
        ]
        for ask in asked:
            with pytest.raises(BadMessage, match="did not answer as Matchbox does"):
                ask()
        assert file.getvalue() == b""


@pytest.mark.parametrize("url", ["", "foo", "ftp://x", "http://", "http://[::1", "http://x:y"])
def test_an_address_that_is_none_is_named(
    url: str, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("mbx_secret\n"))
    told = matchbox("login", url, "--name", "alice", "--token")
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert sys.stdin.read(), "nothing is asked for before"
    assert f"{url.rstrip('/')!r} is not the address of a server" in told.err


def test_a_password_in_the_address_of_a_server_is_refused_and_not_shown(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_URL", "http://anna:secret@127.0.0.1:9")
    told = matchbox("bots", "--all")
    assert (told.code, "an account or a password before its host" in told.err) == (2, True)
    assert "secret" not in told.err


@pytest.mark.parametrize("text", ["[1]", "{", '{"url": "http://x", "token": "t", "options": 5}'])
def test_a_damaged_login_is_told(
    text: str, matchbox: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MATCHBOX_URL", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = save_login(Login("http://127.0.0.1:9", "t"))
    path.write_text(text)
    told = matchbox("bots", "--all")
    assert told.code == 2
    assert told.err == f"matchbox: {path} is damaged: `matchbox login URL` makes it anew\n"


@pytest.mark.parametrize("token", ["\u00fc", HALF, "a\nb"])
def test_a_token_that_no_header_can_hold_is_not_sent(
    token: str, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_TOKEN", token)
    told = matchbox("bots")
    assert (told.code, "the token has characters" in told.err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ["league", "show", HALF],
        ["bots", "--game", HALF],
        ["token", "make", HALF],
        ["simulate", "bomb", "simple", "scared", "--box", "none", "--seed", HALF],
    ],
)
def test_text_that_is_not_utf_8_is_one_sentence(
    words: list[str], alice: User, matchbox: Run
) -> None:
    told = matchbox(*words)
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert "is not UTF-8" in told.err


def test_a_name_with_signs_of_addresses_names_nothing_else(charlie: User, matchbox: Run) -> None:
    for name in ("Cup", "Cup #3", "50%25 of?"):
        matchbox("season", "create", name, "--game", "bomb")
    assert matchbox("season", "show", "Cup #3", "--json").json["name"] == "Cup #3"
    assert matchbox("season", "cancel", "Cup #3", "--json").json["state"] == "cancelled"
    assert matchbox("season", "show", "Cup", "--json").json["state"] == "open"
    assert matchbox("standings", "50%25 of?").code == 0
    assert matchbox("league", "show", "bomb#x").code == 1
    assert matchbox("league", "edit", "bomb?x", "--deals", "3").code == 1
    assert matchbox("retire", "alice/x?").code == 1
    assert matchbox("league", "show", "a\nb").code == 1


def test_a_name_with_letters_that_no_name_has_is_named(charlie: User, matchbox: Run) -> None:
    matchbox("season", "create", "Autumn", "--game", "bomb", "--cron", "0 18 * * FRI")
    shown = matchbox("league", "show", "autumn", "--json").json
    assert shown["name"] == "autumn"
    # The league of a game has the game's name, which may have other letters.
    assert "there is no league 'Autumn'" in matchbox("league", "show", "Autumn").err
    for words in (("retire", "Autumn"), ("logs", "alice/Autumn")):
        refused = matchbox(*words)
        assert refused.code == 1
        assert "'Autumn': names have only a-z, 0-9 and hyphens" in refused.err


def test_a_login_that_cannot_be_kept_is_one_sentence(
    alice: User, matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file" / "below"))
    monkeypatch.delenv("MATCHBOX_TOKEN")
    told = matchbox("bots")
    assert (told.code, told.err.count("\n")) == (1, 1)
    assert "cannot be used: Not a directory" in told.err


def _no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_an_account_without_a_home_is_told_so_and_needs_none_with_a_token(
    alice: User, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", _no_home)
    assert matchbox("bots").code == 0
    monkeypatch.delenv("MATCHBOX_TOKEN")
    told = matchbox("bots")
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert "this account has no home folder" in told.err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:9"),
        ("ALL_PROXY", "socks://127.0.0.1:9"),
        ("NO_PROXY", "[::1]"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_one_sentence(
    name: str, value: str, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_URL", "https://bots.example")
    monkeypatch.setenv(name, value)
    told = matchbox("bots")
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert "the proxy of the environment cannot be used" in told.err


def test_certificates_that_are_not_there_are_one_sentence(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_URL", "https://there.example")
    monkeypatch.setenv("SSL_CERT_FILE", "/gone.pem")
    told = matchbox("bots", "--all")
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert "correct or unset SSL_CERT_FILE" in told.err


def test_no_proxy_stands_before_a_server_of_this_machine(
    alice: User, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert matchbox("bots").code == 0


def test_a_player_s_own_error_keeps_its_traceback(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("open('gone')\n")
    with pytest.raises(FileNotFoundError):
        matchbox("run", file, "--game", "bomb")


def test_an_account_s_data_are_written_whole_or_not_at_all(
    charlie: User, matchbox: Run, tmp_path: Path
) -> None:
    words = ["admin", "user", "export", charlie.name, "--out"]
    told = matchbox(*words, tmp_path)
    assert (told.code, told.err) == (2, f"matchbox: {tmp_path} is a folder: name a file in it\n")
    gone = tmp_path / "gone" / "data.zip"
    told = matchbox(*words, gone)
    assert (told.code, told.err) == (
        2,
        f"matchbox: {gone} cannot be written: No such file or directory\n",
    )
    kept = tmp_path / "data.zip"
    kept.write_text("older")
    assert matchbox(*words, kept).code == 2
    assert kept.read_text() == "older"
    fresh = tmp_path / "fresh.zip"
    assert matchbox("admin", "user", "export", "nobody", "--out", fresh).code == 1
    assert not fresh.exists()
    assert matchbox(*words, fresh).code == 0
    assert fresh.read_bytes()[:2] == b"PK"


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_signs_that_the_terminal_lacks_are_escaped(
    form: list[str], charlie: User, tmp_path: Path
) -> None:
    (tmp_path / "names.csv").write_text("name,note\nanna,Аня\nben,\u00fc\n", encoding="utf-8")
    command = Path(sys.executable).with_name("matchbox")
    done = subprocess.run(
        [command, "league", "accounts", "bomb", tmp_path / "names.csv", *form],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u0410\\u043d\\u044f" in done.stdout
    if form:
        notes = [one["note"] for one in json.loads(done.stdout)["items"]]
        assert notes == ["Аня", "\u00fc"]
    else:
        assert done.stdout.splitlines()[2].startswith(b"ben\t")


def test_names_in_another_encoding_are_one_sentence(
    charlie: User, matchbox: Run, tmp_path: Path
) -> None:
    (tmp_path / "names.csv").write_bytes("name\njörg\n".encode("latin-1"))
    told = matchbox("league", "accounts", "bomb", tmp_path / "names.csv")
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert "is not UTF-8" in told.err
