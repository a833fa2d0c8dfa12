"""The server as an arena sees it: bundles, memories, records, claims, long results, wall reports.

Knows six addresses and the arena token; knows no queue. If the server cannot be reached, the client
tries again for a while, then raises Unavailable.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, Literal

import httpx

from matchbox.bundle import digest
from matchbox.errors import (
    ArenaStopped,
    BadBundle,
    BadMessage,
    Forbidden,
    MatchboxError,
    NotFound,
    Unavailable,
)
from matchbox.match import wire

if TYPE_CHECKING:
    from msgspec import Struct

_TIMEOUT_S: Final = 20.0
_PAUSES_S: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
_KEPT_BYTES: Final = 64 << 20


class ServerClient:
    """The server's `/internal` addresses. Close it when done."""

    def __init__(
        self,
        server_url: str,
        arena_token: str,
        *,
        arena: str = "",
        pauses_s: tuple[float, ...] = _PAUSES_S,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(
            base_url=server_url,
            headers={"Authorization": f"Bearer {arena_token}"},
            timeout=_TIMEOUT_S,
            transport=transport,
            trust_env=False,
        )
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
        return self._send("GET", f"/internal/records/{match}").content

    def claim(self, job: wire.Job) -> bool:
        """Renews the lease of a job; False if the job is over or another attempt holds it."""
        answer = self._send("POST", "/internal/claims", json=wire.to_plain(job.claim(self._arena)))
        return answer.status_code != httpx.codes.CONFLICT

    def post(self, task: str, message: Struct) -> None:
        """Hands in a result that is too long for the broker, or that the broker could not take."""
        result = {"task": task, "message": wire.to_plain(message)}
        self._send("POST", "/internal/results", json=result)

    def report_wall(self, report: dict[str, Any]) -> None:
        """Reports which box this arena plays in and what its self-test found."""
        self._send("POST", "/internal/walls", json=report)

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
            except httpx.TransportError as error:
                reason = str(error) or type(error).__name__
                continue
            if answer.is_success or answer.status_code == httpx.codes.CONFLICT:
                return answer
            reason = f"it answered {answer.status_code}"
            if answer.is_client_error and answer.status_code != httpx.codes.TOO_MANY_REQUESTS:
                raise _refusal(answer)
        raise Unavailable(f"{method} {path} of the server failed: {reason}")

    def _get_by_digest(self, kind: Literal["bundles", "memories"], name: str) -> bytes:
        """The bytes with that digest, which are kept for the next call."""
        if name in self._kept:
            self._kept.move_to_end(name)
            return self._kept[name]
        data = self._send("GET", f"/internal/{kind}/{name}").content
        if digest(data) != name:
            raise BadBundle(f"the server sent other bytes than those of {kind}/{name}")
        self._keep(name, data)
        return data

    def _keep(self, version: str, data: bytes) -> None:
        self._kept[version] = data
        while sum(map(len, self._kept.values())) > _KEPT_BYTES:
            self._kept.popitem(last=False)


def _refusal(answer: httpx.Response) -> MatchboxError:
    """The error for a 4xx answer. A 401 is about this arena's token and says nothing of the job."""
    where = f"{answer.request.method} {answer.request.url.path}"
    if answer.status_code == httpx.codes.LOCKED:
        return ArenaStopped("this arena is stopped: it waits until an operator lets it go on")
    if answer.status_code == httpx.codes.UNAUTHORIZED:
        return Unavailable(
            f"the server does not know this arena and refused {where}: set the same "
            "MATCHBOX_ARENA_TOKEN on server and arena"
        )
    if answer.status_code == httpx.codes.FORBIDDEN:
        return Forbidden(f"the server refused {where}: it did not start this attempt")
    if answer.status_code == httpx.codes.NOT_FOUND:
        return NotFound(
            f"the server has no {answer.request.url.path} where MATCHBOX_INTERNAL_URL leads"
        )
    return BadMessage(f"the server refused {where} with {answer.status_code}")
