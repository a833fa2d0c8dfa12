"""A Source of plain functions over made-up rows: alice owns bots, bob is her rival.

The replayed bout is really played, by bomb's rules with random moves.
"""

from __future__ import annotations

from dataclasses import make_dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from flask import Flask, render_template
from werkzeug.test import TestResponse

from dashboard.pages import make_pages
from dashboard.source import Source
from matchbox.answers.accounts import (
    IdentityLine,
    LoggedIn,
    LoggedInLine,
    LogInWays,
    OpenidFound,
    SessionLine,
    TokenLine,
    Viewer,
)
from matchbox.answers.arenas import ArenaKey, ArenaKeys, ArenaMatches
from matchbox.answers.bots import Bot, BotLine, BotName, Draft, Report, State, VersionLine
from matchbox.answers.faults import FaultList, OneFault
from matchbox.answers.games import Game, Limits, Option
from matchbox.answers.health import ArenaLine, Figures, Finding, Health, JobsLine
from matchbox.answers.leagues import Seasons
from matchbox.answers.lessons import Lesson, Lessons
from matchbox.answers.matches import (
    EVERYBODY,
    Bout,
    Diagnostic,
    Entrant,
    Fault,
    LeftOut,
    LogLine,
    Match,
    Matches,
    MatchLine,
    ParkedMatch,
    PrintedText,
    Queue,
    Step,
    Steps,
)
from matchbox.answers.platform import Admin, Audit, AuditLine, TroubledVersion, Wall
from matchbox.answers.standings import Board, BoardLine, RatingPoint
from matchbox.dice import SeededDice
from matchbox.errors import MatchboxError, NotFound
from matchbox.game import CHANCE
from matchbox.registry import game
from matchbox.settings import Settings, limits_for_authors
from server.headers import guard_answers
from server.problems import status_of
from tests.unit.dashboard import classroom, compared, counted, mailbox, playing, queued
from tests.unit.dashboard.seasons import (
    BOTS,
    EARLIER,
    STAMP,
    course,
    fixtures,
    league,
    league_line,
    meetings,
    season,
    season_line,
    waiting_season,
)

NOW: Final = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
MATCH: Final = "0123456789abcdef0123456789abcdef"
ALICE: Final = Viewer(name="alice", role="author", unread=1207)
CHARLIE: Final = Viewer(name="charlie", role="operator", unread=0)
BROKEN: Final = (
    "from matchbox.games.bomb import *\n\n\nclass Careful(Player):\n"
    "    def turn(self, game_data, play_a_card)\n        return None\n"
)


def line(
    rank: int, bot: str, elo: float | None, half: float, matches: int, **own: Any
) -> BoardLine:
    """A line of a leaderboard."""
    owner, _, name = bot.partition("/")
    told: dict[str, Any] = {
        "rank": rank,
        "rank_range": (max(1, rank - 1), rank + 1),
        "bot": bot,
        "owner": owner,
        "name": name,
        "version": 2,
        "version_id": rank,
        "elo": elo,
        "ci95": None if elo is None else (elo - half, elo + half),
        "matches": matches,
        "wins": matches // 2,
        "draws": matches // 20,
        "losses": matches - matches // 2 - matches // 20,
        "forfeits": 3 if "tin" in bot else 0,
        "provisional": half > 50,
    }
    return BoardLine(**told | own)


def rated(version: int, day: int, matches: int, elo: float, half: float) -> RatingPoint:
    """A point of a bot's history."""
    return RatingPoint(
        version=version, at=f"2026-11-{day:02}T12:00:00.000Z", matches=matches, elo=elo,
        ci95=(elo - half, elo + half), score=None, score_ci95=None,
    )  # fmt: skip


HISTORY: Final = [
    rated(3, 1, 1, 1480.0, 300.0), rated(3, 2, 120, 1475.0, 40.0), rated(4, 3, 5, 1470.0, 60.0),
    rated(4, 4, 100, 1530.0, 30.0), rated(4, 9, 1200, 1574.2, 11.0),
]  # fmt: skip


