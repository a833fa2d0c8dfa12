"""The style sheet and scripts: each address changes with the content, and files are compressed.

Knows the files of static/. A browser keeps them for a year, because new content has a new address.
"""

from __future__ import annotations

import gzip
import mimetypes
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from flask import Response, request, url_for

from matchbox.errors import NotFound

STATIC: Final = Path(__file__).parent / "static"
_YEAR_S: Final = 365 * 86_400
_PACKED: Final = {".css", ".js", ".svg"}


def asset_url(name: str) -> str:
    """Returns the address of the file, which includes a few digits of its digest."""
    return url_for("pages.asset", name=name, v=_version(name))


def send(name: str) -> Response:
    """Returns the file as a response. Raises NotFound if there is none."""
    if name not in _names():
        raise NotFound(f"there is no file {name!r} here; reload the page")
    packed = Path(name).suffix in _PACKED and request.accept_encodings.quality("gzip") > 0
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    response = Response(_packed(name) if packed else (STATIC / name).read_bytes(), mimetype=kind)
    response.headers["Vary"] = "Accept-Encoding"
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    fresh = request.args.get("v") == _version(name)
    response.headers["Cache-Control"] = (
        f"public, max-age={_YEAR_S}, immutable" if fresh else "no-cache"
    )
    return response


@cache
def _names() -> frozenset[str]:
    return frozenset(
        path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file()
    )


@cache
def _version(name: str) -> str:
    return blake2b((STATIC / name).read_bytes(), digest_size=5).hexdigest()


@cache
def _packed(name: str) -> bytes:
    return gzip.compress((STATIC / name).read_bytes(), mtime=0)
