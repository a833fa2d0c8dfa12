"""The files of a version, for those who may read them, and the changes between two versions.

Knows texts and lines; the source checks the viewer's rights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import Match, SequenceMatcher
from io import StringIO
from itertools import accumulate, islice
from typing import Any, Final, NamedTuple

from flask import render_template

from dashboard.responses import PageResponse, login_if_forbidden
from dashboard.source import Source
from matchbox.answers.bots import FILE_REMOVED, Bot, VersionLine
from matchbox.bundle import MAIN, is_zip, read_bundle
from matchbox.errors import BadBundle, Forbidden, NotFound

MAX_WORK: Final = 10_000_000
"""The most work that a page may spend on comparing lines, in pairs of equal lines that are looked
at: about a second."""
LINE_WORK: Final = 8
"""The work of looking at one line."""
MAX_LINES: Final = 50_000
"""The most lines that a page shows: that many take about half a second. A small zip can hold
millions."""
AROUND: Final = 3
"""The number of unchanged lines to show around a change."""


class DiffLine(NamedTuple):
    """A line of a comparison; a number is None where the line is not in that version."""

    before: int | None
    after: int | None
    text: str

    @property
    def sign(self) -> str:
        """The sign before the line: "+" if it was added, "-" if it was removed, " " if it was
        kept."""
        return "+" if self.before is None else "-" if self.after is None else " "


class Changes(NamedTuple):
    """The changes of a file."""

    path: str
    what: str
    """"added", "removed" or "changed"."""
    hunks: list[list[DiffLine]] | None
    """The groups of changed lines; none if all lines are the same, as when only their ends differ.
    None if the file is not text, would take too long to compare, or has too many changed
    lines."""


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def version_source(owner: str, name: str, number: int) -> str:
        bot, version = find_version(source, owner, name, number)
        data = _file(source, bot, number)
        files, whole = _shown(_files(data))
        return render_template(
            "version_source.html",
            bot=bot,
            version=version,
            files=files,
            whole=whole,
            packed=is_zip(data or b""),
        )

    def version_changes(owner: str, name: str, number: int, since: int) -> str:
        bot, version = find_version(source, owner, name, number)
        find_version(source, owner, name, since)
        before, after = _file(source, bot, since), _file(source, bot, number)
        return render_template(
            "version_changes.html",
            bot=bot,
            version=version,
            since=since,
            changes=changes(_files(before), _files(after)),
        )

    version = "/bots/<owner>/<name>/versions/<int(max=999999999):number>"
    yield f"{version}/source", login_if_forbidden(source, version_source)
    yield f"{version}/since/<int(max=999999999):since>", login_if_forbidden(source, version_changes)


def find_version(source: Source, owner: str, name: str, number: int) -> tuple[Bot, VersionLine]:
    """Returns the bot and its version with that number. Raises NotFound."""
    bot = source.bot(owner, name)
    version = next((one for one in bot.versions if one.number == number), None)
    if version is None:
        raise NotFound(f"{owner}/{name} has no version {number}; see the bot's page")
    return bot, version


def files_of(data: bytes) -> dict[str, str]:
    """Returns the texts of an upload's files by path; a file that is not text is left out."""
    texts = {path: _text(file) for path, file in _files(data).items()}
    return {path: text for path, text in texts.items() if text is not None}


def lines_of(text: str) -> list[str]:
    """Returns the lines as Python counts them, which its tracebacks name: a form feed ends none."""
    return list(_lines_of(text))