def board(*lines: BoardLine, cooperative: bool = False, **own: Any) -> Board:
    """A leaderboard of bomb with these lines."""
    told: dict[str, Any] = {
        "game": "bomb",
        "title": "Bomb",
        "league": "bomb",
        "cooperative": cooperative,
        "matches": 1207 if lines else 0,
        "computed_at": EARLIER if lines else None,
        "rows_digest": blake2b(repr(lines).encode(), digest_size=32).hexdigest(),
        "by": "score" if cooperative else "elo",
        "deals": 6035 if lines else None,
        "lack": None,
        "upsets": [],
        "lines": list(lines),
    }
    return Board(**told | own)


BOARD: Final = board(*(line(rank, *one) for rank, one in enumerate(BOTS, 1)))


def _match_fields(state: str = "finished", **own: Any) -> dict[str, Any]:
    done = state == "finished"
    entrants = [
        Entrant(
            bot=f"{owner}/{name}", owner=owner, name=name, version=version, version_id=version,
            digest="ef" * 32, class_name=None, points=points if done else None, forfeits=forfeits,
        )
        for owner, name, version, points, forfeits in (
            ("alice", "careful", 2, 0.55, int(done)), ("house", "medium", 1, 0.45, 0),
        )
    ]  # fmt: skip
    row = {
        "id": MATCH, "game": "bomb", "title": "Bomb", "league": "bomb", "season": None,
        "number": 1, "why": "ranked", "state": state, "created_at": EARLIER,
        "finished_at": EARLIER if done else None, "entrants": entrants, "score": None,
    }  # fmt: skip
    return row | own


def matches(**asked: Any) -> Matches:
    """One match in each state asked for."""
    states = [asked["state"]] if asked.get("state") else ["running", "finished", "queued", "void"]
    return Matches(items=[MatchLine(**_match_fields(state)) for state in states], next="older")


_HEAD: Final = {
    "attempt": 1, "rules": "1", "options": {}, "width": 250, "trouble": "", "embargo": None,
    "void_why": "", "replaces": None, "replaced_by": None,
}  # fmt: skip


def match(match_id: str, **own: Any) -> Match:
    """The finished match with ten bouts, in one of which alice's bot fell over."""
    if match_id != MATCH:
        raise NotFound(f"there is no match {match_id}")
    played = {
        "mine": True, "digest": "cd" * 32, "deals": [f"{n:032x}" for n in range(5)],
        "box": "bwrap", "seconds": 0.42, "bouts": [bout(number) for number in range(10)],
    }  # fmt: skip
    return Match(**_match_fields() | _HEAD | played | own)


def bout(number: int, **own: Any) -> Bout:
    """A bout of the match; in the fifth alice's bot crashed."""
    rotation = number % 2
    fault = Fault(step=4, seat=1, kind="crash", detail="ValueError: no such card")
    row: dict[str, Any] = {
        "deal": number // 2, "rotation": rotation, "places": [1, 2] if number % 3 else [2, 1],
        "scores": [0, 0], "why": "the bomb blew up", "seats": [rotation, 1 - rotation],
        "moves": 9, "faults": [fault] if number == 4 else [],
    }  # fmt: skip
    return Bout(**row | own)


def waiting(state: str, embargo: str | None = None, trouble: str = "") -> Match:
    """A match without results yet."""
    more = {"trouble": trouble, "embargo": embargo, "mine": False}
    return Match(**_match_fields(state) | _HEAD | more)


def steps(match_id: str, number: int, seat: int | None) -> Steps:
    """A bout of bomb with random moves, as that seat, a spectator or everybody sees it."""
    rules, seed = game("bomb"), number.to_bytes(16, "big")
    state = rules.start(2, SeededDice(seed, 0), {})

    def seen() -> Any:
        table: Any = rules.view(state, None)
        opened = {**table, "seats": [rules.view(state, one) for one in (0, 1)]}
        return opened if seat == EVERYBODY else rules.view(state, seat)

    told = [Step(seat=None, text="", move=None, view=seen())]
    while movers := rules.to_move(state):
        mover, at = movers[0], len(told)
        move = None if mover == CHANCE else SeededDice(b"moves" + seed, at).choice(
            rules.legal(state, mover)
        )  # fmt: skip
        state = rules.apply(state, mover, move, SeededDice(seed, at))
        text = rules.describe(move, rules.view(state, None))
        told.append(Step(seat=None if mover == CHANCE else mover, text=text, move=move,
                         view=seen()))  # fmt: skip
    told.append(Step(seat=None, text="explosion", move=None, view=seen()))
    return Steps(bout=bout(number), steps=told)


