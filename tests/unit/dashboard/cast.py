"""A Source of plain functions over made-up rows: alice owns bots, bob is her rival.

The bout that is stepped through is really played, by bomb's rules with moves drawn from dice.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from flask import Flask, render_template

from dashboard.pages import make_pages
from dashboard.source import Row, Source
from matchbox.dice import SeededDice
from matchbox.errors import Forbidden, MatchboxError, NotFound
from matchbox.game import CHANCE
from matchbox.registry import game
from server.headers import guard_answers
from tests.unit.dashboard import compared, mailbox
from tests.unit.dashboard.seasons import (
    BOTS,
    EARLIER,
    league,
    league_row,
    season,
    season_row,
    waiting_season,
)

NOW: Final = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
MATCH: Final = "0123456789abcdef0123456789abcdef"
ALICE: Final = {"name": "alice", "role": "author", "unread": 1207}
CHARLIE: Final = {"name": "charlie", "role": "operator"}
BROKEN: Final = (
    "from matchbox.games.bomb import *\n\n\nclass Careful(Player):\n"
    "    def turn(self, game_data, play_a_card)\n        return None\n"
)


UNTOLD: Final = (
    "p_champion", "p_better", "nash", "mixed_rank", "mixed_range", "mixed_score", "mixed_ci95",
)  # fmt: skip


def line(rank: int, bot: str, elo: float | None, half: float, matches: int, **own: Any) -> Row:
    """A line of a leaderboard."""
    owner, _, name = bot.partition("/")
    return {
        "rank": rank,
        "rank_range": [max(1, rank - 1), rank + 1],
        "bot": bot,
        "owner": owner,
        "name": name,
        "version": 2,
        "version_id": rank,
        "elo": elo,
        "ci95": None if elo is None else [elo - half, elo + half],
        "matches": matches,
        "wins": matches // 2,
        "draws": matches // 20,
        "losses": matches - matches // 2 - matches // 20,
        "forfeits": 3 if "tin" in bot else 0,
        "provisional": half > 50,
        "score": None,
        "score_ci95": None,
        **dict.fromkeys(UNTOLD),
        "out": "",
        **own,
    }


def rated(version: int, day: int, matches: int, elo: float, half: float) -> Row:
    """A point of a bot's history."""
    return {"version": version, "at": f"2026-11-{day:02}T12:00:00.000Z", "matches": matches,
            "elo": elo, "ci95": [elo - half, elo + half], "score": None,
            "score_ci95": None}  # fmt: skip


HISTORY: Final = [
    rated(3, 1, 1, 1480.0, 300.0), rated(3, 2, 120, 1475.0, 40.0), rated(4, 3, 5, 1470.0, 60.0),
    rated(4, 4, 100, 1530.0, 30.0), rated(4, 9, 1200, 1574.2, 11.0),
]  # fmt: skip


def board(*lines: Row, cooperative: bool = False) -> Row:
    """A leaderboard of bomb with these lines."""
    return {
        "game": "bomb",
        "title": "Bomb",
        "league": "bomb",
        "cooperative": cooperative,
        "matches": 1207 if lines else 0,
        "computed_at": EARLIER if lines else None,
        "rows_digest": "ab" * 32,
        "by": "score" if cooperative else "elo",
        "deals": 6035 if lines else None,
        "lack": None,
        "lines": list(lines),
    }


BOARD: Final = board(*(line(rank, *one) for rank, one in enumerate(BOTS, 1)))


def match_row(state: str = "finished", **own: Any) -> Row:
    """A match between alice's bot and a shipped one."""
    done = state == "finished"
    entrants = [
        {
            "bot": "alice/careful",
            "version": 2,
            "points": 0.55 if done else None,
            "forfeits": int(done),
        },
        {"bot": "house/medium", "version": 1, "points": 0.45 if done else None, "forfeits": 0},
    ]
    row = {"id": MATCH, "game": "bomb", "season": None, "why": "ranked", "state": state,
           "created_at": EARLIER, "finished_at": EARLIER if done else None,
           "entrants": entrants, "score": None}  # fmt: skip
    return row | own


