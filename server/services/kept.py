"""Keeps what was made from rows that seldom change, for as long as a stamp of them is the same.

Each process and each database has its own. Knows nothing of what is kept.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Any

    from sqlalchemy.orm import Session

Made = TypeVar("Made")


class Kept(Generic[Made]):
    """The last value made for each key; at most `most` of a database, the longest unused go."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: WeakKeyDictionary[Any, OrderedDict[Hashable, tuple[Hashable, Made]]]
        self._of = WeakKeyDictionary()
        self._lock = Lock()

    def get(
        self, session: Session, key: Hashable, stamp: Hashable, make: Callable[[], Made]
    ) -> Made:
        """Returns the kept value if it has this stamp; else makes it, and keeps it."""
        with self._lock:
            kept = self._of.setdefault(session.get_bind(), OrderedDict())
            found = kept.get(key)
            if found is not None and found[0] == stamp:
                kept.move_to_end(key)
                return found[1]
        made = make()
        with self._lock:
            kept[key] = stamp, made
            kept.move_to_end(key)
            if len(kept) > self._most:
                kept.popitem(last=False)
        return made
