"""The server as an arena sees it: bundles, memories, records, claims, long results, wall reports.

An arena here has the arena token, and gets its jobs from a queue. An arena on another host has a
key, with which it asks for its jobs, too. If the server cannot be reached, the client tries again
for a while, then raises Unavailable.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import httpx
import msgspec
from msgspec import Struct

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

if TYPE_CHECKING:
    from matchbox.match.host_versions import HostVersions

_TIMEOUT_S: Final = 20.0
_PAUSES_S: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
_KEPT_BYTES: Final = 64 << 20


class _Joined(Struct):
    """The answer to an arena that introduces itself."""

    arena: str


class _Taken(Struct):
    """The answer to an arena that asks for a job."""

    task: str
    message: dict[str, Any]


_Answer = TypeVar("_Answer", _Joined, _Taken)


class ServerClient:
    """The server's `/internal` addresses, or its `/remote` ones. Close it when done.

    `number` is the number of a remote arena on its host, from 1; 0 for a local arena. The secret of
    a remote arena is a key; that of a local one is the arena token.
    """

    def __init__(
        self,
        server_url: str,
        secret: str,
        *,
        arena: str = "",
        number: int = 0,
        pauses_s: tuple[float, ...] = _PAUSES_S,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(
            base_url=server_url,
            headers={"Authorization": f"Bearer {secret}", wire.ARENA_HEADER: str(number)},
            timeout=_TIMEOUT_S,
            transport=transport,
            trust_env=server_url.startswith("https:"),
        )
        self._door = "/remote" if number else "/internal"
        self._arena = arena
        self._pauses_s = pauses_s
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def bundle(self, version: str) -> bytes:
        """The bundle with that digest. Raises BadBundle if the server sent another one."""
        return self._get_by_digest("bundles", version)

    def memory(self, name: str) -> bytes:
        """The memory with that digest. Raises BadBundle if the server sent another one."""
        return self._get_by_digest("memories", name)

    def record(self, match: str) -> bytes:
        """The packed record of a match. Raises NotFound."""
        return self._send("GET", f"{self._door}/records/{match}").content

    def claim(self, job: wire.Job) -> bool:
        """Renews the lease of a job; False if the job is over or another attempt holds it."""
        answer = self._send(
            "POST", f"{self._door}/claims", json=wire.to_plain(job.claim(self._arena))
        )
        return answer.status_code != httpx.codes.CONFLICT

    def join(self, versions: HostVersions) -> str:
        """Introduces this arena of another host to the server; returns its full name.

        Raises ArenaOutdated if it must be updated first, and KeyRefused if its key does not work.
        """
        answer = self._send("POST", f"{self._door}/joins", json=wire.to_plain(versions))
        return _read(answer, _Joined).arena

    def take(self, versions: HostVersions) -> tuple[str, dict[str, Any]] | None:
        """The task and the message of the next job of an arena on another host; None without one.

        Raises the errors of `join`, and ArenaStopped if this arena gets no jobs.
        """
        answer = self._send("POST", f"{self._door}/jobs", json=wire.to_plain(versions))
        if answer.status_code != httpx.codes.OK:
            return None
        found = _read(answer, _Taken)
        return found.task, found.message

    def post(self, task: str, message: Struct) -> None:
        """Hands in a result that is too long for the broker, or that the broker could not take.

        From another host, a long one goes in parts: proxies take no long requests. Sends no more of
        it once the server has given the job to another arena.
        """
        plain = wire.to_plain(message)
        result = {"task": task, "message": plain}
        text = json.dumps(result).encode() if self._door == "/remote" else b""
        if len(text) > wire.PART_BYTES:
            headers = {wire.JOB_HEADER: plain["token"]}
            for position, start in enumerate(range(0, len(text), wire.PART_BYTES)):
                path = f"{self._door}/parts/{position}"
                part = text[start : start + wire.PART_BYTES]
                answer = self._send("POST", path, content=part, headers=headers)
                if answer.status_code == httpx.codes.CONFLICT:
                    return
            result = {}
        self._send("POST", f"{self._door}/results", json=result)

    def report_wall(self, report: dict[str, Any]) -> None:
        """Reports which box this arena plays in and what its self-test found."""
        self._send("POST", f"{self._door}/walls", json=report)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The answer, which is any 2xx or 409. Raises Unavailable, or the server's refusal."""
        reason = ""
        for pause in (0.0, *self._pauses_s):
            time.sleep(pause)
            try:
                answer = self._http.request(method, path, **options)
            except httpx.RequestError as error:  # Also of an answer that cannot be unpacked.
                reason = str(error) or type(error).__name__
                continue
            reason = f"it answered {answer.status_code}"
            if not _is_ours(answer):
                reason += " as a proxy does, and not as Matchbox does"
            elif answer.is_success or answer.status_code == httpx.codes.CONFLICT:
                return answer
            elif answer.is_client_error and answer.status_code != httpx.codes.TOO_MANY_REQUESTS:
                raise _refusal(answer)
        raise ServerUnreachable(f"{method} {path} of the server failed: {reason}")

    def _get_by_digest(self, kind: Literal["bundles", "memories"], name: str) -> bytes:
        """The bytes with that digest, which are kept for the next call."""
        if name in self._kept:
            self._kept.move_to_end(name)
            return self._kept[name]
        data = self._send("GET", f"{self._door}/{kind}/{name}").content
        if digest(data) != name:
            raise BadBundle(f"the server sent other bytes than those of {kind}/{name}")
        self._keep(name, data)
        return data

    def _keep(self, name: str, data: bytes) -> None:
        self._kept[name] = data
        while sum(map(len, self._kept.values())) > _KEPT_BYTES:
            self._kept.popitem(last=False)


