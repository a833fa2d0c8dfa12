"""Sends a zip that is made for one request, such as an account's data.

Zips are large and anybody may ask for a season's, so a process makes one of each kind at a time,
and one more may wait for that.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from tempfile import SpooledTemporaryFile
from threading import BoundedSemaphore, Lock
from typing import IO, TYPE_CHECKING, Final

from flask import send_file

from matchbox.errors import Unavailable
from server.auth import context
from server.queries.personal_data import write_personal_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Response

    from server.db.models import User

ZIP: Final = "application/zip"
IN_MEMORY: Final = 8 << 20
"""A zip up to this size in bytes is made in memory; a larger one in a temporary file."""
WAIT_S: Final = 8.0
"""The time, in seconds, that a zip waits for another one to be made."""


class Turns:
    """Lets one zip be made at a time, while one more waits."""

    def __init__(self) -> None:
        self._places = BoundedSemaphore(2)
        self._making = Lock()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Waits for its turn. Raises Unavailable if that takes too long, or another one waits."""
        with ExitStack() as held:
            if not self._places.acquire(blocking=False):
                raise Unavailable(_BUSY)
            held.callback(self._places.release)
            if not self._making.acquire(timeout=WAIT_S):
                raise Unavailable(_BUSY)
            held.callback(self._making.release)
            yield


_BUSY: Final = "others are being made at the moment; try again in a minute"
_PERSONAL: Final = Turns()


def zip_response(write: Callable[[IO[bytes]], str], cache_control: str, turns: Turns) -> Response:
    """Returns a response with the zip that `write` puts into its file; `write` returns its name.

    Raises Unavailable if others take too long to be made.
    """
    with turns.taken():
        return _made(write, cache_control)


def personal_zip(user: User) -> Response:
    """Returns the response with all data that is stored for this account."""
    ctx = context()

    def write(file: IO[bytes]) -> str:
        with ctx.read() as session:
            write_personal_data(session, user, file, settings=ctx.settings, now=ctx.now())
        return f"matchbox-{user.name}"

    return zip_response(write, "no-store", _PERSONAL)


def _made(write: Callable[[IO[bytes]], str], cache_control: str) -> Response:
    file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the response closes it
    try:
        name = write(file)
    except BaseException:
        file.close()
        raise
    size = file.tell()
    file.seek(0)
    response = send_file(file, mimetype=ZIP, as_attachment=True, download_name=f"{name}.zip")
    response.content_length = size  # Else a proxy may take a broken answer for a whole one.
    response.headers["Cache-Control"] = cache_control
    return response
