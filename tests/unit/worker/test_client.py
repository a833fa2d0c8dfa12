"""The server as an arena sees it: the requests, the checks of answers, and the retries."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from matchbox.bundle import digest
from matchbox.errors import (
    ArenaOutdated,
    ArenaStopped,
    BadBundle,
    BadMessage,
    Forbidden,
    KeyRefused,
    MatchboxError,
    NotFound,
    ServerUnreachable,
    Unavailable,
)
from matchbox.match import wire
from matchbox.match.host_versions import HostVersions
from tests.unit.worker.bots import GOOD
from tests.unit.worker.conftest import a_match
from worker.arena.client import ServerClient

DATA = GOOD.encode()
VERSION = digest(DATA)
Answer = Callable[[httpx.Request], httpx.Response]


class Server:
    """A server that answers by a function, and remembers its requests."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return answer(request)


def says(status: int, content: bytes = b"") -> Answer:
    """Returns an answer that is always the same."""
    return lambda request: httpx.Response(status, content=content)


def breaks(request: httpx.Request) -> httpx.Response:
    """Breaks the connection without an answer."""
    raise httpx.ConnectError("connection refused")


def shows_a_page(request: httpx.Request) -> httpx.Response:
    """Answers with a page for people, as a proxy or the log-in page of a network does."""
    return httpx.Response(200, html="<p>Welcome to our network</p>")


def problem(status: int, detail: str = "the reason") -> Answer:
    """Returns a refusal of the server with its reason."""
    return lambda request: httpx.Response(status, json={"detail": detail})


def cannot_be_unpacked(request: httpx.Request) -> httpx.Response:
    """Answers with bytes that are not of the encoding that they are said to have."""
    stream = httpx.ByteStream(b"\x1f\x8bxx")
    return httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=stream)


def client_of(server: Server) -> ServerClient:
    """A client that talks to this server, with three attempts and no pause."""
    transport = httpx.MockTransport(server)
    return ServerClient("http://server", "arena-token", pauses_s=(0.0, 0.0), transport=transport)


def body(request: httpx.Request) -> Any:
    """Returns the JSON of a request."""
    return json.loads(request.content)


def test_it_shows_the_arena_token() -> None:
    server = Server(says(200, DATA))
    client_of(server).bundle(VERSION)
    assert server.asked[0].headers["Authorization"] == "Bearer arena-token"
    assert server.asked[0].url.path == f"/internal/bundles/{VERSION}"


def test_a_bundle_is_fetched_once() -> None:
    server = Server(says(200, DATA))
    client = client_of(server)
    assert client.bundle(VERSION) == client.bundle(VERSION) == DATA
    assert len(server.asked) == 1


def test_other_bytes_than_those_asked_for_are_refused() -> None:
    with pytest.raises(BadBundle, match="sent other bytes"):
        client_of(Server(says(200, b"something else"))).bundle(VERSION)


@pytest.mark.parametrize(("answer", "ours"), [(says(204), True), (problem(409), False)])
def test_a_claim_says_whether_the_job_is_still_wanted(answer: Answer, ours: bool) -> None:
    server = Server(answer)
    assert client_of(server).claim(a_match(DATA, DATA)) is ours
    told = {"kind": "match", "subject": "match", "attempt": 1, "token": "token", "arena": ""}
    assert body(server.asked[0]) == told


def test_a_result_is_posted_with_its_task() -> None:
    server = Server(says(200))
    lost = a_match(DATA, DATA).lost("why")
    client_of(server).post(wire.LOST, lost)
    assert server.asked[0].url.path == "/internal/results"
    assert body(server.asked[0]) == {"task": "ledger.lost", "message": wire.to_plain(lost)}


def test_the_wall_is_reported() -> None:
    server = Server(says(204))
    client_of(server).report_wall({"box": "bwrap", "walled": True})
    assert body(server.asked[0]) == {"box": "bwrap", "walled": True}


@pytest.mark.parametrize(
    "trouble", [breaks, says(503), problem(429), shows_a_page, cannot_be_unpacked]
)
def test_a_server_in_trouble_is_asked_again(trouble: Answer) -> None:
    server = Server(trouble, trouble, says(200, DATA))
    assert client_of(server).bundle(VERSION) == DATA
    assert len(server.asked) == 3


@pytest.mark.parametrize("trouble", [shows_a_page, cannot_be_unpacked])
def test_no_answer_of_something_in_between_stands_for_the_server_s(trouble: Answer) -> None:
    client = elsewhere(Server(trouble))
    asked: list[Callable[[], object]] = [
        lambda: client.join(KNOCK),
        lambda: client.take(KNOCK),
        lambda: client.claim(a_match(DATA, DATA)),
        lambda: client.post(wire.LOST, a_match(DATA, DATA).lost("why")),
        lambda: client.record("1"),
        lambda: client.report_wall({}),
    ]
    for ask in asked:
        with pytest.raises(Unavailable, match="of the server failed"):
            ask()


