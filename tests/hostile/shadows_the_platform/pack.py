"""Contains modules with the names of the library's and the platform's own modules."""

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
        for name in ("json", "random", "marshal", "matchbox/__init__", "matchbox/match/bot_runner"):
            archive.writestr(f"{name}.py", "print('SUCCEEDED')")
    return packed.getvalue()
