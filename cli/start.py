"""Where the `matchbox` command begins: Ctrl-C ends it quietly while its modules are imported."""

from __future__ import annotations

import sys
from typing import Final, NoReturn

_WINDOWS: Final = (
    "this does not run on Windows: use WSL 2, or the site of a platform in your browser"
)


def main(platform: str = sys.platform) -> NoReturn:
    """Runs the command and exits; on Windows, which has no fcntl, with an error."""
    if platform == "win32":
        print(f"matchbox: {_WINDOWS}", file=sys.stderr)
        sys.exit(1)
    try:
        from cli.main import main as run_command
    except KeyboardInterrupt:
        print("matchbox: stopped", file=sys.stderr)
        sys.exit(130)
    run_command()
