"""Sends a zip that is made for one request, such as an account's data.

Zips are large and anybody may ask for a season's, so a process makes one of each kind at a time,
and one more may wait for that. A client may take its time to read a zip, so a process keeps only a
few of each kind until they are read. It also sends the records of only a few seasons at a time,
each while it is read.
"""

from __future__ import annotations

import weakref
from contextlib import ExitStack, contextmanager
from tempfile import SpooledTemporaryFile
from threading import BoundedSemaphore, Lock
from typing import IO, TYPE_CHECKING, Final

from flask import send_file

from matchbox.errors import Unavailable
from server.auth import account, acting, context
from server.queries.personal_data import write_personal_data
from server.services import account_operations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Response

    from server.db.models import User

ZIP: Final = "application/zip"
IN_MEMORY: Final = 8 << 20
"""A zip up to this size in bytes is made in memory; a larger one in a temporary file."""
WAIT_S: Final = 8.0
"""The time, in seconds, that a zip waits for another one to be made."""
MAX_UNREAD: Final = 4
"""The most zips of a kind that a process holds while their clients read them."""
AGAIN_S: Final = 60
"""The time, in seconds, after which a client that was refused should try again."""


class Turns:
    """Lets one zip be made at a time, while one more waits, and MAX_UNREAD be read."""

    def __init__(self) -> None:
        self._unread = BoundedSemaphore(MAX_UNREAD)
        self._places = BoundedSemaphore(2)
        self._making = Lock()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Waits for its turn. Raises Unavailable if that takes too long, or another one waits."""
        with ExitStack() as held:
            if not self._places.acquire(blocking=False):
                raise Unavailable(_BUSY).after(AGAIN_S)
            held.callback(self._places.release)
            if not self._making.acquire(timeout=WAIT_S):
                raise Unavailable(_BUSY).after(AGAIN_S)
            held.callback(self._making.release)
            yield

    def hold(self, body: object) -> Callable[[], object]:
        """Takes a place for the file of a zip, or another body. Returns a function that frees it;
        it is also freed once nobody has the body. Raises Unavailable if all places are taken."""
        if not self._unread.acquire(blocking=False):
            raise Unavailable(_ALL_READING).after(AGAIN_S)
        return weakref.finalize(body, self._unread.release)


_ALL_READING: Final = "others are being downloaded at the moment; try again in a minute"
_BUSY: Final = "others are being made at the moment; try again in a minute"
_PERSONAL: Final = Turns()


def zip_response(write: Callable[[IO[bytes]], str], cache_control: str, turns: Turns) -> Response:
    """Returns a response with the zip that `write` puts into its file; `write` returns its name.

    Raises Unavailable if others take too long to be made, or too many are being read.
    """
    with turns.taken():
        return _made(write, cache_control, turns)


def personal_zip(user: User) -> Response:
    """Returns the response with all data that is stored for this account."""
    return zip_response(lambda file: _write_data(user, file), "no-store", _PERSONAL)


def handed_over_zip(name: str) -> Response:
    """Returns the response with all data of an account, for an operator.

    Notes it in the audit log once the zip is made: nothing is handed over if it cannot be. Raises
    Forbidden or NotFound.
    """
    with context().read() as session:
        user = account_operations.account_of(session, account(session), name)

    def write(file: IO[bytes]) -> str:
        found = _write_data(user, file)
        with acting() as (session, actor, now):
            account_operations.hand_over_data(session, actor, name, now=now)
        return found

    return zip_response(write, "no-store", _PERSONAL)


def _write_data(user: User, file: IO[bytes]) -> str:
    ctx = context()
    with ctx.read() as session:
        write_personal_data(session, user, file, settings=ctx.settings, now=ctx.now())
    return f"matchbox-{user.name}"


def _made(write: Callable[[IO[bytes]], str], cache_control: str, turns: Turns) -> Response:
    file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the response closes it
    with ExitStack() as held:
        held.callback(file.close)
        held.callback(turns.hold(file))
        name = write(file)
        free = held.pop_all().close
    size = file.tell()
    file.seek(0)
    response = send_file(
        file, mimetype=ZIP, as_attachment=True, download_name=f"{name}.zip", conditional=False
    )
    response.call_on_close(free)
    response.content_length = size  # Else a proxy may take a broken answer for a whole one.
    response.headers["Cache-Control"] = cache_control
    return response
