"""Where the numbers lie with which a brief begins. Knows no rules."""

from __future__ import annotations

PHASE, VARIANT, SEATS, ME, MOVER, STARTER, SKULLS, ROSES, LOST, TABLE, TOP, INSIDE, HEAD = range(13)
"""The last of them is how many those are."""
