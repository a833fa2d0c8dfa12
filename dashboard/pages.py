"""The pages for reading: a blueprint over the functions of a `Source`.

Knows addresses and templates. Holds no data, and handles no form: the form routes do that.

The pages work under this content policy, and need nothing more: `default-src 'none'; script-src
'self' 'nonce-N'; style-src 'self' 'nonce-N'; img-src 'self' data:; font-src 'self'; connect-src
'self'; form-action 'self'`. The app provides `csrf_token()` to the templates, and refuses addresses
that contain NUL, which some databases reject.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

from flask import Blueprint, make_response, render_template, request

from dashboard import (
    addresses,
    assets,
    bot_pages,
    classes,
    comparisons,
    documentation,
    downloads,
    evidence,
    figures,
    formats,
    forms,
    game_pages,
    home,
    inbox,
    leaderboards,
    league_form,
    openid,
    operations,
    passwords,
    play,
    queue,
    ratings,
    replays,
    season_pages,
    source_code,
    tabs,
    users,
    wording,
    workbench,
)
from dashboard.responses import (
    PageResponse,
    csv_file,
    json_response,
    login_first,
    requested,
    view_of,
)
from dashboard.source import Source
from matchbox import registry
from matchbox.answers.matches import Matches
from matchbox.answers.standings import Board
from matchbox.errors import BadOption, NotFound, quoted
from matchbox.setting_values import is_loopback
from matchbox.whole_numbers import whole_number

EMPTY_BOARD: Final = Board(
    game="", title="", league="", cooperative=False, matches=0, computed_at=None,
    rows_digest=None, by="elo", deals=None, lack=None, upsets=[], lines=[],
)  # fmt: skip
"""The leaderboard of a game that has no league yet."""
_ENTRANCES: Final = ("/login", "/signup", "/reset", "/first/")
"""The beginnings of the paths of pages for visitors who are not logged in yet."""
_FLAGS: Final = ("fault", "rated")
"""The filters of matches that are either set or left out."""


def utc_now() -> datetime:
    """Returns the present time, for texts such as "3 min ago"."""
    return datetime.now(UTC)


def make_pages(source: Source, *, now: Callable[[], datetime] = utc_now) -> Blueprint:
    """Returns the blueprint `pages`, which reads everything from `source`."""
    blueprint = Blueprint("pages", __name__, template_folder="templates")
    for rule, view in _rules(source):
        blueprint.add_url_rule(rule, view.__name__, view)
    blueprint.add_app_template_filter(lambda text: wording.ago(text, now()), "ago")
    blueprint.add_app_template_filter(figures.colour, "bot_colour")
    blueprint.add_app_template_filter(figures.board_tints, "board_tints")
    blueprint.add_app_template_filter(tabs.page_numbers)
    blueprint.add_app_template_filter(evidence.has_champions, "has_champions")
    blueprint.add_app_template_filter(comparisons.measure, "describe_measure_of")
    for function in (
        *formats.FILTERS,
        comparisons.so_far,
        evidence.basis,
        evidence.measure,
        evidence.surprises,
        evidence.tied,
    ):
        blueprint.add_app_template_filter(function, f"describe_{function.__name__}")
    blueprint.add_app_template_global(addresses.remembered(), "url_for")
    blueprint.add_app_template_test(is_loopback, "loopback")
    blueprint.add_app_template_test(lambda one: one and one.role == "operator", "operator")
    blueprint.add_app_template_test(lambda game: game in registry.packages(), "installed")
    for formatter in wording.FILTERS:
        blueprint.add_app_template_filter(formatter, f"format_{formatter.__name__}")

    @blueprint.app_context_processor
    def for_every_page() -> dict[str, object]:
        return {
            "viewer": source.viewer(),
            "openid": source.openid_label(),
            "play_closed": source.play_closed(),
            "asset_url": assets.asset_url,
            "path_after_login": path_after_login,
            "more_columns": leaderboards.more_columns,
            "columns_address": leaderboards.columns_address,
        }

    blueprint.after_request(leaderboards.remember_columns)

    return blueprint


def _rules(source: Source) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yields every address of all modules with its view."""
    yield from (
        *home.rules(source),
        *league_form.rules(source),
        *_Pages(source).rules(),
        *season_pages.rules(source),
        *bot_pages.rules(source),
        *leaderboards.rules(source),
        *replays.rules(source),
        *operations.rules(source),
        *queue.rules(source),
        *inbox.rules(source),
        *comparisons.rules(source),
        *classes.rules(source),
        *users.rules(source),
        *passwords.rules(source),
        *openid.rules(source),
        *ratings.rules(source),
        *play.rules(source),
        *workbench.rules(source),
        *source_code.rules(source),
        *documentation.rules(),
    )