def matches(**asked: Any) -> Row:
    """One match in each state asked for."""
    states = [asked["state"]] if asked.get("state") else ["running", "finished", "queued", "void"]
    return {"items": [match_row(state) for state in states], "next": "older"}


def match(match_id: str) -> Row:
    """The finished match with ten bouts, in one of which alice's bot fell over."""
    if match_id != MATCH:
        raise NotFound(f"there is no match {match_id}")
    bouts: list[Row] = []
    for number in range(10):
        rotation = number % 2
        places = [1, 2] if number % 3 else [2, 1]
        fault = {"step": 4, "seat": 1, "kind": "crash", "detail": "ValueError: no such card"}
        bouts.append(
            {"deal": number // 2, "rotation": rotation, "places": places, "scores": [0, 0],
             "why": "the bomb blew up", "seats": [rotation, 1 - rotation],
             "faults": [fault] if number == 4 else []}
        )  # fmt: skip
    return match_row() | {
        "league": "bomb", "attempt": 1, "trouble": "", "embargo": None, "mine": True,
        "void_why": "", "replaces": None, "replaced_by": None,
        "digest": "cd" * 32, "deals": [f"{n:032x}" for n in range(5)], "box": "bwrap",
        "seconds": 0.42, "bouts": bouts,
    }  # fmt: skip


def waiting(state: str, embargo: str | None = None, trouble: str = "") -> Row:
    """A match that tells nothing yet."""
    more = {"league": "bomb", "attempt": 1, "trouble": trouble, "embargo": embargo, "mine": False}
    return match_row(state) | more


def steps(match_id: str, bout: int, seat: int | None) -> Row:
    """A bout of bomb played by dice, as that seat or a spectator sees it."""
    rules, seed = game("bomb"), bout.to_bytes(16, "big")
    state = rules.start(2, SeededDice(seed, 0), {})
    told = [{"seat": None, "text": "", "view": rules.view(state, seat)}]
    while movers := rules.to_move(state):
        mover, number = movers[0], len(told)
        move = None if mover == CHANCE else SeededDice(b"moves" + seed, number).choice(
            rules.legal(state, mover)
        )  # fmt: skip
        text = rules.describe(move, rules.view(state, None if mover == CHANCE else mover))
        state = rules.apply(state, mover, move, SeededDice(seed, number))
        told.append({"seat": None if mover == CHANCE else mover, "text": text,
                     "view": rules.view(state, seat)})  # fmt: skip
    return {"bout": bout, "steps": told}


def report(verdict: str, *reasons: str, log: str = "") -> Row:
    """A try-out's report."""
    return {"verdict": verdict, "reasons": list(reasons), "games": 20, "box": "bwrap",
            "cpu_ms_per_decision": 0.084, "log": log}  # fmt: skip


def version(number: int, state: str, told: Row | None, **own: Any) -> Row:
    """A version of alice's bot."""
    settled = None if told is None else EARLIER
    row = {"number": number, "digest": f"{number}e" * 32, "class_name": None, "state": state,
           "created_at": EARLIER, "settled_at": settled, "unrepeatable": False, "stateful": False,
           "trouble": "", "report": told}  # fmt: skip
    return row | own


def bot(owner: str, name: str) -> Row:
    """Alice's bot with a version in each state."""
    if (owner, name) != ("alice", "careful"):
        raise NotFound(f"there is no bot {owner}/{name}")
    wrong = report("crash", "SyntaxError: expected ':' in bot.py, line 5", log="line 1\nline 2")
    versions = [
        version(4, "pending", None),
        version(3, "refused", wrong),
        version(2, "active", report("accepted"), unrepeatable=True, stateful=True),
        version(1, "accepted", report("accepted", log="hello")),
    ]
    return {"owner": owner, "name": name, "game": "bomb", "title": "Bomb", "created_at": EARLIER,
            "retired_at": None, "mine": True, "standing": BOARD["lines"][0],
            "versions": versions,
            "lessons": [lesson(), lesson("failed", fault="crash: <b>")]}  # fmt: skip


