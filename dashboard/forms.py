"""The pages with a form, as HTML. `pages` shows them empty; form routes show them with an error.

Knows the fields of each form, but handles none. `values` are the texts that were entered before
(passwords are never sent back); `error` is one sentence that says what was wrong with them. The
comment at the top of a template lists the form's address and fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Final

from flask import render_template

from dashboard import league_form
from dashboard.source import Source
from matchbox.answers.arenas import FreshArenaKey
from matchbox.answers.leagues import League, Season
from matchbox.answers.notices import NOTICE_KINDS, FreshWebhook
from matchbox.errors import BadOption, quoted
from matchbox.league.format import CHOICES, PARTS, fields_of, write
from matchbox.settings_of_play import MAX_DEALS

Values = Mapping[str, str]
PAGE_SIZE: Final = 30
"""The number of seasons on a page."""
NEW_ACCOUNTS: Final = "/submit"
"""The page on which a new account begins, unless another one led to the sign-up."""


def login_page(
    source: Source, values: Values | None = None, error: str = "", after: str = "/"
) -> str:
    """Returns the login page; `after` is the path on this site to go to next."""
    return render_template("login.html", values=values or {}, error=error, after=after)


def signup_page(
    source: Source, values: Values | None = None, error: str = "", after: str = NEW_ACCOUNTS
) -> str:
    """Returns the form for a new account; `after` is the path on this site to go to next."""
    closed = source.signup_closed()
    return render_template(
        "signup.html", values=values or {}, error=error, closed=closed, after=after
    )


def claim_page(source: Source, secret: str, values: Values | None = None, error: str = "") -> str:
    """Returns the first operator's page, behind the one-time link."""
    is_open = source.claim_open(secret)
    return render_template(
        "claim.html", secret=secret, is_open=is_open, values=values or {}, error=error
    )


def account_page(
    source: Source,
    error: str = "",
    new_token: str = "",
    new_webhook: FreshWebhook | None = None,
    values: Values | None = None,
) -> str:
    """Returns the viewer's bots, tokens and sessions; a new secret is shown only once."""
    return render_template(
        "account.html",
        error=error,
        values=values or {},
        new_token=new_token,
        new_webhook=new_webhook,
        ways=source.delivery_settings(),
        kinds=NOTICE_KINDS,
        tokens=source.tokens(),
        sessions=source.sessions(),
        keys=source.log_in_ways(),
        my_bots=source.my_bots(),
    )


def deleted_page() -> str:
    """Returns the page that confirms the deletion of an account."""
    return render_template("account_deleted.html")


def admin_page(source: Source, values: Values | None = None, error: str = "") -> str:
    """Returns the operators' page. Raises Forbidden for others."""
    return render_template(
        "admin.html",
        values=values or {},
        error=error,
        queue=source.queue(),
        findings=source.health().findings,
        **dict(source.admin()),
    )


def season_operate_page(
    source: Source, season: int, values: Values | None = None, error: str = ""
) -> str:
    """Returns the page of the operators' actions on a season that has begun.

    Raises Forbidden for others.
    """
    return render_template(
        "season_operate.html",
        values=values or {},
        error=error,
        log=source.audit(subject=f"season:{season}", limit=20),
        season=source.season(season),
        computed_at=source.season_standings(season).computed_at,
    )


def match_operate_page(
    source: Source, match: str, values: Values | None = None, error: str = ""
) -> str:
    """Returns the page of the operators' actions on a match, without its score.

    Raises Forbidden for others.
    """
    found = source.match(match)
    season = source.season(found.season) if found.season else None
    compared = found.why == "comparison"  # It schedules its own matches.
    return render_template(
        "match_operate.html",
        season=season,
        playable=not compared and (season is None or season.state in ("running", "paused")),
        decided=_is_decided(season) or (compared and found.state == "finished"),
        values=values or {},
        error=error,
        log=source.audit(subject=f"match:{found.id}", limit=20),
        match=found,
    )


def _is_decided(season: Season | None) -> bool:
    """Whether making a match of the season void would change nothing, or is not allowed."""
    if season is None:
        return False
    over = season.format.kind == "knock-out" and season.state == "finished"
    return over or season.state == "cancelled"


