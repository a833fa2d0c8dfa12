"""The courier: delivers notices by mail and to webhooks, in threads beside the ledger's work.

Knows the transports and the database; `server.services.deliveries` decides about retries. A slow
receiver holds up one of the courier's few threads, but never the ledger.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from matchbox.errors import BadName, CallerFault, MatchboxError, Unavailable
from server import mail, webhook_client
from server.mail import Letter
from server.services import deliveries
from server.times import iso

if TYPE_CHECKING:
    from server.context import Context
    from server.services.deliveries import Parcel

log = structlog.get_logger(__name__)

THREADS: Final = 4


@dataclass(frozen=True)
class Transports:
    """The functions that send notices. A test passes its own."""

    send: Callable[..., None] = mail.send
    post: Callable[..., int] = webhook_client.post


class Courier:
    """Delivers the notices that are due whenever it is woken. `close` ends its threads."""

    def __init__(self, context: Context, transports: Transports | None = None) -> None:
        self._context, self._transports = context, transports or Transports()
        self._pool = ThreadPoolExecutor(THREADS, "courier")
        self._running: list[Future[None]] = []
        self._waking = Lock()
        self._over = Event()

    def wake(self) -> None:
        """Starts the deliveries that are due on idle threads; does not wait for them."""
        with self._waking:  # The tick and the watch call it in threads of their own.
            self._start_due()

    def close(self) -> None:
        """Ends the threads once they have tried the deliveries under way."""
        self._over.set()
        self._pool.shutdown(cancel_futures=True)

    def _start_due(self) -> None:
        for done in [one for one in self._running if one.done()]:
            self._running.remove(done)
            if (error := done.exception()) is not None:
                log.warning("courier.thread_failed", why=f"{type(error).__name__}: {error}")
        try:
            with self._context.read() as session:
                waiting = deliveries.due(session, now=self._context.now())
        except (MatchboxError, SQLAlchemyError) as error:
            log.warning("courier.waits", why=f"{type(error).__name__}: {error}")
            return
        for _ in range(min(waiting, THREADS - len(self._running))):
            self._running.append(self._pool.submit(self._deliver_all))

    def _deliver_all(self) -> None:
        while not self._over.is_set() and deliver_one(self._context, self._transports):
            pass


def deliver_one(context: Context, transports: Transports) -> bool:
    """Tries one delivery, outside of any transaction. Returns False if none is due."""
    with context.write() as session:
        parcel = deliveries.take(session, settings=context.settings, now=context.now())
    if parcel is None:
        with context.read() as session:
            return deliveries.due(session, now=context.now()) > 0
    alone = False
    try:
        trouble, final = _try(parcel, context, transports)
    except CallerFault as error:  # An address that is not valid or not allowed, or a refused mail.
        trouble, final, alone = str(error), isinstance(error, BadName), True
    except Unavailable as error:
        trouble, final = str(error), False
    with context.write() as session:
        if trouble is None:
            deliveries.mark_delivered(session, parcel, now=context.now())
        else:
            now = context.now()
            deliveries.mark_failed(session, parcel, trouble, final=final, alone=alone, now=now)
    return True


def letter_of(parcel: Parcel, address: str, home: str) -> Letter:
    """Returns the notice as a mail; `home` is the platform's address."""
    foot = f"You get this as {parcel.account} of Matchbox. To stop these mails: {home}/account"
    return Letter(
        to=address,
        subject=f"Matchbox: {parcel.text}",
        text=f"{parcel.text}\n\n{parcel.link}\n\n-- \n{foot}\n",
        name=name_of(parcel),
        at=parcel.at // 1000,
    )


def name_of(parcel: Parcel) -> str:
    """Returns the notice's name for receivers, by which they can drop duplicates.

    Its number alone would not do: another notice may have had it before the platform was restored
    from a backup, or old notices were deleted.
    """
    return f"notice_{parcel.notice}_{parcel.at}"


def body_of(parcel: Parcel) -> bytes:
    """Returns the notice as the JSON document that is posted to a webhook."""
    payload: dict[str, Any] = {
        "id": parcel.notice,
        "kind": parcel.kind,
        "subject": parcel.subject,
        "text": parcel.text,
        "url": parcel.link,
        "at": iso(parcel.at),
    }
    return json.dumps(payload).encode()


def _try(parcel: Parcel, context: Context, transports: Transports) -> tuple[str | None, bool]:
    """Sends the notice. Returns the error (None if the notice arrived), and whether a retry is
    useless."""
    settings = context.settings
    if parcel.address is not None:
        letter = letter_of(parcel, parcel.address, settings.server_url.rstrip("/"))
        transports.send(letter, settings)
        return None, False
    body, at = body_of(parcel), context.now() // 1000
    given = webhook_client.headers(parcel.secret, name_of(parcel), at, body)
    status = transports.post(parcel.url, body, given, anywhere=settings.webhooks == "any")
    arrived = 200 <= status < 300
    return (None if arrived else f"it answered {status}"), status == webhook_client.GONE
