"""The client of a server's API that all commands use: requests, answers and refusals.

Knows HTTP and problem documents; prints nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, Final, TypeVar

import httpx
from pydantic import ValidationError

from cli.login import DEFAULT_URL, Login
from matchbox import errors
from matchbox.answers import Answer
from matchbox.setting_values import is_loopback

A = TypeVar("A", bound=Answer)

_TIMEOUT_S: Final = 60.0
_NOT_SENT: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""Exceptions after which the server has certainly not got the request."""
_NEW_TOKEN: Final = "; make a new one on your account's page"
"""The server's advice to those who have no `matchbox login`."""
_ODD_NAME: Final = re.compile(r"/([^/]*[^a-z0-9./-][^/]*)")
"""A part of an address that is not the name of an account, a bot or a league."""
_ERRORS: Final[Mapping[int, type[errors.MatchboxError]]] = {
    401: errors.Forbidden,
    403: errors.Forbidden,
    404: errors.NotFound,
    409: errors.Conflict,
    413: errors.BadBundle,
    429: errors.TooMany,
}


class Client:
    """The API under /api/v1. Use it in a `with` block."""

    def __init__(self, login: Login, transport: httpx.BaseTransport | None = None) -> None:
        """Raises BadOption for an address or a token that no request can be made with, and
        BadSetting for such a proxy or such certificates of the environment."""
        _check(login)
        headers = {"Authorization": f"Bearer {login.token}"} if login.token else {}
        self.url = login.url
        try:
            self._http = httpx.Client(
                base_url=f"{login.url}/api/v1",
                headers=headers,
                timeout=_TIMEOUT_S,
                transport=transport,
                trust_env=not _is_here(login.url),
            )
        except OSError as error:
            raise errors.BadSetting(
                "the certificates that the environment names cannot be read: correct or unset "
                f"SSL_CERT_FILE and SSL_CERT_DIR ({error})"
            ) from error
        except (ImportError, ValueError, httpx.InvalidURL) as error:
            raise errors.BadSetting(
                "the proxy of the environment cannot be used: correct or unset HTTP_PROXY, "
                f"HTTPS_PROXY, ALL_PROXY or NO_PROXY ({error})"
            ) from error

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def answer(self, kind: type[A], path: str, *, wait_s: float = _TIMEOUT_S, late: str = "") -> A:
        """The answer at that address. Raises the server's refusal, or BadMessage.

        Waits `wait_s` seconds for the answer; `late` is the advice in the error if none came by
        then.
        """
        return self._answer(kind, self._send("GET", path, late=late, timeout=wait_s))

    def read(self, path: str) -> bytes:
        """The bytes at that address. Raises the server's refusal."""
        return self._send("GET", path).content

    def save(self, path: str, file: IO[bytes]) -> None:
        """Writes the bytes at that address to the file. Raises the server's refusal."""
        with self._clear_errors("GET"), self._http.stream("GET", path) as answer:
            if not answer.is_success:
                answer.read()
                raise self._refusal(answer)
            self._refuse_page(answer)
            for part in answer.iter_bytes():
                file.write(part)

    def post(
        self,
        kind: type[A],
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        wait_s: float = _TIMEOUT_S,
        late: str = "",
    ) -> A:
        """Posts this JSON and returns the server's answer. Raises its refusal, or BadMessage.

        Fields that are None are left out. Waits `wait_s` seconds for the answer; `late` is the
        advice in the error if none came by then.
        """
        options = {"json": _given(body or {}), "timeout": wait_s}
        return self._answer(kind, self._send("POST", path, late=late, **options))

    def post_without_answer(self, path: str, body: Mapping[str, Any]) -> None:
        """Posts this JSON. Raises the server's refusal."""
        self._send("POST", path, json=body)

    def post_for_bytes(self, path: str) -> bytes:
        """Posts nothing, and returns the bytes of the answer. Raises the server's refusal."""
        return self._send("POST", path).content

    def patch(self, kind: type[A], path: str, body: Mapping[str, Any]) -> A:
        """Sends this change, as `post` does, and returns the server's answer."""
        return self._answer(kind, self._send("PATCH", path, json=_given(body)))

    def delete(self, path: str) -> None:
        """Deletes the thing at that address. Raises the server's refusal."""
        self._send("DELETE", path)

    def upload(self, kind: type[A], path: str, fields: Mapping[str, str | None], data: bytes) -> A:
        """Uploads this file and returns the server's answer. Raises its refusal, or BadMessage."""
        files = {"file": ("bot", data)}  # A part without a name would be read as text.
        return self._answer(kind, self._send("POST", path, data=_given(fields), files=files))

    def answers(self, kind: type[A], path: str, **query: Any) -> Iterator[A]:
        """The items of a list; each page is requested when it is needed.

        Raises the server's refusal, or BadMessage.
        """
        cursor = None
        while True:
            asked = _given({"cursor": cursor, **query})
            page = self._json(self._send("GET", path, params=asked))
            if not isinstance(page, dict) or not isinstance(page.get("items"), list):
                raise self._no_matchbox()
            for item in page["items"]:
                yield _parse(kind, item)
            cursor = page.get("next")
            if cursor is None:
                return

    def _send(self, method: str, path: str, *, late: str = "", **options: Any) -> httpx.Response:
        with self._clear_errors(method, late):
            answer = self._http.request(method, path, **options)
        if not answer.is_success:
            raise self._refusal(answer)
        if answer.content:
            self._refuse_page(answer)
        return answer

    @contextmanager
    def _clear_errors(self, method: str, late: str = "") -> Iterator[None]:
        """Puts errors of HTTP into sentences; `late` is as for `post`."""
        try:
            yield
        except _NOT_SENT as error:
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                raise errors.Unavailable(
                    f"the certificate of the server at {self.url} is not trusted here: correct its "
                    "address or this machine's clock, or name the certificate of its authority "
                    f"with SSL_CERT_FILE ({error})"
                ) from error
            raise errors.Unavailable(
                f"the server at {self.url} cannot be reached: start it, or name another one with "
                f"`matchbox login URL`{self._also_unset()}"
            ) from error
        except httpx.TransportError as error:
            is_late = isinstance(error, httpx.TimeoutException)
            what = "has not answered in time" if is_late else "has broken off its answer"
            raise errors.Unavailable(
                f"the server at {self.url} {what}{_doubt(method, late)}"
            ) from error
        except httpx.DecodingError as error:
            raise self._no_matchbox() from error
        except httpx.InvalidURL as error:
            raise errors.BadOption(f"no request can be made of this: {error}") from error

    def _answer(self, kind: type[A], sent: httpx.Response) -> A:
        return _parse(kind, self._json(sent))

    def _json(self, answer: httpx.Response) -> Any:
        try:
            return answer.json()
        except ValueError as error:
            raise self._no_matchbox() from error

    def _refusal(self, answer: httpx.Response) -> errors.MatchboxError:
        """The error that this response describes. If Matchbox has no such address, either the
        server's address has a path too many, such as /api/v1, or a name has letters that no name
        has, or the server is of another release."""
        if answer.status_code == 404 and not _problem(answer):
            return self._no_matchbox()
        if answer.status_code == 404 and '"about:blank"' in answer.text:
            if httpx.URL(self.url).path != "/":
                return self._no_matchbox()
            if odd := _ODD_NAME.search(answer.request.url.path):
                return errors.NotFound(
                    f"nothing is called {odd[1]!r}: names have only a-z, 0-9 and hyphens"
                )
            return errors.NotFound(
                f"the server at {self.url}, which may be of an older release than this command, "
                f"has nothing at {answer.request.url.path}"
            )
        return refusal(answer)

    def _refuse_page(self, answer: httpx.Response) -> None:
        """Raises BadMessage for a page for people, such as one of a proxy or a network's log-in."""
        if "html" in answer.headers.get("Content-Type", ""):
            raise self._no_matchbox()

    def _no_matchbox(self) -> errors.BadMessage:
        return errors.BadMessage(
            f"the server at {self.url} did not answer as Matchbox does: name the address of a "
            f"Matchbox with `matchbox login URL`{self._also_unset()}"
        )

    def _also_unset(self) -> str:
        """The end of that advice if the environment names the server: a login does not change
        it."""
        named = os.environ.get("MATCHBOX_URL", "").rstrip("/")
        return ", and unset MATCHBOX_URL" if named == self.url else ""


