"""The type of what the views of pages return."""

from __future__ import annotations

from typing import TypeAlias

from werkzeug.wrappers import Response

PageResponse: TypeAlias = str | Response
"""The HTML of a page, or a whole response: a redirect, a file, or one with another status."""
