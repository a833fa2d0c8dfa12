"""Shows its reader other code than it runs, with characters that change the direction of a line."""

from __future__ import annotations

import codecs


def bundle() -> bytes:
    """The upload."""
    source = "from matchbox.games.bomb import SimplePlayer\nBOT = SimplePlayer # \u202e } ;) \u2066"
    return codecs.encode(source, "utf-8")