def report(verdict: str, *reasons: str, log: str = "") -> Report:
    """A try-out's report."""
    return Report(
        verdict=verdict, reasons=list(reasons), games=20, box="bwrap",
        cpu_ms_per_decision=0.084, peak_bytes=24 << 20, log=log,
    )  # fmt: skip


def version(number: int, state: State, told: Report | None, **own: Any) -> VersionLine:
    """A version of alice's bot."""
    row: dict[str, Any] = {
        "id": number, "number": number, "digest": f"{number}e" * 32, "class_name": None,
        "state": state, "created_at": EARLIER, "settled_at": None if told is None else EARLIER,
        "unrepeatable": False, "stateful": False, "sampled": 0, "trouble": "", "forfeits": 0,
        "rated_bouts": 0, "rated_matches": 0, "parked": False, "report": told,
    }  # fmt: skip
    return VersionLine(**row | own)


def draft(number: int) -> Draft:
    """Alice's draft by number: 1 waits, 2 was refused, 3 was accepted, 4 was lost."""
    told = {
        2: report("crash", "The file is not valid Python (player.py, line 5): no ':'.", log="no"),
        3: report("accepted"),
    }
    if number not in range(1, 5):
        raise NotFound(f"you have no draft {number} here")
    states = ("pending", "refused", "accepted", "lost")
    row: dict[str, Any] = {
        "id": number, "game": "bomb", "title": "Bomb", "digest": "ab" * 32, "class_name": None,
        "state": states[number - 1], "created_at": EARLIER, "settled_at": None,
        "trouble": "no disk." if number == 4 else "", "report": told.get(number),
    }  # fmt: skip
    return Draft(**row)


def bot(owner: str, name: str, **own: Any) -> Bot:
    """Alice's bot with a version in each state."""
    if (owner, name) != ("alice", "careful"):
        raise NotFound(f"there is no bot {owner}/{name}")
    wrong = report("crash", "SyntaxError: expected ':' (player.py, line 5)", log="line 1\nline 2")
    versions = [
        version(4, "pending", None),
        version(3, "refused", wrong),
        version(2, "active", report("accepted"), unrepeatable=True, stateful=True),
        version(1, "accepted", report("accepted", log="hello")),
    ]
    row: dict[str, Any] = {
        **CAREFUL.plain(), "mine": True, "standing": BOARD.lines[0], "versions": versions,
        "cpu_ms_per_bout": 3.25,
    }  # fmt: skip
    return Bot(**row | own)


CAREFUL: Final = BotLine(
    bot="alice/careful", owner="alice", name="careful", game="bomb", title="Bomb",
    created_at=EARLIER, retired_at=None, active=2, number=4, state="active",
)  # fmt: skip


def lesson(state: str = "learned", **own: Any) -> Lesson:
    """The lesson of a bot after a round."""
    row: dict[str, Any] = {
        "id": 9, "season": "Autumn 2026", "season_id": 7, "bot": "alice/careful", "version": 2,
        "version_id": 2, "round": 1, "state": state, "parked": False, "before": None,
        "after": "ab" * 32, "bytes": 12, "records": 40, "fault": "", "log": "seen <40> bouts",
        "trouble": "", "created_at": EARLIER, "settled_at": EARLIER,
    }  # fmt: skip
    return Lesson(**row | own)


def games() -> list[Game]:
    """Bomb alone."""
    option = Option(default=3, help="how many cards a see card shows", choices=[1, 2, 3])
    return [
        Game(
            name="bomb", title="Bomb", seats=[2], rules="1", cooperative=False,
            hidden="A player sees only the own hand.", options={"see": option}, bots=6,
            matches=1207,
        )
    ]  # fmt: skip


