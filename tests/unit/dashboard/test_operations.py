"""The operators' pages: the log, a season and a match under way, and a suspended version."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from matchbox.answers.bots import Bot, State
from matchbox.answers.platform import Audit
from matchbox.answers.queue import Waiting
from matchbox.errors import Forbidden
from tests.unit.dashboard import cast, seasons
from tests.unit.dashboard.cast import EMPTY, MATCH, NOBODY, OPERATOR, SOURCE, get

OPERATE = ("/admin/audit", "/seasons/7/operate", f"/matches/{MATCH}/operate")


def refuses(**asked: Any) -> Audit:
    """Refuses like the server's source, as for a viewer who is no operator."""
    raise Forbidden("only operators may read the log")


@pytest.mark.parametrize("path", OPERATE)
def test_the_pages_are_for_operators(path: str) -> None:
    assert get(path).status_code == 200
    assert get(path, replace(SOURCE, audit=refuses)).status_code == 403
    assert get(path, NOBODY).location == f"/login?next={path}"


def test_the_log_says_who_did_what_to_what() -> None:
    page = get("/admin/audit?subject=season:7").text
    for said in (
        "charlie",
        "the platform",
        "season.disqualify",
        'href="/seasons/7"',
        f'href="/matches/{MATCH}"',
        'href="/bots/bob/lodger/versions/3"',
        'href="/bots/bob/ledger"',
        "dora",
        'value="season:7"',
        "cursor=4",
    ):
        assert said in page, said


def test_the_log_is_asked_as_the_address_says() -> None:
    asked: list[dict[str, Any]] = []

    def audit(**which: Any) -> Audit:
        asked.append(which)
        return cast.audit()

    get("/admin/audit?action=match.void&cursor=7", replace(OPERATOR, audit=audit))
    get("/seasons/7/operate", replace(OPERATOR, audit=audit))
    assert asked == [
        {"action": "match.void", "cursor": "7"},
        {"subject": "season:7", "limit": 20},
    ]


def test_the_form_that_voids_a_match_does_not_show_its_score() -> None:
    better = {"points": 0.875, "forfeits": 3}
    scored = [one.model_copy(update=better) for one in cast.match(MATCH).entrants]
    source = replace(OPERATOR, match=lambda name: cast.match(name, entrants=scored))
    page = get(f"/matches/{MATCH}/operate", source).text
    assert f'action="/admin/matches/{MATCH}/void"' in page
    assert "Only for faults of the platform" in page
    assert "87.5" not in page
    assert "forfeit" not in page
    assert "87.5%" in get(f"/matches/{MATCH}", source).text


@pytest.mark.parametrize(("state", "form"), [("queued", "void"), ("void", ""), ("finished", "")])
def test_a_match_of_a_comparison_is_never_played_again(state: str, form: str) -> None:
    compared = cast.match(MATCH, state=state, why="comparison", season=None)
    page = get(f"/matches/{MATCH}/operate", replace(OPERATOR, match=lambda name: compared)).text
    assert 'name="again"' not in page
    assert re.findall(rf'action="/admin/matches/{MATCH}/(void|again)"', page) == form.split()


@pytest.mark.parametrize("replaced_by", [None, "f" * 32])
def test_a_void_match_is_played_again_once(replaced_by: str | None) -> None:
    void = cast.match(
        MATCH, state="void", void_why="the arena lost its disk", replaced_by=replaced_by
    )
    source = replace(OPERATOR, match=lambda name: void)
    page = get(f"/matches/{MATCH}/operate", source).text
    assert "the arena lost its disk" in page
    assert (f'action="/admin/matches/{MATCH}/again"' in page) == (replaced_by is None)
    assert f'action="/admin/matches/{MATCH}/void"' not in page


def test_a_void_match_shows_its_record_and_that_it_counts_nowhere() -> None:
    more = {"state": "void", "void_why": "the arena lost its disk", "replaced_by": "f" * 32}
    page = get(f"/matches/{MATCH}", replace(SOURCE, match=lambda name: cast.match(name, **more)))
    assert "Void: it counts nowhere: the arena lost its disk." in page.text
    assert f"/matches/{'f' * 32}" in page.text
    assert "Transcript" in page.text


@pytest.mark.parametrize(
    "state, offered",
    [
        ("open", set()),
        ("frozen", {"disqualify", "reinstate", "recompute"}),
        ("running", {"disqualify", "reinstate", "rerun", "recompute"}),
        ("finished", {"disqualify", "reinstate", "recompute"}),
        ("cancelled", set()),
    ],
)
def test_a_season_offers_what_its_state_allows(state: str, offered: set[str]) -> None:
    source = replace(OPERATOR, season=lambda number: seasons.season(7, state=state))
    page = get("/seasons/7/operate", source).text
    deeds = ("disqualify", "reinstate", "rerun", "recompute")
    assert {deed for deed in deeds if f'action="/seasons/7/{deed}"' in page} == offered


def test_who_is_disqualified_may_be_reinstated_and_nobody_else() -> None:
    page = get("/seasons/7/operate").text
    disqualify, _, rest = page.partition('action="/seasons/7/reinstate"')
    assert ">bob/tin-drum</option>" not in disqualify
    assert '<option value="bob/tin-drum">bob/tin-drum</option>' in rest
    assert ">alice/careful</option>" not in rest


def test_everybody_reads_who_is_out_of_a_season_and_why() -> None:
    page = get("/seasons/7", NOBODY).text
    assert "was disqualified, and its matches no longer count: two accounts, one author" in page
    assert "/operate" not in page
    assert "/seasons/7/operate" in get("/seasons/7").text