@pytest.mark.parametrize("content", [b"{}", b"[]", b"OK", b"\xff", b'{"arena": 1, "task": "x"}'])
def test_an_answer_that_no_server_of_ours_gives_comes_from_something_in_between(
    content: bytes,
) -> None:
    client = elsewhere(Server(says(200, content)))
    asked: list[Callable[[], object]] = [lambda: client.join(KNOCK), lambda: client.take(KNOCK)]
    for ask in asked:
        with pytest.raises(ServerUnreachable, match="answered as Matchbox does not"):
            ask()


@pytest.mark.parametrize("status", [401, 403, 404, 409, 423, 426])
def test_a_proxy_s_error_refuses_neither_key_nor_job(status: int) -> None:
    """A proxy that starts knows no server yet; another wants a login of its own."""
    server = Server(says(status, b"404 page not found"))
    with pytest.raises(Unavailable, match=f"it answered {status} as a proxy does"):
        elsewhere(server).take(KNOCK)
    assert len(server.asked) == 2


def test_a_request_that_the_proxy_finds_too_long_is_refused() -> None:
    with pytest.raises(BadMessage, match="413"):
        elsewhere(Server(says(413))).post(wire.LOST, a_match(DATA, DATA).lost("why"))


@pytest.mark.parametrize("trouble", [breaks, says(500)])
def test_a_server_that_stays_in_trouble_is_unavailable(trouble: Answer) -> None:
    server = Server(trouble)
    with pytest.raises(Unavailable, match=r"GET /internal/bundles/\w+ of the server failed"):
        client_of(server).bundle(VERSION)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("status", "kind"), [(401, Unavailable), (403, Forbidden), (404, NotFound), (422, BadMessage)]
)
def test_a_refusal_is_final(status: int, kind: type[Exception]) -> None:
    server = Server(problem(status))
    with pytest.raises(kind):
        client_of(server).bundle(VERSION)
    assert len(server.asked) == 1


def test_the_wrong_token_says_what_to_set() -> None:
    with pytest.raises(Unavailable, match="MATCHBOX_ARENA_TOKEN on server and arena"):
        client_of(Server(problem(401))).report_wall({})


def elsewhere(server: Server) -> ServerClient:
    """Returns the client of the second arena of another host."""
    transport = httpx.MockTransport(server)
    return ServerClient("http://server", "key", number=2, pauses_s=(0.0,), transport=transport)


KNOCK = HostVersions(
    release="1", python="3.12", rules={"bomb": "2b"}, match="7f", libraries={"numpy": "2"}
)


def test_an_arena_on_another_host_asks_for_its_jobs_with_its_key() -> None:
    found = {"task": wire.PLAY_MATCH, "message": {"match": "m"}}
    server = Server(says(200, json.dumps({"arena": "lab-2@key:lab", **found}).encode()), says(204))
    client = elsewhere(server)
    assert client.join(KNOCK) == "lab-2@key:lab"
    assert client.take(KNOCK) is None
    asked = [(one.url.path, one.headers["Matchbox-Arena"]) for one in server.asked]
    assert asked == [("/remote/joins", "2"), ("/remote/jobs", "2")]
    assert server.asked[0].headers["Authorization"] == "Bearer key"
    said = wire.to_plain(KNOCK)
    assert said["libraries"] == {"numpy": "2"}
    assert [json.loads(one.content) for one in server.asked] == [said, said]
    gives = Server(says(200, json.dumps(found).encode()))
    assert elsewhere(gives).take(KNOCK) == (wire.PLAY_MATCH, {"match": "m"})


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, KeyRefused), (423, ArenaStopped), (426, ArenaOutdated), (404, NotFound),
     (403, Forbidden), (422, BadMessage)],
)  # fmt: skip
def test_an_arena_on_another_host_is_told_why_it_gets_nothing(
    status: int, error: type[MatchboxError]
) -> None:
    with pytest.raises(error) as caught:
        elsewhere(Server(problem(status))).take(KNOCK)
    assert status == 404 or "the reason" in str(caught.value)


def test_a_long_result_goes_to_another_host_in_parts() -> None:
    server = Server(says(204), says(204), says(204), says(200, b"{}"))
    long = a_match(DATA, DATA).lost("x" * (2 * wire.PART_BYTES))
    elsewhere(server).post(wire.LOST, long)
    paths = [one.url.path for one in server.asked]
    assert paths == [*(f"/remote/parts/{at}" for at in range(3)), "/remote/results"]
    assert {one.headers[wire.JOB_HEADER] for one in server.asked[:-1]} == {long.token}
    parts = [one.content for one in server.asked[:-1]]
    assert max(map(len, parts)) == wire.PART_BYTES
    assert json.loads(b"".join(parts)) == {"task": wire.LOST, "message": wire.to_plain(long)}
    assert body(server.asked[-1]) == {}


def test_a_long_result_of_a_job_that_another_arena_has_got_is_not_sent_on() -> None:
    server = Server(says(204), problem(409))
    elsewhere(server).post(wire.LOST, a_match(DATA, DATA).lost("x" * (2 * wire.PART_BYTES)))
    assert [one.url.path for one in server.asked] == ["/remote/parts/0", "/remote/parts/1"]