def lesson(state: str = "learned", **own: Any) -> Row:
    """What a bot made of a round."""
    row = {"id": 9, "season": "Autumn 2026", "season_id": 7, "bot": "alice/careful",
           "version": 2, "round": 1, "state": state, "parked": False,
           "before": None, "after": "ab" * 32, "bytes": 12, "records": 40, "fault": "",
           "log": "seen <40> bouts", "trouble": ""}  # fmt: skip
    return row | own


def games() -> list[Row]:
    """Bomb alone."""
    option = {"default": 3, "help": "how many cards a see card shows", "choices": [1, 2, 3]}
    return [{"name": "bomb", "title": "Bomb", "seats": [2], "rules": "1", "cooperative": False,
             "hidden": "A player sees only the own hand.", "options": {"see": option},
             "bots": 6, "matches": 1207}]  # fmt: skip


def audit(**asked: Any) -> Row:
    """A line of every kind."""
    deeds: list[tuple[Any, ...]] = [
        ("charlie", "season.disqualify", "season:7", "Autumn 2026", {"bot": "bob/tin-drum"}),
        ("charlie", "match.void", f"match:{MATCH}", MATCH, {"reason": "no disk", "new": None}),
        (None, "version.suspend", "version:9", "bob/lodger v3", {"why": "10.0%"}),
        ("charlie", "bot.retire", "bot:4", "bob/ledger", {}),
        ("charlie", "user.create", "user:2", "dora", {"role": "author"}),
    ]
    names = ("actor", "action", "subject", "name", "detail")
    lines = [{"id": 9 - at, "at": EARLIER, **dict(zip(names, deed, strict=True))}
             for at, deed in enumerate(deeds)]  # fmt: skip
    return {"items": lines, "next": "4"}


def admin() -> Row:
    """Everything an operator looks after."""
    wall = {"walled": False, "box": "process", "missing": ["no Landlock in this kernel"],
            "reported_at": EARLIER}  # fmt: skip
    return {
        "wall": wall,
        "parked_matches": [match_row("parked", trouble="the box did not start: no space left")],
        "parked_versions": [{"id": 5, "bot": "bob/ledger", "number": 3, "trouble": "no space"}],
        "parked_lessons": [lesson("waiting", parked=True, trouble="no space")],
        "quarantined": [{"id": 6, "bot": "bob/lodger", "number": 1, "trouble": "present thrice"}],
        "users": [{"name": name, "role": role, "bots": 2, "created_at": EARLIER}
                  for name, role in (("alice", "author"), ("charlie", "operator"))],
    }  # fmt: skip


SOURCE: Final = Source(
    viewer=lambda: ALICE,
    libraries=lambda: ["numpy"],
    uploads_closed=lambda: None,
    games=games,
    leaderboard=lambda game: BOARD,
    bot=bot,
    find_bot=lambda name: {"owner": "alice", "name": name},
    matches=matches,
    audit=audit,
    match=match,
    steps=steps,
    match_log=lambda match: [
        {
            "bot": "alice/careful",
            "entrant": 0,
            "text": "drew a card",
            "cpu_ms": 12.5,
            "diagnostics": [
                {"deal": 0, "rotation": 0, "decision": 1, "report": {"doubt": 0.5}},
                {"deal": 1, "rotation": 0, "decision": 1, "report": "another bout's"},
            ],
        }
    ],
    queue=lambda: {"queued": 12, "running": 2, "parked": 1, "pending_versions": 1,
                   "oldest_queued_at": EARLIER},
    seasons=lambda: [season_row()],
    season=season,
    leagues=lambda: [league_row("bomb"), league_row("cup")],
    league=league,
    season_standings=lambda season: BOARD | {"title": "Autumn 2026"},
    my_bots=lambda: [{"owner": "alice", "name": "careful", "game": "bomb", "state": "active",
                      "number": 4, "retired_at": None}],
    tokens=lambda: [{"id": 1, "name": "laptop", "created_at": EARLIER, "used_at": None,
                     "revoked_at": None, "scopes": ["read", "submit"], "ends_at": EARLIER},
                    {"id": 2, "name": "", "created_at": EARLIER, "used_at": EARLIER,
                     "revoked_at": EARLIER, "scopes": ["read"], "ends_at": None}],
    sessions=lambda: [{"id": number, "browser": browser, "created_at": EARLIER, "seen_at": EARLIER,
                       "ends_at": EARLIER, "current": number == 1}
                      for number, browser in ((1, "Firefox on Linux"), (2, "Safari on iPhone"))],
    admin=admin,
    claim_open=lambda secret: secret == "good",
    comparison=compared.comparison,
    comparisons=compared.comparisons,
    ratings=lambda owner, name: HISTORY,
    inbox=mailbox.inbox,
    ways_out=mailbox.ways_out,
    link_open=lambda secret: secret == "good",
    text_of=lambda owner, name, number: BROKEN,
)  # fmt: skip
NOBODY: Final = replace(SOURCE, viewer=lambda: None)
OPERATOR: Final = replace(SOURCE, viewer=lambda: CHARLIE)


