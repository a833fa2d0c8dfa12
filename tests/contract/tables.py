"""Writes the tables of the docs that are made from the code: `python -m tests.contract.tables`
writes them.

Each stands between two marks in its page.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, get_args

import typer

from cli.main import app as cli
from cli.season_options import FIELDS, FLAGS
from dashboard import markdown
from matchbox.answers.notices import NOTICE_KINDS
from matchbox.league.format import PARTS, SettingField
from matchbox.match.wire import Separation
from matchbox.settings import PREFIX, Settings
from matchbox.settings_of_play import MAX_DEALS
from server.app import create_app
from server.context import Context
from server.db.session import Database
from server.scopes import ANYBODY, is_public, scope_of
from server.services.audit import ACTIONS

if TYPE_CHECKING:
    from apiflask import APIFlask
    from typer.core import TyperCommand

OF_A_LEAGUE = {
    "option": ("options", "the game's", "an option of the game"),
    "seats": ("seats", "2; 3 in a cooperative game", "a number of seats of the game"),
    "deals": ("deals", "by the bots' speed", f"1 to {MAX_DEALS}"),
    "separation": ("separation", "`none`", ", ".join(f"`{one}`" for one in get_args(Separation))),
}
"""The options of `league create` that are neither of format, admission nor schedule. For each: the
setting, its default, and what it may be."""
CHECKOUT = Path(__file__).resolve().parent.parent.parent
COMMAND = "python -m tests.contract.tables"
PUBLIC = ("/api/", "/healthz", "/readyz", "/metrics")


class NoQueue:
    """A sender for an application that sends nothing."""

    def send(self, task: str, queue: str, message: dict[str, Any]) -> None:
        """Never called."""
        raise AssertionError(f"{task} was sent by an application that is only looked at")


def application(folder: Path) -> APIFlask:
    """The web application with an empty database in that folder."""
    database = Database(f"sqlite:///{folder / 'empty.db'}")
    return create_app(Context(Settings(secret_key="x" * 32), database, NoQueue()))


def settings() -> str:
    """Every setting: its name, its default, its bounds, its meaning."""
    rows = [
        f"| `{PREFIX}{knob.name.upper()}` | {_default(knob.default)} | {_bounds(knob.metadata)} "
        f"| {knob.metadata['meaning']} |"
        for knob in fields(Settings)
    ]
    return "\n".join(
        ["| setting | default | may be | meaning |", "| --- | --- | --- | --- |", *rows]
    )


def addresses() -> str:
    """Every address for programs, with the first line of its route's docstring."""
    with TemporaryDirectory() as folder:
        app = application(Path(folder))
        rows = [
            f"| `{method} {path}` | {scope} | {does} |"
            for path, method, scope, does in sorted(_routes(app))
        ]
    return "\n".join(["| request | scope | what it does |", "| --- | --- | --- |", *rows])


def commands() -> str:
    """Every command, with the first line of its help."""
    rows = [f"| `{name}` | {first_line(one.help)} |" for name, one in cli_commands()]
    return "\n".join(["| command | what it does |", "| --- | --- |", *rows])


def league() -> str:
    """Every setting of a league: its name, its option, its default, its bounds and its meaning."""
    rows = [*_own_settings()]
    rows += [
        f"| `{part}.{field.name}` | {_option(name, field)} "
        f"| {_usual(getattr(PARTS[part](), field.name))} | {_values(field)} "
        f"| {field.about.sentence()} |"
        for name, (part, field) in FIELDS.items()
    ]
    head = "| setting | option | default | may be | meaning |"
    return "\n".join([head, "| --- | --- | --- | --- | --- |", *rows])


def _own_settings() -> Iterator[str]:
    """The lines of a league's settings that no format, admission or schedule has."""
    options = {one.name: one for one in dict(cli_commands())["league create"].params}
    for name, (setting, default, values) in OF_A_LEAGUE.items():
        meaning = getattr(options[name], "help", "")
        yield f"| `{setting}` | `--{name}` | {default} | {values} | {meaning} |"


def notices() -> str:
    """Every kind of notice: its label, and its name in the form that chooses mails."""
    rows = [
        f"| `{name}` | {kind.label} | {kind.mail_label or 'always'} |"
        for name, kind in NOTICE_KINDS.items()
    ]
    head = "| kind | label in the inbox | the choice that mails it |"
    return "\n".join([head, "| --- | --- | --- |", *rows])


