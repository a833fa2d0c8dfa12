"""Where the `matchbox` command begins: Ctrl-C ends it quietly while its modules are imported."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command and exits."""
    try:
        from cli.main import main as run_command
    except KeyboardInterrupt:
        print("matchbox: stopped", file=sys.stderr)
        sys.exit(130)
    run_command()
