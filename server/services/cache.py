"""Caches values that are made from rows that seldom change, until a stamp of the rows changes.

Each process has a cache for each database. Knows nothing about the values.
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


class Cache(Generic[Made]):
    """A cache of the last value for each key.

    It keeps at most `most` values for each database, and drops the least recently used.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._by_database: WeakKeyDictionary[Any, OrderedDict[Hashable, tuple[Hashable, Made]]]
        self._by_database = WeakKeyDictionary()
        self._lock = Lock()

    def get(
        self, session: Session, key: Hashable, stamp: Hashable, make: Callable[[], Made]
    ) -> Made:
        """Returns the cached value if it has this stamp; else makes it and caches it."""
        with self._lock:
            kept = self._by_database.setdefault(session.get_bind(), OrderedDict())
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
