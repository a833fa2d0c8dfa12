from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dashboard import wording

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "text, said",
    [
        ("2026-11-21T11:59:58Z", "just now"),
        ("2026-11-21T11:59:20Z", "40 s ago"),
        ("2026-11-21T11:57:00.250Z", "2 min ago"),
        ("2026-11-21T09:00:00+00:00", "3 h ago"),
        ("2026-11-21T12:00:00+02:00", "2 h ago"),
        ("2026-11-18T12:00:00Z", "3 d ago"),
        ("2025-11-18T12:00:00Z", "2025-11-18"),
        ("2026-11-21T12:00:09Z", "just now"),
        ("2026-11-21T12:03:00Z", "in 3 min"),
        ("2026-11-23T12:00:00Z", "in 2 d"),
        ("2027-11-21T12:00:00Z", "2027-11-21"),
        (None, "–"),
    ],
)
def test_a_time_is_said_as_how_long_ago(text: str | None, said: str) -> None:
    assert wording.ago(text, NOON) == said


def test_a_text_begins_with_a_capital_letter_and_keeps_the_others() -> None:
    assert wording.capital("the Elo is unknown") == "The Elo is unknown"
    assert wording.capital("alice/careful is retired") == "alice/careful is retired"
    assert not wording.capital("")


def test_a_sentence_ends_with_a_mark() -> None:
    texts = ("", "no disk", "No disk.", "Why?")
    assert [*map(wording.sentence, texts)] == ["", "no disk.", "No disk.", "Why?"]


def test_a_tick_is_yes_or_no() -> None:
    assert [*map(wording.option, (True, False, 0, "published"))] == ["yes", "no", "0", "published"]


def test_the_exact_time_is_in_utc() -> None:
    assert wording.exact("2026-11-21T12:00:00+02:00") == "2026-11-21 10:00:00 UTC"
    assert wording.exact(None) == ""


def test_a_rating_comes_with_half_its_interval() -> None:
    assert wording.elo(1573.6, [1551.0, 1596.4]) == "1574 ± 23"
    assert wording.elo(None) == "–"


def test_a_score_has_one_decimal() -> None:
    assert wording.score(41.26, [40.5, 42.1]) == "41.3 ± 0.8"
    assert wording.score(None) == "–"


def test_a_rank_comes_with_its_range_unless_it_is_sure() -> None:
    assert wording.rank(2, [1, 4]) == "2 (1–4)"
    assert wording.rank(1, [1, 1]) == "1"


def test_a_range_of_ranks_is_one_number_where_it_is_sure() -> None:
    assert wording.span([1, 3]) == "1–3"
    assert wording.span([2, 2]) == "2"


def test_an_expected_score_is_a_share_with_its_interval() -> None:
    assert wording.share(0.612, [0.6, 0.624]) == "61.2% ± 1.2"
    assert wording.share(None) == "–"


def test_shares_counts_and_nouns() -> None:
    assert wording.share(0.5236) == "52.4%"
    assert wording.whole(12345) == "12,345"
    assert wording.plural(1, "match", "matches") == "1 match"
    assert wording.plural(1200, "match", "matches") == "1,200 matches"
    assert wording.plural(0, "bot") == "0 bots"


@pytest.mark.parametrize(
    "sizes, said", [([2], "2"), ([2, 3, 4], "2 to 4"), ([2, 4, 6], "2, 4 or 6")]
)
def test_table_sizes_in_words(sizes: list[int], said: str) -> None:
    assert wording.seats(sizes) == said


@pytest.mark.parametrize(
    "places, said",
    [([1, 2], "won"), ([2, 1], "lost"), ([1, 1], "drew"), ([1, 1, 3], "shared the first place"),
     ([3, 1, 2], "place 3 of 3"), ([1, 2, 2], "won"), ([1], "won")],
)  # fmt: skip
def test_a_bout_s_result_in_words(places: list[int], said: str) -> None:
    assert wording.result(places, 0) == said


def test_a_digest_is_shortened() -> None:
    assert wording.short("abcdef0123456789") == "abcdef0123"
    assert wording.short("abc") == "abc"


def test_every_state_has_words_and_an_unknown_one_keeps_its_name() -> None:
    assert wording.state("pending") == "being tried out"
    assert wording.state("dreaming") == "dreaming"
    assert wording.tone("refused") == "bad"
    assert wording.tone("dreaming") == "plain"


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ({}, []),
        ({"reason": "", "new": None}, []),
        (
            {"format": {"kind": "swiss", "rounds": 4}, "again": False},
            [("again", "no"), ("format kind", "swiss"), ("format rounds", "4")],
        ),
        ({"bots": ["alice/one", "bob/two"]}, [("bots", "alice/one, bob/two")]),
    ],
)
def test_what_a_line_of_the_audit_log_holds_is_told_without_brackets(
    detail: dict[str, object], told: list[tuple[str, str]]
) -> None:
    assert wording.flat(detail) == told


def test_an_interval_that_reaches_further_to_one_side_is_written_out() -> None:
    assert wording.share(0.95, [0.661, 0.994]) == "95.0% (66.1 to 99.4)"
    assert wording.share(0.97, [0.915, 1.0]) == "97.0% (91.5 to 100.0)"
    assert wording.share(0.6, [0.5, 0.69]) == "60.0% ± 9.5"


@pytest.mark.parametrize(("bound", "said"), [(20.0, "20"), (0.5, "0.5"), (-2.25, "−2.25")])
def test_a_bound_need_not_be_whole(bound: float, said: str) -> None:
    assert wording.bound(bound) == said