def actions() -> str:
    """Every action of the audit log, by what it is about."""
    named = [action.partition(".") for action in ACTIONS]
    rows = [
        f"| `{about}` | {', '.join(f'`{does}`' for own, _, does in named if own == about)} |"
        for about in dict.fromkeys(about for about, _, _ in named)
    ]
    return "\n".join(["| about | actions |", "| --- | --- |", *rows])


def decisions() -> str:
    """The index of the decisions, by part, with the date of each."""
    lines = []
    for section in markdown.read((CHECKOUT / "docs/decisions.md").read_text()).sections:
        link = f"[{section.heading}](#{section.anchor})"
        if section.level == 2:
            lines += ["", f"{link}:", ""]
        elif section.level == 3:
            lines.append(f"- {section.paragraphs[0].partition('.')[0]} {link}")
    return "\n".join(lines).strip()


@cache
def cli_commands() -> tuple[tuple[str, TyperCommand], ...]:
    """Every command of `matchbox` with its name, such as "season start"."""
    return tuple(_walk("", typer.main.get_command(cli)))


def _walk(name: str, command: Any) -> Iterator[tuple[str, TyperCommand]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
        return
    for word, one in inner.items():
        yield from _walk(f"{name} {word}".strip(), one)


def first_line(text: str | None) -> str:
    """The first line of a docstring. Raises ValueError unless it ends a sentence."""
    line = (text or "").strip().partition("\n")[0]
    if not line.endswith("."):
        raise ValueError(f"the first line of a docstring must end a sentence: {line!r}")
    return line


def _routes(app: APIFlask) -> Iterator[tuple[str, str, str, str]]:
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith(PUBLIC):
            view = inspect.unwrap(app.view_functions[rule.endpoint])
            document = inspect.getdoc(view)
            if rule.endpoint == "openapi.spec":
                document = "This API, described for programs (OpenAPI)."
            does = first_line(document)
            handler = app.view_functions[rule.endpoint]
            scope = scope_of(rule.endpoint, handler) or ANYBODY
            if scope != ANYBODY and is_public(rule.endpoint, handler):
                scope = "public"
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
                yield re.sub(r"<(?:[^:>]+:)?(\w+)>", r"<\1>", rule.rule), method, scope, does


def _option(name: str, field: SettingField) -> str:
    flags = FLAGS.get(field.name, f"--{name}".replace("_", "-")).split("/")
    return ", ".join(f"`{flag}`" for flag in flags)


def _usual(value: object) -> str:
    return "none" if value is None else _code(value)


def _values(field: SettingField) -> str:
    if field.choices:
        return ", ".join(map(_code, field.choices))
    if not field.whole:
        return "text or none" if field.optional else "text"
    numbers = f"{field.least} to {field.most}"
    return f"{numbers}, or none" if field.optional else numbers


def _code(value: object) -> str:
    """A value as JSON writes it, without quotes."""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _default(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"`{value}`" if isinstance(value, str) and value else str(value) or "empty"


def _bounds(metadata: Any) -> str:
    if "least" in metadata:
        return f"{metadata['least']} to {metadata['most']}"
    if "choices" in metadata:
        return ", ".join(f"`{choice}`" for choice in metadata["choices"])
    if "schemes" in metadata:
        return ", ".join(f"`{scheme}://`" for scheme in metadata["schemes"])
    if "form" in metadata:
        return metadata["form"][1]
    return "32 characters or more" if metadata.get("secret") else ""


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "settings": ("docs/settings.md", settings),
    "addresses": ("docs/api.md", addresses),
    "commands": ("docs/commands.md", commands),
    "league": ("docs/settings.md", league),
    "notices": ("docs/operate.md", notices),
    "actions": ("docs/operate.md", actions),
    "decisions": ("docs/decisions.md", decisions),
}


def with_table(page: str, name: str, table: str) -> str:
    """The page with that table between its marks. Raises ValueError if one is missing."""
    begin, end = f"<!-- {name}: written by `{COMMAND}` -->", f"<!-- {name}: end -->"
    head, found, rest = page.partition(begin)
    _, ended, tail = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"the page must hold the lines {begin} and {end}")
    return f"{head}{begin}\n\n{table}\n\n{end}{tail}"


def main() -> None:
    """Writes every table anew."""
    for name, (page, table) in TABLES.items():
        place = CHECKOUT / page
        place.write_text(with_table(place.read_text(), name, table()))


if __name__ == "__main__":
    main()
