"""The pages that are photographed: one line each. Whoever adds a page adds its line here.

A name in braces stands for something of the demonstration, as `tests.screenshots.demo` names it.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

Person: TypeAlias = Literal["", "alice", "charlie"]
"""The viewer of a page: nobody, an author, or the operator."""


class Shot(NamedTuple):
    """A page to photograph."""

    name: str
    """The first part of the name of its files."""
    address: str
    who: Person = ""


SHOTS: Final = (
    Shot("home", "/"),
    Shot("home-alice", "/", "alice"),
    Shot("game-bomb", "/games/bomb"),
    Shot("game-skull", "/games/skull"),
    Shot("game-war", "/games/war"),
    Shot("game-thegame", "/games/thegame"),
    Shot("game-creatures", "/games/creatures"),
    Shot("leaderboard", "/leaderboards/bomb"),
    Shot("leaderboard-team", "/leaderboards/thegame"),
    Shot("leaderboard-pairs", "/leaderboards/bomb/pairs"),
    Shot("leaderboard-bouts", "/leaderboards/bomb/bouts"),
    Shot("author", "/authors/alice"),
    Shot("bot", "/bots/house/medium"),
    Shot("bot-own", "/bots/alice/careful", "alice"),
    Shot("bot-opponents", "/bots/house/medium/opponents"),
    Shot("version", "/bots/alice/careful/versions/1", "alice"),
    Shot("version-refused", "/bots/alice/careful/versions/3", "alice"),
    Shot("version-source", "/bots/alice/careful/versions/1/source", "alice"),
    Shot("version-changes", "/bots/alice/careful/versions/3/since/1", "alice"),
    Shot("comparison", "/comparisons/{comparison}", "alice"),
    Shot("matches", "/matches"),
    Shot("match", "/matches/{bomb}"),
    Shot("match-own", "/matches/{own}", "alice"),
    Shot("match-skull", "/matches/{skull}?step=6"),
    Shot("match-war", "/matches/{war}?step=6"),
    Shot("match-thegame", "/matches/{thegame}?step=6"),
    Shot("match-creatures", "/matches/{creatures}?step=6"),
    Shot("match-operate", "/matches/{bomb}/operate", "charlie"),
    Shot("seasons", "/seasons"),
    Shot("seasons-operator", "/seasons", "charlie"),
    Shot("season-knock-out", "/seasons/{cup}"),
    Shot("season-swiss", "/seasons/{swiss}"),
    Shot("season-running", "/seasons/{running}"),
    Shot("season-open", "/seasons/{open}", "alice"),
    Shot("season-operator", "/seasons/{open}", "charlie"),
    Shot("season-operate", "/seasons/{cup}/operate", "charlie"),
    Shot("leagues", "/leagues"),
    Shot("leagues-operator", "/leagues", "charlie"),
    Shot("league-new", "/admin/leagues/new", "charlie"),
    Shot("league-settings", "/admin/leagues/new?game=skull&kind=adaptive&step=2", "charlie"),
    Shot("league-summary", "/admin/leagues/new?name=friday&game=bomb&step=3", "charlie"),
    Shot("league", "/leagues/weekly", "charlie"),
    Shot("class", "/leagues/weekly/class", "charlie"),
    Shot("class-card", "/leagues/weekly/class/card", "charlie"),
    Shot("join", "/join"),
    Shot("join-code", "/join/{code}"),
    Shot("play", "/play", "alice"),
    Shot("play-game", "/play/skull", "alice"),
    Shot("play-table", "/play/skull/{table}", "alice"),
    Shot("submit", "/submit", "alice"),
    Shot("login", "/login"),
    Shot("signup", "/signup"),
    Shot("forgotten", "/reset"),
    Shot("reset", "/reset/1/a-link-that-has-ended"),
    Shot("account", "/account", "alice"),
    Shot("inbox", "/inbox", "alice"),
    Shot("email", "/account/email/a-link-that-has-ended", "alice"),
    Shot("first-operator", "/first/a-link-that-is-used"),
    Shot("admin", "/admin", "charlie"),
    Shot("admin-users", "/admin/users", "charlie"),
    Shot("admin-user", "/admin/users/alice", "charlie"),
    Shot("admin-sessions", "/admin/sessions", "charlie"),
    Shot("admin-queue", "/admin/queue", "charlie"),
    Shot("admin-faults", "/admin/faults", "charlie"),
    Shot("health", "/admin/health", "charlie"),
    Shot("arenas", "/admin/arenas", "charlie"),
    Shot("arena", "/admin/arenas/{arena}?since=2026-11-25", "charlie"),
    Shot("audit", "/admin/audit", "charlie"),
    Shot("docs", "/docs/"),
    Shot("docs-search", "/docs/?q=memory+limit"),
    Shot("docs-page", "/docs/write-a-bot"),
    Shot("not-found", "/games/poker"),
)

EXCEPTIONS: Final = {
    "pages.asset": "a file that pages load",
    "pages.bout_json": "JSON for a page's script",
    "pages.class_csv": "a file to download",
    "pages.draft": "the verdict that /submit shows in place",
    "pages.find_bot": "leads on to a bot's page",
    "pages.leaderboard_csv": "a file to download",
    "pages.leaderboard_json": "a file to download",
    "pages.lengths_csv": "a file to download",
    "pages.lengths_json": "a file to download",
    "pages.openid_new": "only where people log in with another provider's accounts",
    "pages.openid_out": "only where people log in with another provider's accounts",
    "pages.opponents_csv": "a file to download",
    "pages.opponents_json": "a file to download",
    "pages.pairs_csv": "a file to download",
    "pages.pairs_json": "a file to download",
    "pages.play_steps_json": "a file to download",
    "pages.play_table_json": "JSON for a page's script",
    "pages.ratings_csv": "a file to download",
    "pages.ratings_json": "a file to download",
    "pages.season_csv": "a file to download",
    "pages.season_json": "a file to download",
    "pages.seats_csv": "a file to download",
    "pages.seats_json": "a file to download",
    "pages.verification": "the part of a match's page that tells its verification",
}
"""The endpoints without a page to look at, with the reason."""
