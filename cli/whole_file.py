"""Replaces a small file, such as one of secrets, all at once. Needs only the standard library."""

from __future__ import annotations

import os
from pathlib import Path


def replace(path: Path, text: str, mode: int = 0o600) -> None:
    """Writes the file anew. A reader sees the old text or the new one, never a part of it.

    Raises OSError.
    """
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)
        file.flush()
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())
    draft.replace(path)