def changes(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[Changes]:
    """Returns the files that differ, by path, with their changed lines."""
    found = []
    left, most = MAX_WORK, MAX_LINES
    for path, _ in _by_path({**before, **after}):
        if before.get(path) == after.get(path):
            continue
        what = "removed" if path not in after else "changed" if path in before else "added"
        old, new = _text(before.get(path, b"")), _text(after.get(path, b""))
        hunks: list[list[DiffLine]] | None = None
        if old is not None and new is not None:
            lines = lines_of(old), lines_of(new)
            left -= LINE_WORK * sum(map(len, lines))
            if left >= 0:
                matcher = _Matcher(*lines, left)
                hunks = _hunks(matcher, most)
                left = matcher.left
                most -= sum(map(len, hunks or ()))
        found.append(Changes(path, what, hunks))
    return found


class _TooMuchWork(Exception):
    """A comparison has taken all the work that a page may spend."""


class _Matcher(SequenceMatcher[str]):
    """Counts its work. Raises _TooMuchWork once no work is left."""

    def __init__(self, old: Sequence[str], new: Sequence[str], left: int) -> None:
        super().__init__(None, old, new)
        self.files = old, new
        self.left = left
        pairs = (len(self.b2j.get(line, ())) for line in old)  # type: ignore[attr-defined]
        self._work = list(accumulate((LINE_WORK + count for count in pairs), initial=0))
        """The work of looking at the old lines before each place."""

    def find_longest_match(self, *ranges: Any, **named: Any) -> Match:
        """The longest block of equal lines in ranges of both files. Each call looks at all old
        lines in their range, and at all their pairs."""
        begin, end = ranges[:2]
        self.left -= self._work[end] - self._work[begin]
        if self.left < 0:
            raise _TooMuchWork
        return super().find_longest_match(*ranges, **named)


def _hunks(matcher: _Matcher, most: int) -> list[list[DiffLine]] | None:
    """The groups of changed lines; None if that takes too much work or they have more than `most`
    lines."""
    try:
        groups = list(matcher.get_grouped_opcodes(AROUND))
    except _TooMuchWork:
        return None
    changed = (part for group in groups for part in group if part[0] != "equal")
    if sum(i2 - i1 + j2 - j1 for _, i1, i2, j1, j2 in changed) > most:
        return None
    old, new = matcher.files
    return [
        [
            line
            for tag, i1, i2, j1, j2 in group
            for line in _lines(tag == "equal", old, new, range(i1, i2), range(j1, j2))
        ]
        for group in groups
    ]


def _lines(
    same: bool, old: Sequence[str], new: Sequence[str], before: range, after: range
) -> Iterator[DiffLine]:
    if same:
        yield from (DiffLine(i + 1, j + 1, old[i]) for i, j in zip(before, after, strict=True))
        return
    yield from (DiffLine(i + 1, None, old[i]) for i in before)
    yield from (DiffLine(None, j + 1, new[j]) for j in after)


def _file(source: Source, bot: Bot, number: int) -> bytes:
    data = source.file_of(bot.owner, bot.name, number)
    if data is None:
        raise Forbidden("a bot's file is for its owner and operators; this one is not yours")
    if not data:
        raise NotFound(f"there is no file of version {number}: {FILE_REMOVED}")
    return data


def _files(data: bytes) -> Mapping[str, bytes]:
    """The files of an upload by path; none if it cannot be read."""
    try:
        return read_bundle(data).files
    except BadBundle:
        return {}


def _text(file: bytes) -> str | None:
    try:
        text = file.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _lines_of(text: str) -> Iterator[str]:
    return (line.removesuffix("\n") for line in StringIO(text, newline=None))


def _shown(files: Mapping[str, bytes]) -> tuple[dict[str, list[str] | None], bool]:
    """The first MAX_LINES lines of the files by path, None for a file that is not text; and
    whether these are all lines."""
    shown: dict[str, list[str] | None] = {}
    left = MAX_LINES
    for path, file in _by_path(files):
        text = _text(file)
        lines = None if text is None else list(islice(_lines_of(text), left + 1))
        shown[path] = None if lines is None else lines[:left]
        left -= len(lines or ())
        if left < 0:
            return shown, False
    return shown, True


def _by_path(files: Mapping[str, bytes]) -> list[tuple[str, bytes]]:
    """The files with the main file first, then by name."""
    return sorted(files.items(), key=lambda one: (one[0] != MAIN, one[0]))