LEAGUE_DETAIL: Final = {
    "admission": {"everybody": True},
    "format": {"kind": "adaptive", "question": "top", "top": 3},
    "schedule": {"cron": "0 18 * * FRI", "zone": "Europe/Berlin"},
}
"""The settings of a new league, as the audit log keeps them."""


def audit(**asked: Any) -> Audit:
    """An audit log with a line of every kind."""
    deeds: list[tuple[Any, ...]] = [
        ("charlie", "season.disqualify", "season:7", "Autumn 2026", {"bot": "bob/tin-drum"}),
        ("charlie", "match.void", f"match:{MATCH}", MATCH, {"reason": "no disk", "new": None}),
        (None, "version.suspend", "version:9", "bob/lodger v3", {"why": "10.0%"}),
        ("charlie", "bot.retire", "bot:4", "bob/ledger", {}),
        ("charlie", "user.create", "user:2", "dora", {"role": "author"}),
        ("charlie", "league.create", "league:2", "cup", LEAGUE_DETAIL),
    ]
    lines = [
        AuditLine(id=9 - at, at=EARLIER, actor=actor, action=action, subject=subject, name=name,
                  detail=detail)
        for at, (actor, action, subject, name, detail) in enumerate(deeds)
    ]  # fmt: skip
    return Audit(items=lines, next="4")


def admin() -> Admin:
    """An operator's page with everything on it."""
    parked = ParkedMatch(**_match_fields("parked"), trouble="no space left")
    return Admin(
        wall=Wall(
            walled=False, box="process", missing=["no Landlock in this kernel"],
            reported_at=EARLIER,
        ),
        parked_matches=[parked],
        parked_versions=[TroubledVersion(id=5, bot="bob/ledger", number=3, trouble="no space")],
        parked_lessons=[lesson("waiting", parked=True, trouble="no space")],
        quarantined=[TroubledVersion(id=6, bot="bob/lodger", number=1, trouble="present thrice")],
        users=1207,
    )  # fmt: skip


ARENAS: Final[tuple[tuple[str, Any], ...]] = (("a", "reports"), ("b", "silent"), ("c", "reports"))
HEALTH: Final = Health(
    checked_at=EARLIER,
    findings=[Finding(kind="arenas", about="b", page="/docs/symptoms", level="bad",
                      text="Arena b has not reported for 50 s.",
                      remedy="See its log.")],
    arenas=[
        ArenaLine(name=name, full_name=f"{name}@far", host="far", release="1.0", state=state,
                  stopped="its record is false" if name == "b" else "",
                  key="lab" if name == "c" else "", key_state="draining" if name == "c" else None,
                  box="bwrap", walled=name != "c", why="", cores=2,
                  load=0.5, doing=MATCH if name == "a" else "", seen_at=EARLIER)
        for name, state in ARENAS
    ],
    jobs=[JobsLine(kind="match", queued=12, running=2, parked=0, oldest_at=EARLIER),
          JobsLine(kind="lesson", queued=0, running=0, parked=1, oldest_at=None)],
    figures=Figures(broker=True, results=3, ledger_ms=2000, disk_free=5 << 30, mails_failing=0,
                    backup_ms=7_200_000),
)  # fmt: skip


ARENA_KEYS: Final = ArenaKeys(
    items=[
        ArenaKey(name="attic", state="works", created_at=EARLIER, seen_at=None, arenas=0, jobs=0),
        ArenaKey(name="lab", state="draining", created_at=EARLIER, seen_at=EARLIER, arenas=2,
                 jobs=0),
        ArenaKey(name="old", state="removed", created_at=EARLIER, seen_at=EARLIER, arenas=0,
                 jobs=0),
    ],
    next=None,
)  # fmt: skip


def arena(name: str) -> ArenaLine:
    """The arena of that full name."""
    return next(one for one in HEALTH.arenas if one.full_name == name)


