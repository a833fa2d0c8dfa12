"""Runs a command beside a Postgres of its own: `python -m tests.postgres COMMAND ...`.

The command gets the server's URL as its last two words, `--postgres URL`, and the server ends with
it. The exit code is the command's.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from tests import services


def main(words: Sequence[str]) -> int:
    """Returns the exit code of the command."""
    with services.postgres() as url:
        return subprocess.run([*words, "--postgres", url], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