class _Pages:
    """The views: one method for each address, which returns the page."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def rules(self) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
        """Yields every address with its view; the view's name is the endpoint."""
        yield "/games/<game>", self.game
        yield "/matches", self.matches
        yield "/seasons", self.seasons
        yield "/seasons/<int(max=999999999):season>.csv", self.season_csv
        yield "/seasons/<int(max=999999999):season>.json", self.season_json
        yield "/leagues", view_of("leagues", forms.leagues_page, self.source)
        yield "/leagues/<name>", self.league
        yield "/login", self.login
        yield "/signup", self.signup
        yield "/account", self.account
        yield "/admin", self.admin
        yield "/first/<secret>", view_of("claim", forms.claim_page, self.source)
        yield "/assets/<path:name>", self.asset

    # Games

    def game(self, game: str) -> PageResponse:
        found = game_pages.find(self.source, game)
        return render_template(
            "game.html", game=found, readme=game_pages.readme(game), board=self._board(game)
        )

    # Matches

    def matches(self) -> PageResponse:
        filters = requested("game", "bot", "opponent", "state", "result", "cursor")
        filters |= requested("comparison", "version", *_FLAGS)
        if not filters.get("bot"):
            filters = {k: one for k, one in filters.items() if k not in ("result", "version")}
        if not request.args:
            filters["state"] = "finished"  # Spectators want finished matches, not the queue.
        page, why, status = Matches(items=[], next=None), "", 200
        typed = [key for key in ("bot", "opponent") if key in filters]
        try:
            filters |= {key: _flag(key, filters[key]) for key in _FLAGS if key in filters}
            numbers = [key for key in ("comparison", "version") if key in filters]
            filters |= {key: _number(key, filters[key].strip()) for key in numbers}
            filters |= {key: self._full_name(filters[key]) for key in typed}
            page = self.source.matches(**filters, limit=30)
            if not page.items:
                if game := filters.get("game"):
                    game_pages.find(self.source, game)
                for key in typed:
                    self.source.bot(*filters[key].split("/", 1))
        except (BadOption, NotFound) as error:
            why, status = str(error), 422 if isinstance(error, BadOption) else 200
        shown = render_template(
            "matches.html", page=page, filters=filters, games=self.source.games(), why=why
        )
        return make_response(shown, status)

    def _full_name(self, typed: str) -> str:
        """Returns owner/name of a bot that somebody typed. Raises NotFound, also for a name that
        several bots have."""
        name = typed.strip().lower()
        return name if "/" in name else self.source.find_bot(name).bot

    # Seasons

    def seasons(self) -> PageResponse:
        return forms.seasons_page(self.source, filters=requested("league", "cursor"))

    def season_csv(self, season: int) -> PageResponse:
        board = self.source.season_standings(season)
        return csv_file(downloads.board_csv(board), f"season-{season}")

    def season_json(self, season: int) -> PageResponse:
        board = self.source.season_standings(season)
        return json_response(downloads.long_json(board, "lines", board.lines))

    def league(self, name: str) -> PageResponse:
        return forms.league_page(self.source, name, requested("kind"))

    # Empty forms

    def login(self) -> PageResponse:
        return forms.login_page(self.source, after=own_path(request.args.get("next", "/")))

    def signup(self) -> PageResponse:
        after = own_path(request.args.get("next", forms.NEW_ACCOUNTS))
        return forms.signup_page(self.source, after=after)

    def account(self) -> PageResponse:
        return forms.account_page(self.source) if self.source.viewer() else login_first()

    def admin(self) -> PageResponse:
        return forms.admin_page(self.source) if self.source.viewer() else login_first()

    def asset(self, name: str) -> PageResponse:
        return assets.send(name)

    def _board(self, game: str) -> Board:
        """Returns the game's leaderboard, or an empty one."""
        try:
            return self.source.leaderboard(game)
        except NotFound:
            return EMPTY_BOARD


def _flag(name: str, text: str) -> bool:
    """Returns True, as the form or the link to older matches has it. Raises BadOption for another
    text."""
    if text not in ("1", "True"):
        raise BadOption(f"{name} is {quoted(text)}; it must be 1, or left out")
    return True


def _number(name: str, text: str) -> int:
    """Returns the number by which a list is filtered. Raises BadOption for another text."""
    if not (number := whole_number(text)):
        raise BadOption(f"{name} is {quoted(text)}; it must be a whole number from 1 to 999999999")
    return number


def path_after_login() -> str | None:
    """Returns the path of this page with its query, to which a log-in leads back.

    Returns None if the page itself leads to a log-in, or answers a form.
    """
    leads_back = request.method in ("GET", "HEAD") and not request.path.startswith(_ENTRANCES)
    return request.full_path.rstrip("?") if leads_back else None


def own_path(path: str) -> str:
    """Returns the path if it leads to a page of this site, else "/"."""
    outside = not path.startswith("/") or path.startswith(("//", "/\\"))
    return "/" if outside or any(ord(letter) < 32 for letter in path) else path
