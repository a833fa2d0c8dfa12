"""The files of a version, for those who may read them, and the changes between two versions.

Knows texts and lines; the source checks the viewer's rights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from io import StringIO
from typing import Final, NamedTuple

from flask import render_template

from dashboard.responses import PageResponse, behind_login
from dashboard.source import Source
from matchbox.answers.bots import Bot, VersionLine
from matchbox.bundle import MAIN, is_zip, read_bundle
from matchbox.errors import BadBundle, Forbidden, NotFound

MOST_WORK: Final = 50_000_000
"""The most work that a page may spend on comparing lines, in the unit of `_work`: about a
second."""
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
    None if the file is not text, or would take too long to compare."""


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def version_source(owner: str, name: str, number: int) -> str:
        bot, version = find_version(source, owner, name, number)
        data = _file(source, bot, number)
        found = _files(data)
        return render_template(
            "version_source.html",
            bot=bot,
            version=version,
            files={path: _shown(file) for path, file in _by_path(found)},
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
    yield f"{version}/source", behind_login(source, version_source)
    yield f"{version}/since/<int(max=999999999):since>", behind_login(source, version_changes)


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
    return [line.removesuffix("\n") for line in StringIO(text, newline=None)]


def changes(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[Changes]:
    """Returns the files that differ, by path, with their changed lines."""
    found = []
    left = MOST_WORK
    for path, _ in _by_path({**before, **after}):
        if before.get(path) == after.get(path):
            continue
        what = "removed" if path not in after else "changed" if path in before else "added"
        old, new = _text(before.get(path, b"")), _text(after.get(path, b""))
        hunks: list[list[DiffLine]] | None = None
        if old is not None and new is not None:
            lines = lines_of(old), lines_of(new)
            left -= _work(*lines)
            hunks = _hunks(*lines) if left >= 0 else None
        found.append(Changes(path, what, hunks))
    return found


def _work(old: Sequence[str], new: Sequence[str]) -> int:
    """An upper bound for the steps that SequenceMatcher takes.

    For each block of equal lines that it finds, it looks at all pairs of equal lines again. It
    leaves out lines that are too common in a long file.
    """
    counts = Counter(new)
    common = len(new) // 100 + 1 if len(new) >= 200 else len(new)
    pairs = sum(counts[line] for line in old if counts[line] <= common)
    return pairs * min(len(old), len(new)) + len(old) + len(new)


def _hunks(old: Sequence[str], new: Sequence[str]) -> list[list[DiffLine]]:
    matcher = SequenceMatcher(None, old, new)
    return [
        [
            line
            for tag, i1, i2, j1, j2 in group
            for line in _lines(tag == "equal", old, new, range(i1, i2), range(j1, j2))
        ]
        for group in matcher.get_grouped_opcodes(AROUND)
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


def _shown(file: bytes) -> list[str] | None:
    text = _text(file)
    return None if text is None else lines_of(text)


def _by_path(files: Mapping[str, bytes]) -> list[tuple[str, bytes]]:
    """The files with the main file first, then by name."""
    return sorted(files.items(), key=lambda one: (one[0] != MAIN, one[0]))
