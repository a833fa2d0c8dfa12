"""Replaces a file of text, such as one of secrets, all at once. Needs only the standard library."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import mkstemp


def replace(path: Path, text: str, mode: int = 0o600, encoding: str | None = None) -> None:
    """Writes the file anew. A reader sees the old text or the new one, never a part of it.

    Raises OSError.
    """
    handle, draft = mkstemp(".new", f"{path.name}.", path.parent)  # Another process may, too.
    try:
        with os.fdopen(handle, "w", encoding=encoding) as file:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(draft).replace(path)
    except BaseException:
        os.unlink(draft)
        raise
