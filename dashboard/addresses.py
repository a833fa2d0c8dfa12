"""The addresses that templates link to: Flask's, each made once and remembered.

A page of matches has a hundred links, and Flask takes a fifth of the page's time to make them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import flask
from flask import request

KEPT: Final = 8192
"""The most addresses that are remembered."""
LONGEST: Final = 200
"""The most characters of an address's values. A longer one is not remembered: anybody can put a
long text into an address of a page; the link to its log-in would repeat the text, and fill the
memory."""


def remembered() -> Callable[..., str]:
    """Returns Flask's `url_for` for the templates of one app. Its values must be hashable."""

    @lru_cache(KEPT)
    def made(root: str, endpoint: str, values: tuple[tuple[str, type, Any], ...]) -> str:
        return flask.url_for(endpoint, **{name: value for name, _, value in values})

    def url_for(endpoint: str, **values: Any) -> str:
        if sum(len(name) + len(str(value)) for name, value in values.items()) > LONGEST:
            return flask.url_for(endpoint, **values)
        typed = tuple((name, type(value), value) for name, value in values.items())
        # Only a full address depends on the host, which the visitor's browser sends.
        root = request.url_root if values.get("_external") else request.script_root
        return made(root, endpoint, typed)

    return url_for