FAULTS: Final = FaultList(
    items=[
        OneFault(kind="crash", detail="ValueError: <b>", version=2, match=MATCH, bout=1, seat=1,
                 moves=3, at=EARLIER),
        OneFault(kind="timeout", detail=None, version=1, match=MATCH, bout=0, seat=0, moves=0,
                 at=EARLIER),
    ],
    next="1",
)  # fmt: skip
LOG: Final = LogLine(
    bot="alice/careful", entrant=0, text="drew a card", cpu_ms=12.5, notes=[],
    diagnostics=[
        Diagnostic(deal=0, rotation=0, decision=1, report={"doubt": 0.5}),
        Diagnostic(deal=1, rotation=0, decision=1, report="another bout's"),
    ],
    printed=[
        PrintedText(deal=0, rotation=0, decision=0, traceback=False, text="<b>I see", left_out=12),
        PrintedText(deal=0, rotation=0, decision=None, traceback=True, text="ValueError: no",
                    left_out=0),
        PrintedText(deal=1, rotation=0, decision=0, traceback=False, text="elsewhere", left_out=0),
    ],
    left_out=[
        LeftOut(deal=0, rotation=0, decision=1, kind="report", left_out=90, rest=False),
        LeftOut(deal=0, rotation=1, decision=1, kind="print", left_out=1234, rest=True),
    ],
)  # fmt: skip
QUEUE: Final = Queue(
    queued=12, running=2, parked=1, pending_versions=1, parked_versions=0,
    quarantined_versions=0, oldest_queued_at=EARLIER,
)  # fmt: skip
NO_QUEUE: Final = Queue(
    queued=0, running=0, parked=0, pending_versions=0, parked_versions=0,
    quarantined_versions=0, oldest_queued_at=None,
)  # fmt: skip
TOKENS: Final = [
    TokenLine(id=1, name="laptop", created_at=EARLIER, used_at=None, revoked_at=None,
              scopes=["read", "submit"], ends_at=EARLIER),
    TokenLine(id=2, name="", created_at=EARLIER, used_at=EARLIER, revoked_at=EARLIER,
              scopes=["read"], ends_at=None),
]  # fmt: skip
SESSIONS: Final = [
    SessionLine(
        id=number,
        browser=browser,
        address=address,
        created_at=EARLIER,
        seen_at=EARLIER,
        ends_at=EARLIER,
        current=number == 1,
    )
    for number, browser, address in (
        (1, "Firefox on Linux", "2001:db8::7"),
        (2, "Safari on iPhone", None),
    )
]
LOGGED_IN: Final = [
    LoggedInLine(account=name, **line.plain())
    for name, line in zip(("charlie", "alice"), SESSIONS, strict=True)
]  # fmt: skip
KEYS: Final = LogInWays(
    has_password=True,
    identities=[IdentityLine(id=1, issuer="https://school.example", logs_in=True,
                             created_at=EARLIER, used_at=EARLIER)],
)  # fmt: skip
Cast: Any = make_dataclass(
    "Cast", [name for name in vars(Source) if not name.startswith("_")], frozen=True, kw_only=True
)
"""A source made of plain functions; `dataclasses.replace` replaces some of them."""

