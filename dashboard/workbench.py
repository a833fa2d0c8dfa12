"""The workbench: the page on which an author writes and uploads a bot, and the pages of verdicts.

Knows the parts of a page and its first text. The server's form routes take the upload.
`static/workbench.js` keeps drafts in the browser alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from flask import render_template, request

from dashboard import game_pages, reports, wording
from dashboard.reports import Location
from dashboard.responses import PageResponse, behind_login, login_first, view_of
from dashboard.source import Source
from dashboard.source_code import files_of, find_version
from matchbox.answers.bots import Bot, BotLine, Report, VersionLine
from matchbox.answers.matches import MatchLine
from matchbox.bundle import FILE_BYTES, ZIP_BYTES, is_zip
from matchbox.errors import NotFound, quoted
from matchbox.whole_numbers import whole_number


class OfferedText(NamedTuple):
    """A text that the page offers, and its description: "the example", "version 3 of careful" or
    ""."""

    text: str
    origin: str


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def submit() -> PageResponse:
        if "version" in request.args and source.viewer() is None:
            return login_first()
        return submit_page(source, request.args.to_dict())

    version = view_of("version", version_page, source)
    draft = view_of("draft", draft_page, source)

    yield "/submit", submit
    yield "/bots/<owner>/<name>/versions/<int(max=999999999):number>", version
    yield "/drafts/<int(max=999999999):draft>", behind_login(source, draft)


def submit_page(source: Source, values: Mapping[str, str] | None = None, error: str = "") -> str:
    """Returns the workbench.

    Besides the fields of the form, `values` may name a `version` of the viewer's bot to begin with,
    and a `line` of it to show. Raises NotFound if there is no such version or no such game.
    """
    memberships = source.memberships()
    game = {"game": memberships[0].game} if memberships else {}
    wanted = (values or {}).get("game")
    values = {**game, **(values or {})}
    known = source.viewer() is not None
    games, my_bots = source.games(), source.my_bots() if known else []
    chosen = next((one for one in games if one.name == values.get("game")), games[0])
    if wanted and wanted != chosen.name and not error:
        raise NotFound(f"there is no game {quoted(wanted)} here; the first page lists them")
    own = next((one for one in my_bots if one.name == values.get("name")), None)
    given = _offered(source, chosen.name, own, values)
    return render_template(
        "submit.html",
        values=values,
        memberships=memberships,
        error=error,
        games=games,
        chosen=chosen,
        readme=game_pages.readme(chosen.name),
        given=given,
        text=values.get("source") or given.text,
        requested=bool(values.get("source") or "version" in values),
        line=_number(values.get("line")),
        closed=source.uploads_closed(),
        limits=source.limits(),
        file_bytes=FILE_BYTES,
        zip_bytes=ZIP_BYTES,
        my_bots=my_bots,
    )


def draft_page(source: Source, draft: int) -> str:
    """Returns the page of a draft's verdict, whose section the workbench shows in place."""
    found = source.draft(draft)
    data = source.draft_file(draft) if found.report else b""
    files = files_of(data)
    place = _wrong_place(found.report, files)
    return render_template(
        "draft.html",
        draft=found,
        verdict=_verdict(found.report),
        place=place,
        excerpt=_excerpt(files, place),
        packed=is_zip(data),
    )


def version_page(
    source: Source,
    owner: str,
    name: str,
    number: int,
    values: Mapping[str, str] | None = None,
    error: str = "",
) -> str:
    """Returns the page of a version's verdict; `error` is the reason why it cannot be reinstated.

    Raises NotFound.
    """
    bot, version = find_version(source, owner, name, number)
    refused = version.state == "refused" and bot.mine
    data = source.file_of(owner, name, number)
    files = files_of(data or b"") if refused else {}
    place = _wrong_place(version.report, files)
    first = _first_match(source, bot, version)
    tried = version.state in ("pending", "quarantined")
    return render_template(
        "version.html",
        bot=bot,
        version=version,
        waiting=source.waiting(version.id) if bot.mine and tried else None,
        full_name=f"{owner}/{name}",
        verdict=_verdict(version.report),
        place=place,
        excerpt=_excerpt(files, place),
        packed=is_zip(data or b""),
        readable=bool(data),
        removed=data == b"",
        first=first,
        paused=_is_paused(source, bot.game),
        alone=first is None and version.state == "active" and _is_alone(source, bot),
        values=values or {},
        error=error,
    )


def _verdict(report: Report | None) -> str:
    return wording.VERDICTS.get(report.verdict, "") if report else ""


def _wrong_place(report: Report | None, files: Mapping[str, str]) -> Location | None:
    """The place in the author's files that the report names; None if it names another, as for an
    exception in the game's own code."""
    if report is None or not files:
        return None
    place = reports.wrong_place(report.reasons, report.log or "")
    return place if place and place.file in files else None


def _excerpt(files: Mapping[str, str], place: Location | None) -> list[reports.SourceLine]:
    return reports.excerpt(files.get(place.file), place.line) if place else []


def _first_match(source: Source, bot: Bot, version: VersionLine) -> MatchLine | None:
    """Returns the first match of a bot's active version, without comparisons, until it has played
    many."""
    if version.state != "active" or not bot.mine:
        return None
    own = source.matches(bot=bot.bot, version=version.number, rated=True, limit=15)
    return own.items[-1] if own.items and own.next is None else None


def _is_alone(source: Source, bot: Bot) -> bool:
    """Whether only bots of the viewer, which never meet, play the game in its own league."""
    game = next((one for one in source.games() if one.name == bot.game), None)
    viewer = source.viewer()
    if viewer is None or viewer.name != bot.owner or game is None or game.cooperative:
        return False
    own = [one for one in source.author(bot.owner).bots if one.game == bot.game and one.active]
    return game.bots <= len([one for one in own if not one.retired_at])


def _is_paused(source: Source, game: str) -> bool:
    """Whether the game's own league is paused, so that it pairs nobody."""
    try:
        return source.league(game).paused
    except NotFound:
        return False


def _offered(
    source: Source, game: str, own: BotLine | None, values: Mapping[str, str]
) -> OfferedText:
    """Returns the version of the bot that the request names, or its newest version, or the game's
    example."""
    if own is not None and own.game == game:
        number = _number(values["version"]) if "version" in values else own.number
        data = source.file_of(own.owner, own.name, number) if number else None
        if data and not is_zip(data):
            return OfferedText(data.decode("utf-8-sig"), f"version {number} of {own.name}")
    if "version" in values:
        raise NotFound("you have no such version in one file; your account's page lists your bots")
    example = game_pages.example(game)
    return OfferedText(example, "the example" if example else "")


def _number(text: str | None) -> int | None:
    """Returns the text as a positive number that a row can have, else None."""
    return whole_number(text or "") or None
