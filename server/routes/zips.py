"""Sends an account's data as a zip, to its owner or to an operator."""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Final

from flask import send_file

from server.auth import context
from server.queries.personal_data import write_personal_data

if TYPE_CHECKING:
    from flask import Response

    from server.db.models import User

ZIP: Final = "application/zip"
IN_MEMORY: Final = 8 << 20
"""A zip up to this size in bytes is made in memory; a larger one in a temporary file."""


def personal_zip(user: User) -> Response:
    """Returns the response with all data that is stored for this account."""
    ctx = context()
    file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the response closes it
    try:
        with ctx.read() as session:
            write_personal_data(session, user, file, settings=ctx.settings, now=ctx.now())
    except BaseException:
        file.close()
        raise
    size = file.tell()
    file.seek(0)
    name = f"matchbox-{user.name}.zip"
    response = send_file(file, mimetype=ZIP, as_attachment=True, download_name=name)
    response.content_length = size  # Else a proxy may take a broken answer for a whole one.
    response.headers["Cache-Control"] = "no-store"
    return response
