"""Packs two files of one name, so that a check may read another file than a run."""

from __future__ import annotations

import io
import warnings
import zipfile


def bundle() -> bytes:
    """The upload."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr(
            "player.py", "from matchbox.games.bomb import SimplePlayer\nBOT = SimplePlayer\n"
        )
        archive.writestr("player.py", "raise SystemExit")
    return packed.getvalue()
