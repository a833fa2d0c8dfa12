"""The core: games, matches and leagues as pure functions over values.

No input or output, no clock, no chance but `dice.py`. It imports no other room.
"""

from matchbox import build

build.install_compiled_finder()
