"""A hostile `learn`, behind each walled box: it keeps its old memory, and hurts nobody else.

The limits are those of learning. A bot that is to run out of time has less, to save ten seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from matchbox.bundle import digest
from matchbox.errors import FaultKind
from matchbox.match.learning import MAX_BYTES, Lessons
from matchbox.match.memory import MEMORY_BYTES
from matchbox.match.wire import Entrant
from sandbox import policy
from sandbox.box import Box
from worker.arena.learning import LearnResult, learn

OLD = b"the old memory"
RECORD = b'{"places": [1, 2]}'
HEAD = "from matchbox.games.bomb import *\n\n\nclass Attacker(SimplePlayer):\n"
HONEST = "return memory + b'!'"

ATTACKS: dict[str, tuple[str, FaultKind, str]] = {
    "loops": ("while True: pass", "timeout", "processor time"),
    "waits for itself": (
        "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
        "timeout",
        "no answer within",
    ),
    "eats memory": ("x = []\n        while True: x.append(bytes(1 << 24))", "memory", ""),
    "returns a megabyte": ("return bytes(1 << 20)", "protocol", "1048576 bytes"),
    "returns text": ("return 'text'", "protocol", "returned str"),
    "returns a liar": (
        "L = type('L', (bytes,), {'__len__': lambda self: 1}); return L(1 << 20)",
        "protocol",
        "sent an answer longer than",
    ),
    "answers for its loop": (
        "import os; os.write(3, bytes(8) + b'[]'); return b''",
        "protocol",
        "nobody had asked for",
    ),
    "forks": ("import os; os.fork(); return b'forked'", "crash", "PermissionError"),
    "dies": ("import os; os.abort()", "crash", "ended by"),
    "raises what cannot be printed": (
        "E = type('E', (BaseException,), {'__str__': lambda self: 1 / 0}); raise E",
        "crash",
        "",
    ),
}


def taught(box: Box, body: str, records: Sequence[bytes] = (RECORD,)) -> LearnResult:
    """The result of that `learn`."""
    source = f"{HEAD}    @staticmethod\n    def learn(memory, records):\n        {body}\n".encode()
    return learn(
        "bomb", source, Entrant(digest(source)), OLD, lambda: Lessons([*records], 0),
        seed="00" * 32, limits={"wall_factor": 2}, box=box,
    )  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_it_keeps_the_old_memory_and_the_next_bot_learns_as_ever(
    attack: str, box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, kind, told = ATTACKS[attack]
    if kind == "timeout":
        monkeypatch.setattr(policy, "LEARN_CPU_MS", 400)
    done = taught(box, body)
    assert done.memory == OLD
    assert done.fault is not None
    assert done.fault.kind == kind, done.fault
    assert told in done.fault.detail
    assert taught(box, HONEST) == LearnResult(OLD + b"!", None, "", records=1)


def test_the_most_that_a_round_may_teach_gets_through_and_the_longest_memory_back(
    box: Box,
) -> None:
    records = [b'"' + bytes([65 + n]) * ((1 << 20) - 2) + b'"' for n in range(16)]
    assert sum(map(len, records)) == MAX_BYTES
    body = "assert sum(map(len, records)) == (1 << 24) - 32; return bytes(1 << 16)"
    assert taught(box, body, records).memory == bytes(MEMORY_BYTES)


def test_a_flood_of_output_is_cut_and_changes_no_memory(box: Box) -> None:
    done = taught(box, "print('x' * (1 << 20)); return b'new'")
    assert done.memory == b"new"
    most = policy.Limits().log_bytes
    assert most - 10 < len(done.log) <= most, "the sentence in it may be some digits shorter"
