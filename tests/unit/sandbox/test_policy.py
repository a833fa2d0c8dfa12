"""The limits, read as data."""

from __future__ import annotations

import resource
from contextlib import nullcontext

import pytest

from matchbox.errors import BadSetting
from matchbox.match import frames
from matchbox.settings import Settings, limits_of, read_settings
from sandbox.policy import (
    LAYERS,
    MIB,
    PARTS,
    QUESTION_BYTES,
    STANDARD_LIBRARY,
    ZYGOTE_LIMITS,
    Limits,
    Wall,
    learning_limits,
    longest_answer_ms,
    rlimits,
)
from worker.arena.match_seats import REPORT_BYTES


def test_memory_is_counted_above_the_zygote() -> None:
    assert rlimits(Limits(memory_mb=100), 7 * MIB)["RLIMIT_AS"] == 107 * MIB


def test_no_file_no_process_and_no_core_may_be_made() -> None:
    limits = {**ZYGOTE_LIMITS, **rlimits(Limits(), 0)}
    for name in ("FSIZE", "NPROC", "CORE", "MEMLOCK", "MSGQUEUE", "NICE", "RTPRIO"):
        assert limits[f"RLIMIT_{name}"] == 0


def test_the_kernels_own_processor_limit_comes_after_ours() -> None:
    limits = Limits()
    assert ZYGOTE_LIMITS["RLIMIT_CPU"] * 1000 > limits.start_cpu_ms + limits.bank_ms


def test_every_limit_is_known_to_python() -> None:
    assert all(hasattr(resource, name) for name in {**ZYGOTE_LIMITS, **rlimits(Limits(), 0)})


@pytest.mark.parametrize(("decisions", "longest"), [(0, 1024), (1, 1280), (4, 2048), (999, 65536)])
def test_a_frame_of_answers_grows_with_the_questions_to_its_limit(
    decisions: int, longest: int
) -> None:
    assert Limits().longest_answer(decisions) == longest


def test_all_that_is_asked_in_one_frame_may_be_answered_at_full_length() -> None:
    most, reporting = Limits(), Limits(report_bytes=REPORT_BYTES)
    told = frames.MAX_REPORTING * (2 * frames.REPORT_LENGTH + 32)
    """The longest report: every character escaped, in brackets with two numbers."""
    longest = most.envelope_bytes + frames.MAX_QUESTIONS * most.answer_bytes
    assert most.longest_answer(frames.MAX_QUESTIONS) == longest < most.frame_bytes
    longest = most.envelope_bytes + frames.MAX_REPORTING * most.answer_bytes + told
    assert longest < reporting.longest_answer(frames.MAX_REPORTING)
    assert 2 * frames.LONG < QUESTION_BYTES


def test_a_whole_wall_has_every_layer() -> None:
    assert all(Wall().has(layer) for layer in LAYERS)


def test_a_layer_left_out_is_the_only_one() -> None:
    wall = Wall(drop=("seccomp",))
    assert [layer for layer in LAYERS if not wall.has(layer)] == ["seccomp"]


def test_a_part_left_out_is_the_only_one() -> None:
    wall = Wall(drop=("rlimits:AS",))
    assert [name for name in (*LAYERS, *PARTS) if not wall.has(name)] == ["rlimits:AS"]


@pytest.mark.parametrize(("playing", "learning"), [(256, 512), (1024, 1024)])
def test_a_bot_learns_with_no_less_memory_than_it_plays_with(playing: int, learning: int) -> None:
    assert learning_limits(Limits(memory_mb=playing)).memory_mb == learning


def test_a_layer_left_out_takes_its_parts_along() -> None:
    wall = Wall(drop=("rlimits",))
    gone = {part for part in PARTS if not wall.has(part)}
    limits = {**ZYGOTE_LIMITS, **rlimits(Limits(), 0)}
    assert gone == {f"rlimits:{name.removeprefix('RLIMIT_')}" for name in limits}


def test_an_unknown_layer_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="moat"):
        Wall(drop=("landlock", "moat"))


def test_the_preloaded_library_is_named_once_each() -> None:
    assert len(set(STANDARD_LIBRARY)) == len(STANDARD_LIBRARY)


def test_a_seat_without_settings_has_the_limits_of_the_usual_settings() -> None:
    assert Limits(**limits_of(Settings())) == Limits()


@pytest.mark.parametrize(
    "given",
    [
        {"CPU_MS": "60000", "BANK_MS": "1800000"},
        {"START_CPU_MS": "400000", "BANK_MS": "700000"},
        {"WALL_FACTOR": "40"},
    ],
)
def test_the_lease_must_be_longer_than_the_longest_answer(given: dict[str, str]) -> None:
    environment = {f"MATCHBOX_{name}": value for name, value in given.items()}
    longest = longest_answer_ms(Limits(**limits_of(read_settings(environment))))
    for minutes in (longest // 60_000, longest // 60_000 + 1):
        refused = minutes * 60_000 <= longest
        with pytest.raises(BadSetting) if refused else nullcontext():
            read_settings({**environment, "MATCHBOX_LEASE_MINUTES": str(minutes)}, open)