def _doubt(method: str, late: str = "") -> str:
    """The end of a sentence about a request whose answer is lost: what to do now."""
    if method == "GET" and not late:
        return "; ask again"
    return f", and may still have done what was asked; {late or 'look before you ask again'}"


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def _parse(kind: type[A], data: Any) -> A:
    """The answer in this JSON. Raises BadMessage if it is of another kind."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise errors.BadMessage(
            f"the server's answer is not a {kind.__name__}: use a command of the server's version "
            f"({error.errors()[0]['msg']})"
        ) from error


def _is_here(url: str) -> bool:
    """Whether no proxy stands before the server: it is on this machine, and without https."""
    return httpx.URL(url).scheme == "http" and is_loopback(url)


def check_address(url: str) -> None:
    """Raises BadOption unless requests can be sent to this address."""
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL:
        address = httpx.URL("")
    if address.userinfo:  # It would be sent in place of the token.
        raise errors.BadOption(
            "the address of the server has an account or a password before its host: leave it out"
        )
    if address.scheme not in ("http", "https") or not address.host:
        raise errors.BadOption(
            f"{url!r} is not the address of a server: give one such as {DEFAULT_URL}"
        )


def _check(login: Login) -> None:
    """Raises BadOption unless requests can be sent to this address, with this token."""
    check_address(login.url)
    if not login.token.isascii() or not login.token.isprintable():
        raise errors.BadOption(
            "the token has characters that no token has: use `matchbox login URL`, or set "
            "MATCHBOX_TOKEN"
        )


def refusal(answer: httpx.Response) -> errors.MatchboxError:
    """The error that this response describes."""
    detail = _detail(answer)
    if answer.is_redirect:
        detail += (
            f", to {answer.headers.get('Location', '')}: log in at the address that this begins "
            "with, by `matchbox login URL`"
        )
    if answer.status_code == 401 and not answer.request.url.path.endswith("/login"):
        detail = f"{detail.removesuffix(_NEW_TOKEN)}: {_other_token(answer.request)}"
    if answer.status_code >= 500:
        return errors.Unavailable(detail)
    return _ERRORS.get(answer.status_code, errors.BadMessage)(detail)


def _other_token(request: httpx.Request) -> str:
    """The advice after a request whose token is missing or not valid."""
    given = os.environ.get("MATCHBOX_TOKEN")
    if given and request.headers.get("Authorization") == f"Bearer {given}":
        return "MATCHBOX_TOKEN has no valid token; set it to another, or unset it and log in"
    return "use `matchbox login URL`, or set MATCHBOX_TOKEN"


def _detail(answer: httpx.Response) -> str:
    problem = _problem(answer)
    known = (problem[name] for name in ("detail", "message", "title") if problem.get(name))
    if found := next(known, None):
        return str(found)
    status = f"the server answered {answer.status_code} {answer.reason_phrase}"
    # A proxy answers so if it has lost the server's answer.
    return status + (_doubt(answer.request.method) if answer.status_code >= 500 else "")


def _problem(answer: httpx.Response) -> dict[str, Any]:
    """The problem document of a refusal; empty if it is something else."""
    try:
        problem = answer.json()
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}
