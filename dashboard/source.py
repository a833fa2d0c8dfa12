"""What the pages ask of the server, as a record of functions. Knows shapes; knows no database.

The server fills a `Source` once; each function is called inside a request, and finds out itself
who is asking. All of them return JSON-ready data. Times are ISO 8601 texts in UTC or None; a list
with a cursor is `{"items": [...], "next": cursor | None}`. A thing that is not there raises
NotFound, one that may not be seen Forbidden.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from matchbox.errors import NotFound

Row: TypeAlias = "dict[str, Any]"


def no_source(owner: str, name: str, number: int) -> str | None:
    """Nobody may read any bot's text."""
    return None


def no_comparison(number: int) -> Row:
    """There is none."""
    raise NotFound(f"there is no comparison {number}")


def no_comparisons(owner: str, name: str) -> Row:
    """Nothing was compared, and nothing can be."""
    return {"items": [], "versions": []}


def no_ratings(owner: str, name: str) -> list[Row]:
    """No rating has moved."""
    return []


def no_notices(**_: Any) -> Row:
    """Nobody was told anything."""
    return {"items": [], "next": None, "unread": 0}


def no_ways_out() -> Row:
    """Notices stay in the house."""
    mail: Row = {"mail": False, "email": None, "email_asked": None, "kinds": [], "muted": []}
    return {**mail, "hooks": "none", "webhooks": []}