def arena_page(source: Source, arena: str, values: Values | None = None, error: str = "") -> str:
    """Returns an arena's page. With a time `since` in the values, it counts the matches since."""
    found = source.arena(arena)
    counted, since = None, (values or {}).get("since", "")
    if since:
        try:
            counted = source.arena_matches(arena, since)
        except BadOption as wrong:
            error = error or str(wrong)
    return render_template(
        "arena.html",
        arena=found,
        counted=counted,
        values=values or {},
        error=error,
        log=source.audit(subject=f"arena:{found.full_name}"[:64], limit=20),
    )


def arenas_page(
    source: Source,
    values: Values | None = None,
    error: str = "",
    new_key: FreshArenaKey | None = None,
) -> str:
    """Returns the page of arenas and their keys; with `new_key`, it shows that key's secret."""
    return render_template(
        "arenas.html",
        keys=source.arena_keys().items,
        arenas=source.health().arenas,
        values=values or {},
        error=error,
        new_key=new_key,
    )


def seasons_page(
    source: Source,
    values: Values | None = None,
    error: str = "",
    filters: Mapping[str, str] | None = None,
) -> str:
    """Returns a page of the seasons; for operators with the form for a new one.

    `filters` may have a `league` and the `cursor` of a later page. The form asks for a league, then
    for the values that its format needs.
    """
    typed, leagues = values or {}, source.leagues()
    chosen_filters = dict(filters or {}) or {
        key: typed[key] for key in ("league",) if typed.get(key)
    }
    chosen = next((one for one in leagues if one.name == chosen_filters.get("league")), None)
    own = league_form.own_fields(chosen.format.kind) if chosen else ()
    return render_template(
        "seasons.html",
        most_deals=MAX_DEALS,
        values={**(write(chosen.format) if chosen else {}), **typed},
        error=error,
        filters=chosen_filters,
        page=source.seasons(
            league=chosen_filters.get("league"),
            cursor=chosen_filters.get("cursor"),
            limit=PAGE_SIZE,
        ),
        leagues=leagues,
        chosen=chosen,
        fields=[one for one in _FIELDS["format"] if one.name == "cycles" and one.name in own],
    )


def leagues_page(source: Source) -> str:
    """Returns the list of leagues."""
    return render_template("leagues.html", leagues=source.leagues())


def league_page(source: Source, name: str, values: Values | None = None, error: str = "") -> str:
    """Returns the page of a league; for operators with the form for its settings.

    With a `kind` in the values, the form has the settings of that kind of season. Raises BadOption
    if there is no such kind.
    """
    league = source.league(name)
    kind = (values or {}).get("kind", league.format.kind)
    if kind not in CHOICES["kind"]:
        raise BadOption(f"{quoted(kind)} is not a kind of season; choose one in the form")
    mark = settings_mark(league)
    cooperative = any(one.name == league.game and one.cooperative for one in source.games())
    return render_template(
        "league.html",
        most_deals=MAX_DEALS,
        values={**_settings_of(league), **(values or {})},
        mark=mark,
        overtaken=(values or {}).get("mark") not in (None, "", mark),
        error=error,
        league=league,
        kinds=league_form.KINDS,
        titles=CHOICES["kind"],
        fields=league_form.fields_for(kind, cooperative=cooperative, continuous=league.continuous),
    )


def settings_mark(league: League) -> str:
    """Returns a short text that changes with the league's settings. The form sends it back, so that
    nobody undoes a change without having seen it."""
    return blake2b(repr(_settings_of(league)).encode(), digest_size=8).hexdigest()


def _settings_of(league: League) -> dict[str, object]:
    settings = {part: write(getattr(league, part)) for part in PARTS}
    return {
        "deals": None if league.paced else league.deals,
        "separation": league.separation,
        **{
            field.alias: settings[part][field.name]
            for part, fields in _FIELDS.items()
            for field in fields
        },
    }


_FIELDS: Final = {part: fields_of(settings) for part, settings in PARTS.items()}