SOURCE: Final = Cast(
    viewer=lambda: ALICE,
    limits=lambda: Limits.model_validate(limits_for_authors(Settings())),
    uploads_closed=lambda: None,
    signup_closed=lambda: False,
    play_closed=lambda: False,
    games=games,
    leaderboard=lambda game: BOARD,
    board_stamp=lambda game: "",
    board_figures=lambda game, top, after: counted.FIGURES,
    board_pairs=lambda game: iter(counted.FIGURES.pairs),
    rating_trails=lambda game, versions: {one: [1500.0, 1480.0, 1574.2] for one in versions},
    results_by_opponent=lambda *asked: counted.OPPONENTS,
    all_opponents=lambda *asked: (
        counted.OPPONENTS.model_copy(update={"items": []}), iter(counted.OPPONENTS.items)
    ),
    author=lambda name: counted.author(name, CAREFUL, BOARD.lines[0]),
    bot=bot,
    bot_faults=lambda owner, name: FAULTS,
    lessons=lambda owner, name, cursor: Lessons(
        items=[lesson(), lesson("failed", fault="crash: <b>")], next=None
    ),
    find_bot=lambda name: BotName(bot=f"alice/{name}", owner="alice", name=name),
    matches=matches,
    audit=audit,
    match=match,
    verification=lambda name: None,
    steps=steps,
    match_log=lambda match: [LOG],
    queue=lambda: QUEUE,
    seasons=lambda **asked: Seasons(items=[season_line()], next=None),
    season=season,
    leagues=lambda: [league_line("bomb"), league_line("cup")],
    check_new_league=lambda *asked: None,
    league=league,
    following=lambda season: None,
    season_standings=lambda season: board(*BOARD.lines, title="Autumn 2026"),
    season_course=course,
    season_fixtures=fixtures,
    season_meetings=meetings,
    season_stamp=lambda season: STAMP,
    my_bots=lambda: [CAREFUL],
    tokens=lambda: TOKENS,
    sessions=lambda: SESSIONS,
    log_in_ways=lambda: KEYS,
    openid_label=lambda: "the school",
    openid_found=lambda: OpenidFound(
        known_as="Alice", suggested="alice-2", refused="", asks_password=True
    ),
    openid_out=lambda: "https://school.example/out",
    admin=admin,
    user=classroom.user,
    users=classroom.users,
    queue_detail=lambda: queued.QUEUE,
    faults=queued.faults,
    waiting=lambda number: None,
    invited=classroom.invited,
    memberships=lambda: [classroom.MEMBERSHIP],
    league_class=classroom.league_class,
    health=lambda: HEALTH,
    arena=arena,
    arena_keys=lambda: ARENA_KEYS,
    arena_matches=lambda name, since: ArenaMatches(
        arena=name, since=since, until=EARLIER, count=3, kept=1
    ),
    claim_open=lambda secret: secret == "good",
    comparison=compared.comparison,
    comparisons=compared.comparisons,
    comparable=lambda owner, name: compared.COMPARABLE,
    ratings=lambda owner, name: HISTORY,
    inbox=mailbox.inbox,
    delivery_settings=mailbox.delivery_settings,
    sends_mail=lambda: True,
    logged_in=lambda cursor: LoggedIn(items=LOGGED_IN, next=None if cursor else "7.2"),
    reset_name=lambda number, secret: "alice" if secret == "good" else None,
    link_open=lambda secret: secret == "good",
    opponents=lambda game, limit: playing.OPPONENTS[:limit],
    tables=lambda **asked: playing.TABLES,
    table=playing.table,
    table_revision=lambda table, secret="": "persons-0-1",
    table_steps=playing.steps,
    file_of=lambda owner, name, number: BROKEN.replace("None", str(number)).encode(),
    draft=draft,
    draft_file=lambda number: BROKEN.encode(),
)  # fmt: skip
NOBODY: Final = replace(SOURCE, viewer=lambda: None, memberships=list)
OPERATOR: Final = replace(SOURCE, viewer=lambda: CHARLIE)


NOTHING_TO_DO: Final = Admin(
    wall=None, parked_matches=[], parked_versions=[], parked_lessons=[], quarantined=[], users=1,
)  # fmt: skip
"""The operator's page on a fresh platform."""