def nothing_to_do() -> Row:
    """The operator's rows on a fresh platform."""
    return {
        "wall": None,
        "parked_matches": [],
        "parked_versions": [],
        "parked_lessons": [],
        "quarantined": [],
        "users": [],
    }


EMPTY: Final = replace(
    SOURCE,
    audit=lambda **asked: {"items": [], "next": None},
    leaderboard=lambda game: board(),
    matches=lambda **asked: {"items": [], "next": None},
    seasons=list,
    leagues=list,
    league=lambda name: league_row() | {"seasons": [], "invited": []},
    season=lambda number: waiting_season(number) | {"entrants": [], "entries": 0},
    season_standings=lambda season: board(),
    my_bots=list,
    tokens=list,
    sessions=list,
    admin=nothing_to_do,
    bot=lambda owner, name: bot("alice", "careful") | {"versions": [], "standing": None},
    ratings=lambda owner, name: [],
    queue=lambda: {"queued": 0, "running": 0, "parked": 0, "pending_versions": 0,
                   "oldest_queued_at": None},
)  # fmt: skip

PAGES: Final = (
    "/", "/games/bomb", "/leaderboards/bomb", "/bots/alice/careful",
    *(f"/bots/alice/careful/versions/{number}" for number in (1, 2, 3, 4)),
    "/matches", f"/matches/{MATCH}", f"/matches/{MATCH}?bout=4&step=3&seat=1", "/submit",
    "/seasons", "/seasons/7", "/leagues", "/leagues/cup", "/login", "/signup",
    "/account", "/admin", "/first/good", "/first/" + quote("<b>used"),
    "/comparisons/1", "/comparisons/2", "/comparisons/3",
    "/inbox", "/account/email/good", "/account/email/used",
    "/docs/", "/docs/?q=memory+limit", "/docs/write-a-bot", "/docs/threat-model",
)  # fmt: skip
OPERATING: Final = (
    "/seasons", "/seasons/7", "/leagues", "/leagues/cup", "/seasons/7/operate",
    f"/matches/{MATCH}/operate", "/admin",
    "/admin/audit",
)  # fmt: skip
"""What an operator sees otherwise than others, or alone."""


def make_app(source: Source = SOURCE) -> Flask:
    """An application of these pages alone, with the server's own content policy."""
    app = Flask("pages", static_folder=None)
    app.config["SECRET_KEY"] = "only for tests"
    app.jinja_env.globals["csrf_token"] = lambda: "a-token"
    app.register_blueprint(make_pages(source, now=lambda: NOW))
    guard_answers(app, https_only=False)

    @app.errorhandler(MatchboxError)
    def tell(error: MatchboxError) -> tuple[str, int]:
        status = 403 if isinstance(error, Forbidden) else 404
        page = render_template("error.html", status=status, title="Not found", detail=str(error))
        return page, status

    return app
