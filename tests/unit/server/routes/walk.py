"""Reads every address that the application answers to a GET, as several viewers.

The addresses come from the application's own map, so none can be forgotten: the walk
fails at a new part of an address until `World.parts` or `World.names` has it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final
from zipfile import ZipFile, is_zipfile

from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from server.request_log import HEADER as REQUEST_ID

ENDLESS: Final = "events.events"
WITHOUT_WORTH: Final = {
    "static": "the framework's folder, which does not exist",
    "health.metrics": "counts the walk's own requests",
}
"""Endpoints that are not walked, with the reason."""
QUERIES: Final = {
    "arena": ("", "?since=2020-01-01"),
    "match": ("", "?seat=0", "?seat=1&bout=1&step=1", "?seat=table"),
    "table": ("", "?seat=0", "?seat=1&since=1", "?seat=table&revision=x"),
    "season": ("", "?bundles=mine"),
}
"""The queries of addresses with these parts."""
FILTERS: Final = ("", "?bot={bot}&result=won", "?bot={bot}&fault=1", "?fault=true")
"""The queries of lists of matches."""
_FRESH: Final = (
    re.compile(r'nonce="[^"]+"'),
    re.compile(r'csrf.token\\?" (value|content)=\\?"[^"]+"'),
)


REFUSED: Final = (429, 503)
"""The statuses of answers that say when to ask again."""


@dataclass(frozen=True)
class Answer:
    """The stable part of an answer: the status, and the body without nonces."""

    status: int
    body: str
    asks_to_wait: bool = False
    """Whether the answer says when to ask again."""


Walked = dict[tuple[str, str], Answer]
"""The answers by viewer and address."""


@dataclass(frozen=True)
class World:
    """The application, its viewers, and the values of the parts of its addresses."""

    app: APIFlask
    tokens: Mapping[str, str]
    """The viewers' API tokens by name; "" for a visitor without an account."""
    parts: Mapping[str, list[Any]]
    """The values of a part of an address, by its name."""
    names: Mapping[str, list[Any]]
    """The values of parts whose meaning depends on the beginning of the address, by that
    beginning."""
    bot: str
    """A bot as owner/name, for filters."""
    games: Mapping[str, str]
    """The game of each table. An address with both must name the table's own game."""

    def walk(self, *viewers: str, heads: bool = False) -> Walked:
        """Returns all answers to these viewers. With `heads` the first viewer sends a HEAD, too,
        which must have the same status and no body."""
        found: Walked = {}
        for viewer in viewers:
            client = self.app.test_client()
            head = heads and viewer == viewers[0]
            for rule, path in self.addresses():
                found[viewer, path] = self.ask(client, viewer, rule, path, head=head)
        return found

    def addresses(self) -> Iterator[tuple[Rule, str]]:
        """Yields every address with a GET, with all values of its parts and several queries."""
        for rule, path in self.paths("GET"):
            if rule.endpoint not in WITHOUT_WORTH:
                for query in self._queries(rule):
                    yield rule, path + query

    def paths(self, method: str) -> Iterator[tuple[Rule, str]]:
        """Yields every address with this method, with all values of its parts."""
        for rule in sorted(self.app.url_map.iter_rules(), key=lambda rule: rule.rule):
            if method not in (rule.methods or ()) or rule.endpoint == "static":
                continue
            order = sorted(rule.arguments)
            for values in product(*(self._values(rule, name) for name in order)):
                parts = dict(zip(order, values, strict=True))
                if self._belong(parts):
                    path = self.app.url_map.bind("").build(rule.endpoint, parts, method=method)
                    yield rule, path

    def ask(self, client: FlaskClient, viewer: str, rule: Rule, path: str, *, head: bool) -> Answer:
        """Returns the answer to a GET; with `head` it is compared with that to a HEAD."""
        token = self.tokens[viewer]
        headers = {REQUEST_ID: "walk"} | ({"Authorization": f"Bearer {token}"} if token else {})
        if rule.endpoint == ENDLESS:
            return _first_events(client, path, headers)
        with client.get(path, headers=headers) as got:
            data, waits = got.data, "Retry-After" in got.headers
        if head:
            with client.head(path, headers=headers) as empty:
                assert (empty.status_code, empty.data) == (got.status_code, b""), path
        if is_zipfile(io.BytesIO(data)):
            return Answer(got.status_code, _unpacked(data), waits)
        text = data.decode("utf-8", "replace") + got.headers.get("Location", "")
        for fresh in _FRESH:
            text = fresh.sub("", text)
        return Answer(got.status_code, text, waits)

    def _belong(self, parts: Mapping[str, Any]) -> bool:
        game = parts.get("game")
        return game is None or "table" not in parts or self.games[parts["table"]] == game

    def _values(self, rule: Rule, name: str) -> list[Any]:
        begins = (prefix for prefix in self.names if f"{rule.rule}>".startswith(prefix))
        longest = max((one for one in begins if one.endswith(f"{name}>")), key=len, default="")
        found = self.names.get(longest) or self.parts.get(name)
        assert found, f"say in the walk's world what <{name}> of {rule.rule} stands for"
        return found

    def _queries(self, rule: Rule) -> tuple[str, ...]:
        for part, queries in QUERIES.items():
            if part in rule.arguments:
                return queries
        filters = FILTERS if rule.endpoint.endswith(".matches") else ("",)
        return tuple(query.format(bot=self.bot) for query in filters)


def held_up(walked: Walked) -> list[tuple[str, str]]:
    """Returns the requests that got a time to ask again without a temporary refusal."""
    return [
        asked
        for asked, answer in walked.items()
        if answer.asks_to_wait and answer.status not in REFUSED
    ]


def unanswered(world: World, walked: Walked) -> set[str]:
    """Returns the endpoints that gave none of these viewers anything."""
    viewers = {viewer for viewer, _ in walked}
    ends: dict[str, bool] = {}
    for rule, path in world.addresses():
        answered = any(walked[viewer, path].status < 400 for viewer in viewers)
        ends[rule.endpoint] = ends.get(rule.endpoint, False) or answered
    return {endpoint for endpoint, answered in ends.items() if not answered}


def differing(one: Walked, other: Walked) -> dict[tuple[str, str], str]:
    """Returns the addresses whose answers differ, with the places of the first difference."""
    assert one.keys() == other.keys()
    return {
        asked: _difference(one[asked], other[asked]) for asked in one if one[asked] != other[asked]
    }


def _difference(one: Answer, other: Answer) -> str:
    if one.status != other.status:
        return f"{one.status} and {other.status}"
    pairs = zip(one.body, other.body, strict=False)
    at = next((at for at, (a, b) in enumerate(pairs) if a != b), len(one.body))
    return f"{one.body[max(0, at - 80) : at + 60]!r} and {other.body[max(0, at - 20) : at + 60]!r}"


def _first_events(client: FlaskClient, path: str, headers: Mapping[str, str]) -> Answer:
    """Returns all stored events; the stream itself would not end."""
    with client.get(f"{path}?after=0", headers=dict(headers), buffered=False) as answer:
        chunks, text = answer.iter_encoded(), ""
        while "still here" not in text:
            chunk = next(chunks, None)
            if chunk is None:
                break
            text += chunk.decode()
    return Answer(answer.status_code, text)


def _unpacked(data: bytes) -> str:
    """Returns the files of a zip as one text, since the zip also holds the time of its creation."""
    with ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return "\n".join(f"{name}: {data.decode('utf-8', 'replace')}" for name, data in files.items())
