"""Seasons of every format from the first round to the last, without a database."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchbox.league.course import (
    MAX_MATCHES,
    Unplayable,
    budget,
    check,
    final_order,
    next_rounds,
    size,
)
from matchbox.league.format import Format
from matchbox.league.pairing import pair_key
from matchbox.league.season import Field, Progress
from matchbox.league.swiss import rounds_of
from tests.unit.league.courses import Story, by_chance, entrants, level

FORMATS = {
    "round-robin": Format(cycles=2),
    "swiss": Format(kind="swiss"),
    "adaptive": Format(kind="adaptive", matches=300),
    "top": Format(kind="adaptive", question="top", top=3, care="thrifty", matches=300),
    "champion": Format(kind="adaptive", question="champion", matches=300),
    "knock-out": Format(kind="knock-out", group=4),
    "placed": Format(kind="swiss", placement=3),
}


def field(n: int, **more: object) -> Field:
    """A field of `n` entrants."""
    return Field(entrants(n), "a seed for tests", **more)  # type: ignore[arg-type]


def stages(story: Story) -> list[str]:
    """The stages of a season in order, each once."""
    return list(dict.fromkeys(one.stage for one in story.rounds))


def pairs(story: Story) -> Counter[tuple[str, str]]:
    """Returns how often each pair met."""
    return Counter(
        pair_key(*two) for one in story.matches for two in combinations(sorted(set(one.seats)), 2)
    )


@given(st.integers(2, 9), st.integers(1, 3), st.booleans())
@settings(deadline=None)
def test_in_a_round_robin_all_meet_equally_often_from_both_seats(
    n: int, cycles: int, together: bool
) -> None:
    story = Story(Format(cycles=cycles), field(n)).tell(together=together)
    ordered = Counter(one.seats for one in story.matches)
    assert set(ordered.values()) == {cycles}
    assert len(ordered) == n * (n - 1)
    assert len(story.matches) == size(story.plan, story.field)
    for number in range(len(story.rounds)):
        sat = [name for one in story.matches if one.round == number for name in one.seats]
        assert len(set(sat)) == len(sat), "nobody sits twice in a round"


@given(st.sampled_from(sorted(FORMATS)), st.integers(2, 9), st.integers(0, 1000), st.booleans())
@settings(deadline=None, max_examples=40)
def test_the_order_in_which_results_came_in_changes_nothing(
    name: str, n: int, seed: int, together: bool
) -> None:
    who = field(n, deals=2, newcomers=frozenset(entrants(n)[::3]))
    told = [
        Story(FORMATS[name], who, by_chance(seed), shuffle).tell(together=together)
        for shuffle in (None, random.Random(seed))
    ]
    assert told[0].rounds == told[1].rounds
    assert told[0].matches == told[1].matches


@given(st.integers(2, 40), st.integers(0, 100), st.integers(1, 40))
@settings(deadline=None, max_examples=40)
def test_a_swiss_season_has_its_rounds_and_owners_apart(n: int, seed: int, owners: int) -> None:
    owner = {name: str(number % owners) for number, name in enumerate(entrants(n))}
    story = Story(Format(kind="swiss"), field(n, owner=owner), by_chance(seed)).tell()
    assert len(story.rounds) == rounds_of(n)
    assert all(owner[one.seats[0]] != owner[one.seats[1]] for one in story.matches)
    for number, one in enumerate(story.rounds):
        sat = [
            name for meeting in story.matches if meeting.round == number for name in meeting.seats
        ]
        assert sorted([*sat, *one.rests]) == list(entrants(n))
    if owners >= n and n > 9:
        assert max(pairs(story).values()) == 1


def test_a_swiss_season_puts_the_best_against_the_best() -> None:
    story = Story(Format(kind="swiss", rounds=4), field(16)).tell()
    assert len(story.rounds) == 4
    last = [one.seats for one in story.matches if one.round == 3]
    assert "b000" in last[0]
    assert pair_key("b000", "b001") in pairs(story)


def test_an_adaptive_season_begins_with_all_pairs_and_goes_where_the_doubt_is() -> None:
    wins = by_chance(4, gap=0.12)
    story = Story(Format(kind="adaptive"), field(6), wins).tell()
    assert stages(story) == ["cycle", "tail"]
    base = [one for one in story.matches if story.rounds[one.round].stage == "cycle"]
    assert len(base) == 6 * 5
    batches = Counter(one.round for one in story.matches if one not in base)
    assert {*batches.values()} == {8}, "n (n - 1) / 4 each"
    tail = Counter(pair_key(*one.seats) for one in story.matches if one not in base)
    near = sum(tail[pair_key(f"b00{at}", f"b00{at + 1}")] for at in range(5))
    assert near > 0.7 * tail.total()
    assert len(story.matches) < budget(story.plan, story.field), "it stopped by itself"


def test_another_question_takes_other_matches() -> None:
    asked = [Format(kind="adaptive", **more) for more in ({}, {"question": "champion"})]  # type: ignore[arg-type]
    asked.append(Format(kind="adaptive", question="top", top=2))
    played = [len(Story(plan, field(7), by_chance(1, gap=0.08)).tell().matches) for plan in asked]
    assert max(played[1:]) < played[0]


def test_a_large_field_is_paired_by_a_swiss_system_before_its_tail() -> None:
    story = Story(Format(kind="adaptive", matches=500), field(34), by_chance(2)).tell()
    assert stages(story) == ["swiss", "tail"]
    assert Counter(one.stage for one in story.rounds)["swiss"] == rounds_of(34)
    assert len(story.matches) == 500


@pytest.mark.parametrize(
    ("plan", "played"),
    [
        (Format(matches=13), 12),
        (Format(kind="swiss", matches=9), 9),
        (Format(kind="adaptive", matches=31), 31),
        (Format(kind="adaptive", matches=29), 27),
    ],
)
def test_no_match_goes_beyond_the_budget(plan: Format, played: int) -> None:
    story = Story(plan, field(6), level).tell()
    assert len(story.matches) == played


@given(st.integers(2, 20), st.integers(3, 8), st.integers(0, 1000), st.data())
@settings(deadline=None, max_examples=40)
def test_a_knock_out_ends_with_an_order_of_all_whoever_leaves(
    n: int, group: int, seed: int, data: st.DataObject
) -> None:
    plan = Format(kind="knock-out", group=group)
    story = Story(plan, field(n), by_chance(seed, 0.02))
    leaving = st.dictionaries(st.integers(1, 12), st.sampled_from(entrants(n)), max_size=n - 1)
    left = data.draw(leaving)
    gone: dict[str, int] = {}
    while story.step(together=False):
        name = left.get(len(story.rounds))
        if name is not None and len(story.out | {name}) < n:
            story.out.add(name)
            gone.setdefault(name, len(story.matches))
    for name, since in gone.items():
        assert not any(name in one.seats for one in story.matches[since:])
    order = final_order(plan, story.field, story.past)
    if order is None:
        assert "knock-out" not in stages(story), "nobody came through the groups"
    else:
        assert sorted(order) == list(entrants(n))
        assert order[0] not in story.out


def test_the_next_of_its_group_takes_the_place_of_one_that_left_after_the_groups() -> None:
    story = Story(Format(kind="knock-out", group=4), field(16))
    while stages(story) != ["group"] or len(story.rounds) < 6:
        assert story.step(together=False)
    story.out.add("b000")
    assert story.step(together=False)
    assert story.rounds[-1].stage == "knock-out"
    through = [name for tie in story.rounds[-1].ties for name in tie]
    assert len(through) == len(set(through)) == 8
    assert "b000" not in through


def test_the_best_wins_a_knock_out_and_meets_the_second_last() -> None:
    story = Story(Format(kind="knock-out", group=4), field(16)).tell()
    order = final_order(story.plan, story.field, story.past)
    assert order is not None
    assert order[0] == "b000"
    ties = [one.ties for one in story.rounds if one.stage == "knock-out"]
    assert [len(one) for one in ties] == [4, 2, 1]
    assert "b000" in ties[-1][0]
    assert len(story.matches) == size(story.plan, story.field) == 4 * 12 + 7


def test_a_knock_out_whose_finalists_both_left_has_no_final_order() -> None:
    story = Story(Format(kind="knock-out", group=4), field(8)).tell()
    assert final_order(story.plan, story.field, story.past) is not None
    story.out.update(*story.rounds[-1].ties)
    assert final_order(story.plan, story.field, story.past) is None


def test_a_knock_out_whose_final_does_not_count_has_no_final_order() -> None:
    story = Story(Format(kind="knock-out", group=4), field(8)).tell()
    story.matches[-1] = replace(story.matches[-1], half_points=None)
    assert final_order(story.plan, story.field, story.past) is None


def test_a_bot_that_alone_goes_on_from_a_round_is_the_champion() -> None:
    story = Story(Format(kind="knock-out", group=4), field(8))
    while len(story.rounds) < 7:
        assert story.step(together=False)
    (one, other), (third, fourth) = story.rounds[-1].ties
    assert final_order(story.plan, story.field, story.past) is None, "the final is to come"
    story.out.update((one, other))
    order = final_order(story.plan, story.field, story.past)
    assert order is not None
    assert order[0] == min(third, fourth)
    assert sorted(order) == list(entrants(8))
    story.out.update((third, fourth))
    assert final_order(story.plan, story.field, story.past) is None


def test_level_ties_are_played_on_and_then_go_to_the_better_group_rank() -> None:
    plan = Format(kind="knock-out", group=4)
    story = Story(plan, field(4), level).tell()
    final = [one for one in story.matches if story.rounds[one.round].stage == "knock-out"]
    assert len(final) == 3
    order = final_order(plan, story.field, story.past)
    assert order is not None
    (tie,) = story.rounds[-1].ties
    assert order[0] == next(name for name in story.field.order if name in tie), "drawn first"


def test_a_budget_without_spare_matches_leaves_level_ties_to_the_group_rank() -> None:
    whole = size(Format(kind="knock-out", group=4), field(8))
    story = Story(Format(kind="knock-out", group=4, matches=whole), field(8), level).tell()
    assert len(story.matches) == whole
    assert final_order(story.plan, story.field, story.past) is not None


def test_a_bot_that_alone_goes_on_from_the_groups_is_the_champion() -> None:
    story = Story(Format(kind="knock-out", through=1), field(5))
    while story.step(together=False):
        over = len(story.rounds) == 10
        assert over or final_order(story.plan, story.field, story.past) is None
    assert stages(story) == ["group"]
    assert final_order(story.plan, story.field, story.past) == list(entrants(5))
    story.out.add("b000")
    assert final_order(story.plan, story.field, story.past)[:1] == ["b001"]  # type: ignore[index]


@given(st.integers(3, 12), st.integers(1, 6), st.data())
@settings(deadline=None, max_examples=30)
def test_newcomers_are_placed_by_matches_against_the_field(
    n: int, times: int, data: st.DataObject
) -> None:
    new = data.draw(st.sets(st.sampled_from(entrants(n)), min_size=1, max_size=n - 1))
    story = Story(Format(kind="swiss", placement=times), field(n, newcomers=frozenset(new))).tell()
    assert stages(story) == ["placement", "swiss"]
    placed = [one.seats for one in story.matches if one.round == 0]
    assert Counter(seats[0] for seats in placed) == dict.fromkeys(new, times)
    assert not any(seats[1] in new for seats in placed)
    served = Counter(seats[1] for seats in placed)
    assert max(served.values()) - min(served.get(name, 0) for name in set(entrants(n)) - new) <= 1
    alone = Story(Format(kind="swiss", placement=times), field(n, newcomers=frozenset(entrants(n))))
    assert stages(alone.tell()) == ["swiss"], "where all are new, there is no field"


def test_the_groups_of_a_knock_out_stay_when_a_placement_match_counts_no_more() -> None:
    new = frozenset(entrants(12)[6:])
    plan = Format(kind="knock-out", group=4, placement=3)
    story = Story(plan, field(12, newcomers=new), by_chance(1))
    while "group" not in stages(story):
        assert story.step(together=False)
    struck = entrants(12)[3]
    story.out.add(struck)
    story.disqualified.add(struck)
    story.tell(together=False)
    groups = story.past.rounds_of("group")
    met = {frozenset(one.seats) for one in story.matches if one.round in groups}
    for name in entrants(12):
        rivals = set().union(*(two for two in met if name in two)) - {name}
        assert len(rivals) <= 3, "everybody meets those of its own group"


def test_cycles_are_of_no_account_in_a_knock_out() -> None:
    once, thrice = (
        Story(Format(kind="knock-out", group=4, cycles=cycles), field(8)).tell()
        for cycles in (1, 3)
    )
    assert len(once.matches) == len(thrice.matches)


def test_what_placement_has_shown_seeds_the_first_round() -> None:
    new = frozenset(entrants(8)[4:])
    story = Story(Format(kind="swiss", placement=4), field(8, newcomers=new)).tell()
    first = [set(one.seats) for one in story.matches if one.round == 1]
    assert all(len(two & new) == 1 for two in first), "the upper half meets the lower half"


def test_who_is_struck_has_lost_to_its_opponents_and_is_met_no_more() -> None:
    story = Story(Format(kind="swiss"), field(9))
    story.step()
    struck, loser = story.matches[0].seats
    if loser < struck:
        struck, loser = loser, struck
    story.out.add(struck)
    story.disqualified.add(struck)
    story.tell()
    (first,) = (one.seats for one in story.matches if one.round == 1 and loser in one.seats)
    winners = {min(one.seats) for one in story.matches if one.round == 0} | {*story.rounds[0].rests}
    assert set(first) - {loser} <= winners, "it has a point now, and meets one that has"
    assert not any(struck in one.seats for one in story.matches if one.round)


@given(st.integers(3, 10), st.integers(3, 5), st.integers(1, 2))
@settings(deadline=None, max_examples=20)
def test_at_larger_tables_all_play_and_nobody_beside_a_bot_of_its_owner(
    n: int, seats: int, cycles: int
) -> None:
    n = max(n, seats + 1)
    owner = dict.fromkeys(entrants(n)[:2], "alice")
    who = field(n, seats=seats, owner=owner)
    story = Story(Format(cycles=cycles), who, by_chance(1)).tell()
    again = Story(Format(cycles=cycles), who, by_chance(1)).tell(together=False)
    assert story.matches == again.matches
    assert not any(set(entrants(n)[:2]) <= set(one.seats) for one in story.matches)
    assert len(story.matches) <= size(story.plan, who)
    assert {name for one in story.matches for name in one.seats} == set(entrants(n))


def test_an_adaptive_season_at_larger_tables_plays_on_until_it_is_answered() -> None:
    story = Story(Format(kind="adaptive"), field(6, seats=3, deals=4), by_chance(1, 0.08)).tell()
    assert stages(story) == ["cycle", "tail"]
    assert len(story.matches) < budget(story.plan, story.field)


def test_a_cooperative_season_has_teams_on_the_same_deals_and_mixed_teams() -> None:
    who = field(5, seats=3, cooperative=True)
    story = Story(Format(cycles=2, mixed=2), who).tell()
    assert [one.stage for one in story.rounds] == ["cycle", "mixed", "mixed"] * 2
    for number in (0, 3):
        teams = [one.seats for one in story.matches if one.round == number]
        assert sorted(teams) == [(name,) * 3 for name in entrants(5)]
    for number in (1, 2, 4, 5):
        teams = [one.seats for one in story.matches if one.round == number]
        assert all(len(set(team)) == 3 for team in teams)
        assert {name for team in teams for name in team} == set(entrants(5))
    assert len(story.matches) == size(story.plan, who)
    few = Story(Format(), field(2, seats=3, cooperative=True)).tell()
    assert stages(few) == ["cycle"], "two bots make no mixed team of three"
    single = Story(Format(), field(5, seats=1, cooperative=True)).tell()
    assert stages(single) == ["cycle"], "a team of one seat is not mixed"
    assert len(single.matches) == size(single.plan, single.field) == 5


def test_an_adaptive_cooperative_season_deals_on_until_the_order_is_clear() -> None:
    who = field(4, seats=3, cooperative=True)
    story = Story(Format(kind="adaptive", mixed=0), who).tell()
    assert stages(story) == ["cycle", "tail"]
    assert 4 * 20 <= len(story.matches) < budget(story.plan, who)


@pytest.mark.parametrize(
    ("plan", "who", "why"),
    [
        (Format(), field(1), "two entrants or more"),
        (Format(), Field(("a", "a"), "seed"), "listed twice"),
        (Format(), field(150), "22350 matches; a season has 20000"),
        (Format(matches=MAX_MATCHES + 1), field(2), "its budget is 20001 matches; a season"),
        (Format(kind="swiss", rounds=9000), field(6), "27000 matches"),
        (Format(kind="swiss"), field(6, seats=3), "a swiss season pairs two rivals"),
        (Format(kind="knock-out"), field(6, cooperative=True), "pairs two rivals"),
        (Format(placement=2), field(6, seats=3), "placement matches pair two"),
        (Format(), field(2, seats=3), "do not fill a table of 3"),
        (Format(kind="knock-out", matches=20), field(6), "are 31 matches; raise the budget"),
    ],
)
def test_a_season_that_cannot_be_played_is_refused(plan: Format, who: Field, why: str) -> None:
    with pytest.raises(Unplayable, match=why):
        check(plan, who)


def test_a_budget_is_sensible_where_none_is_given() -> None:
    assert budget(Format(), field(50)) == MAX_MATCHES
    assert budget(Format(kind="adaptive"), field(12)) == 3000
    assert budget(Format(kind="adaptive"), field(12, deals=20)) == 2 * 12 * 11
    assert budget(Format(kind="adaptive"), field(50, deals=2)) == 6250
    assert budget(Format(kind="adaptive"), field(1000)) == MAX_MATCHES
    assert budget(Format(kind="adaptive", matches=70), field(12)) == 70


def test_a_thousand_bots_have_their_first_rounds_at_once() -> None:
    who = field(1000)
    check(Format(kind="adaptive"), who)
    (first,) = next_rounds(Format(kind="adaptive"), who, Progress())
    assert len(first.pairings) == 500
