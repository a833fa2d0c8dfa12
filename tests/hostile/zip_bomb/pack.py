"""Packs megabytes of zeros into a few kilobytes."""

from __future__ import annotations

import io
import zipfile


def bundle() -> bytes:
    """The upload."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "player.py", "from matchbox.games.bomb import SimplePlayer\nBOT = SimplePlayer\n"
        )
        archive.writestr("data.txt", bytes(3 << 20))
    return packed.getvalue()