@dataclass(frozen=True, kw_only=True)
class Source:
    """The functions that the pages read from."""

    viewer: Callable[[], Row | None]
    """Who is asking: name, role ("author" or "operator"), unread (notices); None without login."""

    libraries: Callable[[], list[str]]
    """What bots may import beside the standard library."""

    uploads_closed: Callable[[], str | None]
    """Why the viewer may not submit bots, in a sentence; None where they may (or may log in)."""

    games: Callable[[], list[Row]]
    """name, title, seats (list), rules, cooperative, hidden, options (name -> {default, help,
    choices}), bots (how many active), matches (how many finished)."""

    leaderboard: Callable[[str], Row]
    """game, title, league, cooperative, matches, computed_at, rows_digest, by (what ranks: elo,
    borda or score), deals (how many, or None), lack (of fit: p, worst: first, second, games, share,
    expected; or None), lines: rank, rank_range [lo, hi], bot (owner/name), owner, name, version
    (number), elo, ci95 [lo, hi], matches, wins, draws, losses, forfeits, provisional, score,
    score_ci95, p_champion, p_better, nash, mixed_rank, mixed_range, mixed_score, mixed_ci95, out
    ("" or suspended); elo and ci95 are None on a cooperative board, and for who has not played;
    score, score_ci95 and nash where Elo ranks; the mixed ones where no teams were mixed."""

    bot: Callable[[str, str], Row]
    """owner, name, game, title, created_at, retired_at, mine (the viewer owns it or is operator),
    standing (its line of the leaderboard, or None), versions, newest first: number, digest,
    class_name, state (pending, active, accepted, refused, retired), created_at, settled_at,
    unrepeatable, stateful (keeps state between bouts), trouble (why the try-out is parked, or ""),
    report (None while pending): verdict, reasons (sentences), games, cpu_ms_per_decision, box, log
    (absent unless `mine`)."""

    find_bot: Callable[[str], Row]
    """owner, name of the only bot with this name. NotFound where there is none or several."""

    matches: Callable[..., Row]
    """(game, bot, season, state, cursor, limit: by keyword, each optional; bot is owner/name) ->
    a page of matches, newest first. Items: id, game, season (id or None), why, state,
    created_at, finished_at, entrants: bot, version, points (share of the match, 0..1, None before
    it is final and in a cooperative game), forfeits; score (a team's mean, else None)."""

    audit: Callable[..., Row]
    """For operators, else Forbidden: (subject, action, cursor, limit: by keyword, each optional) ->
    a page of the log, newest first. Items: at, actor (a name, or None for the platform), action,
    subject (season:<id>, match:<id>, ...), name (the subject's, in words), detail (plain data)."""

    match: Callable[[str], Row]
    """An item of `matches`, and: league, attempt, trouble (for operators), embargo (why nothing
    more is told yet, or None), void_why, replaces, replaced_by (ids, or None), mine; with embargo
    None and state finished, or void after it was played, also digest, deals
    (seeds), box, seconds, bouts: deal, rotation, places, scores, why, seats (entrant index per
    seat of the table), faults: step, seat, kind, detail (None unless the viewer owns that bot)."""

    steps: Callable[[str, int, int | None], Row]
    """(match, bout index, seat whose view is shown or None for the spectator's) -> bout, steps:
    seat (None or below 0 where nobody moved), text (a line of the transcript, empty for the
    start), view (plain data); only where `match` has no embargo, else Forbidden."""

    match_log: Callable[[str], list[Row]]
    """bot, entrant (index), text, cpu_ms: what the viewer's own bots printed; all of them for
    operators. diagnostics: deal, rotation, decision, report, for the owner alone. Asked only
    where `match` says `mine` and has no embargo."""

    queue: Callable[[], Row]
    """queued, running, parked, pending_versions (counts), oldest_queued_at."""

    seasons: Callable[[], list[Row]]
    """id, name, game, title, league, state, edition, division, divisions (how many), format (all
    fields of matchbox.league.format.Format), cycles, deals (of a match), paced (they follow from
    its bots' pace when it starts), entries (how many), matches, finished (how many of them),
    created_at, starts_at (by the schedule), started_at, finished_at, trouble (why it could not
    start when it was time, or ""); newest first, drafts for operators alone."""

    season: Callable[[int], Row]
    """One of `seasons`, and round (how many were opened), entrants: bot, version (number or None
    before it is fixed), mine, out (suspended, disqualified or ""), out_why; newer: number by bot of
    active versions that came too late; editions: id, name, division; admission, schedule (cron,
    zone), paused: the league's; trophy: champion, shared (bots), or None until it is finished;
    rounds: stage, rests, ties (each a list of bots), of every round that was opened."""

    leagues: Callable[[], list[Row]]
    """name, game, title, options, seats, deals, paced (nobody named their number), separation (none
    or strong: of a match's rotations), continuous, paused, format, admission, schedule,
    next_start."""

    league: Callable[[str], Row]
    """One of `leagues`, and seasons, as `seasons`; invited: names, None but for operators."""

    season_standings: Callable[[int], Row]
    """As `leaderboard`; title is the season's name."""

    my_bots: Callable[[], list[Row]]
    """The viewer's bots: owner, name, game, state of the newest version, number, retired_at."""

    tokens: Callable[[], list[Row]]
    """The viewer's API tokens: id, name, created_at, used_at, revoked_at, scopes, ends_at (None for
    no end)."""

    sessions: Callable[[], list[Row]]
    """The browsers in which the viewer is logged in: id, browser, created_at, seen_at, ends_at,
    current (the one that asks)."""

    admin: Callable[[], Row]
    """For operators, else Forbidden. wall: walled, box, missing (sentences), reported_at, or None;
    parked_matches (items of `matches` with trouble), parked_versions and quarantined: id, bot,
    number, trouble; users: name, role, bots, created_at."""

    claim_open: Callable[[str], bool]
    """Whether this secret of the first operator's link is good and unused."""

    comparison: Callable[[int], Row] = no_comparison
    """id, bot (owner/name), game, challenger and defender (version numbers), field (how many),
    bounds, games, most, state (running, finished, cancelled), verdict, llr, elo, ci95, difference,
    difference_ci95, why, created_at, finished_at, opponents: bot, version, difference; looks
    ([bouts, llr or difference]), pairs, llr_bounds, p_better, forfeits: bot, version, bouts;
    matches, finished (counts). For who asked and operators, else Forbidden."""

    comparisons: Callable[[str, str], Row] = no_comparisons
    """The viewer's own of the bot owner/name: items (as `comparison`, up to finished_at); for
    the form: versions (numbers), challenger, defender, left, budget, most, others,
    cooperative. Asked only where `bot` says `mine`."""

    ratings: Callable[[str, str], list[Row]] = no_ratings
    """(owner, name) -> how the bot's rating has moved, by version and time: version (its number),
    at, matches, elo, ci95, score, score_ci95 (of a cooperative game; else None)."""

    inbox: Callable[..., Row] = no_notices
    """(cursor, limit: by keyword, each optional) -> a page of the viewer's notices, newest first,
    and unread (how many). Items: id, kind, subject, text, path (of the page it is about), at,
    read_at."""

    ways_out: Callable[[], Row] = no_ways_out
    """mail (whether this platform sends any), email (the viewer's, confirmed, or None), email_asked
    (not confirmed yet), kinds (of notices), muted (those that are not mailed), hooks (where
    webhooks may lead: public, any or none), webhooks: id, url, created_at, arrived_at, disabled_at,
    trouble."""

    link_open: Callable[[str], bool] = lambda secret: False
    """Whether this secret of the link that confirms an address is the viewer's, and good."""

    text_of: Callable[[str, str, int], str | None] = no_source
    """(owner, name, version number) -> the bot's file, for its owner and operators; None for
    everybody else, and for a zip."""
