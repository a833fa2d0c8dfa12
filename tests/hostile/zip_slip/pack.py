"""Packs a file whose name leads out of the folder that it is unpacked into."""

from __future__ import annotations

import io
import zipfile


def bundle() -> bytes:
    """The upload."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(
            "player.py", "from matchbox.games.bomb import SimplePlayer\nBOT = SimplePlayer\n"
        )
        archive.writestr("../../matchbox-was-here", "x")
    return packed.getvalue()