def _is_ours(answer: httpx.Response) -> bool:
    """Whether the server may have sent this, and not something in between.

    It sends an arena no pages, and refuses in JSON. Only a request that is too long is refused by
    its own proxy.
    """
    kind = answer.headers.get("Content-Type", "")
    if answer.is_client_error and answer.status_code != httpx.codes.REQUEST_ENTITY_TOO_LARGE:
        return "json" in kind
    return not answer.content or "html" not in kind


def _read(answer: httpx.Response, kind: type[_Answer]) -> _Answer:
    """The server's answer in this form. Something in between may answer in JSON, too: raises
    ServerUnreachable."""
    try:
        return msgspec.json.decode(answer.content, type=kind)
    except msgspec.MsgspecError as error:
        where = f"{answer.request.method} {answer.request.url.path}"
        raise ServerUnreachable(
            f"{where} of the server failed: it answered as Matchbox does not: {error}"
        ) from error


def _refusal(answer: httpx.Response) -> MatchboxError:
    """The error for a 4xx answer. A 401 concerns this arena's token, not the job."""
    where = f"{answer.request.method} {answer.request.url.path}"
    if answer.status_code == httpx.codes.LOCKED:
        return ArenaStopped(_detail(answer))
    if answer.status_code == httpx.codes.UPGRADE_REQUIRED:
        return ArenaOutdated(_detail(answer))
    if answer.request.url.path.startswith("/remote/"):
        return _refusal_of_key(answer, where)
    if answer.status_code == httpx.codes.UNAUTHORIZED:
        return Unavailable(
            f"the server does not know this arena and refused {where}: set the same "
            "MATCHBOX_ARENA_TOKEN on server and arena"
        )
    if answer.status_code == httpx.codes.FORBIDDEN:
        return Forbidden(f"the server refused {where}: it did not start this attempt")
    if answer.status_code == httpx.codes.NOT_FOUND:
        return NotFound(f"the server has no {answer.request.url.path} at MATCHBOX_INTERNAL_URL")
    return BadMessage(f"the server refused {where} with {answer.status_code}")


def _refusal_of_key(answer: httpx.Response, where: str) -> MatchboxError:
    """The error for a 4xx answer to an arena on another host."""
    if answer.status_code == httpx.codes.UNAUTHORIZED:
        return KeyRefused(_detail(answer))
    if answer.status_code == httpx.codes.NOT_FOUND:
        return NotFound(f"the server has no {answer.request.url.path}; is it a Matchbox server?")
    kind = Forbidden if answer.status_code == httpx.codes.FORBIDDEN else BadMessage
    return kind(f"the server refused {where} with {answer.status_code}: {_detail(answer)}")


def _detail(answer: httpx.Response) -> str:
    """The server's explanation of the error."""
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return f"it answered {answer.status_code}"
