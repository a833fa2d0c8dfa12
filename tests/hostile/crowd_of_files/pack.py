"""Packs more files than a reader would look through."""

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
        for number in range(5000):
            archive.writestr(f"part{number}.txt", "")
    return packed.getvalue()