def suspended(owner: str, name: str, active: int | None = None) -> Bot:
    """Alice's bot, its newest version suspended."""
    row = cast.version(4, "suspended", cast.report("accepted"), trouble="8 of 80 bouts", id=4)
    older = cast.version(3, "active", cast.report("accepted"), id=3)
    return cast.bot(owner, name, versions=[row, older], active=active)


def test_a_suspended_version_says_why_and_what_to_do() -> None:
    source = replace(SOURCE, bot=suspended)
    for path in ("/bots/alice/careful", "/bots/alice/careful/versions/4"):
        page = get(path, source).text
        assert "8 of 80 bouts" in page, path
        assert "new version" in page, path
        on = get(path, replace(SOURCE, bot=partial(suspended, active=3))).text
        assert "The bot plays on with version 3." in on, path
    assert "/reinstate" not in page
    mine = get("/bots/alice/careful", source).text
    assert "Submit a new version, and the bot plays again." in mine
    operators = get("/bots/alice/careful/versions/4", replace(OPERATOR, bot=suspended)).text
    assert 'action="/admin/versions/4/reinstate"' in operators


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("pending", "The platform could not try it out{}"),
        ("quarantined", "It was tried out alone, without a verdict{}"),
    ],
)
def test_a_parked_version_says_so_with_and_without_the_platforms_error(
    state: State, said: str
) -> None:
    def parked(owner: str, name: str, trouble: str) -> Bot:
        row = cast.version(4, state, None, trouble=trouble, parked=True, id=4)
        return cast.bot(owner, name, versions=[row])

    for trouble, why in (("", ". An"), ("no room", ": no room")):
        source = replace(SOURCE, bot=partial(parked, trouble=trouble))
        assert said.format(why) in get("/bots/alice/careful/versions/4", source).text
        page = get("/bots/alice/careful", source).text
        assert (trouble or "an operator has been notified") in page


@pytest.mark.parametrize(("state", "every"), [("pending", {"2s", "1s"}), ("quarantined", {"5s"})])
def test_a_page_asks_seldom_for_a_verdict_that_waits_for_an_operator(
    state: State, every: set[str]
) -> None:
    def asked(*, parked: bool) -> set[str]:
        row = cast.version(4, state, None, parked=parked, id=4)
        source = replace(SOURCE, bot=lambda owner, name: cast.bot(owner, name, versions=[row]))
        pages = [get(f"/bots/alice/careful{more}", source).text for more in ("", "/versions/4")]
        return {*re.findall(r'hx-trigger="every (\w+)" hx-select="#ver', " ".join(pages))}

    assert asked(parked=False) == every
    assert asked(parked=True) == {"30s"}


@pytest.mark.parametrize("path", ["/admin", "/admin/health"])
def test_only_the_number_of_findings_is_read_out_when_it_changes(path: str) -> None:
    found = replace(EMPTY, viewer=OPERATOR.viewer, health=lambda: cast.HEALTH)
    page = get(path, found).text
    assert "has not reported for 50 s." in page
    assert 'role="alert"' not in page
    assert 'role="status">1 finding</p>' in page


def test_a_version_in_quarantine_says_why_its_try_out_waits() -> None:
    def bot(owner: str, name: str) -> Bot:
        row = cast.version(4, "quarantined", None, trouble="present thrice", id=4)
        return cast.bot(owner, name, versions=[row])

    waits = Waiting(place=3, seconds=None, reason="2 try-outs come before it.")
    page = get("/bots/alice/careful/versions/4", replace(SOURCE, bot=bot, waiting=lambda _: waits))
    assert "2 try-outs come before it. Place" in page.text


def test_the_faults_are_counted_by_kind_and_by_bot_with_a_way_to_each() -> None:
    page = get("/admin/faults?days=7").text
    for said in (
        '<a href="/admin/faults?days=7" aria-current="page">Last week</a>',
        "no bot is to blame",
        "300 versions with faults, the first 2 of them",
        'href="/matches?bot=alice/careful&amp;version=2&amp;fault=1">1,210</a>',
        'illegal <b class="number">1,207</b>',
        'href="/matches/0123456789abcdef"',
        'data-sort="2026-11-27T17:00:00Z"',
    ):
        assert said in page, said
    assert "No bot has made a fault" in get("/admin/faults", replace(
        OPERATOR, faults=cast.EMPTY.faults)).text  # fmt: skip
    assert get("/admin/faults", NOBODY).location == "/login?next=/admin/faults"


@pytest.mark.parametrize(
    ("season", "says", "form", "again"),
    [
        (seasons.season(7, state="running"), "Only for faults of the platform", True, True),
        (seasons.season(7, state="finished"), "Its season is over", True, False),
        (seasons.cup(), "decided who went on", False, False),
        (seasons.season(7, state="cancelled"), "nothing is left to do", False, False),
    ],
    ids=["running", "finished", "knock-out", "cancelled"],
)
def test_what_can_be_done_about_a_match_depends_on_its_season(
    season: Any, says: str, form: bool, again: bool
) -> None:
    played = cast.match(MATCH, season=7, season_name="spring")
    source = replace(OPERATOR, match=lambda name: played, season=lambda number: season)
    page = get(f"/matches/{MATCH}/operate", source).text
    assert says in page
    assert '<a href="/seasons/7">season spring</a>' in page
    assert '<a href="/seasons/7">season spring</a>' in get(f"/matches/{MATCH}", source).text
    assert (f'action="/admin/matches/{MATCH}/void"' in page) == form
    assert ('name="again"' in page) == again
