"""A program for boxes under test: runs the code in each frame. Runs inside a box."""

from __future__ import annotations

from collections.abc import Callable

PREPARED: list[str] = []


def prepare() -> None:
    """Leaves a mark in the process from which seats are forked."""
    PREPARED.append("once")


def serve(recv: Callable[[], bytes | None], send: Callable[[bytes], None]) -> None:
    """Runs each frame, which is Python code with `recv` and `send` in scope; answers with its
    `reply`."""
    space: dict[str, object] = {"recv": recv, "send": send}
    while (frame := recv()) is not None:
        space["reply"] = b"done"
        exec(frame, space)
        reply = space["reply"]
        assert isinstance(reply, bytes)
        send(reply)