EMPTY: Final = replace(
    SOURCE,
    audit=lambda **asked: Audit(items=[], next=None),
    leaderboard=lambda game: board(),
    board_figures=lambda game, top, after: counted.NO_FIGURES,
    board_pairs=lambda game: iter(()),
    results_by_opponent=lambda *asked: counted.NOBODY_MET,
    all_opponents=lambda *asked: (counted.NOBODY_MET, iter(())),
    author=lambda name: counted.NO_BOTS,
    matches=lambda **asked: Matches(items=[], next=None),
    seasons=lambda **asked: Seasons(items=[], next=None),
    leagues=list,
    league=lambda name: league("cup", seasons=[], season_count=0, invited=[]),
    season=lambda number: waiting_season(number, entrants=[], entries=0),
    following=lambda season: None,
    season_standings=lambda season: board(),
    season_course=lambda season: course(season, left={}),
    season_fixtures=lambda season, rounds: [],
    season_meetings=lambda season, rows, columns: [],
    my_bots=list,
    tokens=list,
    sessions=list,
    admin=lambda: NOTHING_TO_DO,
    queue_detail=lambda: queued.NO_QUEUE,
    faults=lambda days: queued.NO_FAULTS,
    bot=lambda owner, name: bot("alice", "careful", versions=[], standing=None),
    lessons=lambda owner, name, cursor: Lessons(items=[], next=None),
    ratings=lambda owner, name: [],
    queue=lambda: NO_QUEUE,
    memberships=list,
    league_class=lambda name: classroom.league_class(name, empty=True),
)  # fmt: skip

PAGES: Final = (
    "/", "/games/bomb", "/leaderboards/bomb", "/leaderboards/bomb?columns=more",
    "/leaderboards/bomb/pairs", "/leaderboards/bomb/bouts", "/bots/alice/careful",
    "/bots/alice/careful/opponents", "/authors/alice",
    *(f"/bots/alice/careful/versions/{number}" for number in (1, 2, 3, 4)),
    "/bots/alice/careful/versions/3/source", "/bots/alice/careful/versions/3/since/2",
    *(f"/drafts/{number}" for number in (1, 2, 3, 4)),
    "/matches", f"/matches/{MATCH}", f"/matches/{MATCH}?bout=4&step=3&seat=1", "/submit",
    "/seasons", "/seasons/7", "/leagues", "/leagues/cup", "/login", "/signup",
    "/account", "/admin", "/first/good", "/first/" + quote("<b>used"),
    "/comparisons/1", "/comparisons/2", "/comparisons/3",
    "/play", "/play/bomb", f"/play/bomb/{playing.NAME}",
    "/inbox", "/account/email/good", "/account/email/used",
    "/join", "/join/abcd-2345", "/reset", "/reset/1/good", "/reset/1/used",
    "/login/openid/new", "/login/openid/out",
    "/docs/", "/docs/?q=memory+limit", "/docs/write-a-bot", "/docs/threat-model",
)  # fmt: skip
OPERATING: Final = (
    "/seasons", "/seasons?league=cup", "/seasons/7", "/leagues", "/leagues/cup",
    "/seasons/7/operate", f"/matches/{MATCH}/operate", "/admin",
    "/admin/audit", "/admin/health", "/admin/arenas", "/admin/arenas/a@far",
    "/admin/arenas/b@far?since=2026-11-25", "/admin/queue", "/admin/faults", "/admin/leagues/new",
    "/admin/leagues/new?game=bomb&kind=adaptive&step=2",
    "/admin/leagues/new?name=cup&game=bomb&step=3",
    "/leagues/cup/class", "/leagues/cup/class/card", "/admin/users", "/admin/users?q=a&page=2",
    "/admin/users/alice", "/admin/users/bob",
    "/admin/sessions",
)  # fmt: skip
"""The pages that an operator sees differently from others, or alone."""


def make_app(source: Source = SOURCE) -> Flask:
    """Makes an application of these pages alone, with the server's own content policy."""
    app = Flask("pages", static_folder=None)
    app.config["SECRET_KEY"] = "only for tests"
    app.jinja_env.globals["csrf_token"] = lambda: "a-token"
    app.register_blueprint(make_pages(source, now=lambda: NOW))
    guard_answers(app, https_only=False)

    @app.errorhandler(MatchboxError)
    def tell(error: MatchboxError) -> tuple[str, int]:
        status = status_of(error)
        title = HTTPStatus(status).phrase
        page = render_template("error.html", status=status, title=title, detail=str(error))
        return page, status

    return app


def get(path: str, source: Source = OPERATOR) -> TestResponse:
    """The page, as this source's viewer gets it."""
    return make_app(source).test_client().get(path)


def html(path: str, source: Source = SOURCE, **more: Any) -> str:
    """The HTML of a page."""
    return make_app(source).test_client().get(path, **more).text
