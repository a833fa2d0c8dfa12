"""The bots in a command: shipped ones by name, others by the path of their file or folder."""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from matchbox.bundle import MAIN, MAX_FILES, ZIP_BYTES, check_class_name, digest, is_left_out
from matchbox.errors import BadBundle, BadName, BadOption
from matchbox.registry import package_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matchbox.lab.plan import Contestant

SUFFIXES: Final = (".py", ".zip")


@dataclass(frozen=True, slots=True)
class NamedBot:
    """A bot from the command line."""

    name: str
    data: bytes
    class_name: str | None = None

    @property
    def version(self) -> str:
        """The digest of its bundle."""
        return digest(self.data)


def shipped_names(game: str) -> list[str]:
    """The names of a game's shipped bots, sorted."""
    folder = _folder(game)
    if not folder.is_dir():
        return []
    entries = [entry for entry in folder.iterdir() if entry.name[0] != "_"]
    files = [entry.stem for entry in entries if entry.suffix == ".py"]
    return sorted(files + [entry.name for entry in entries if _is_bot(entry)])


def shipped(game: str) -> list[NamedBot]:
    """Every shipped bot of the game."""
    return [_shipped(game, name) for name in shipped_names(game)]


def find(game: str, text: str) -> NamedBot:
    """The bot of that name, or in that file; FILE:CLASS chooses one of several classes.

    Raises UnknownGame, and BadName if there is neither.
    """
    package_of(game)
    if text in shipped_names(game):
        return _shipped(game, text)
    path, class_name = split(text)
    if not path.endswith(SUFFIXES) and not Path(path).is_file() and not _is_bot(Path(path)):
        known, hint = shipped_names(game), _hint(path, shipped_names(game) + _beside(Path(path)))
        raise BadName(
            f"there is no bot {text!r} of {game}: name a shipped one "
            f"({', '.join(known) or 'none'}), a file ending in .py or .zip, or a folder with "
            f"{MAIN}{hint}"
        )
    name = _shown(Path(os.path.abspath(path)).stem)  # also of the folder "."
    return NamedBot(name, read(Path(path)), check_class_name(class_name))


def check_no_shipped_name(game: str, path: str) -> None:
    """Raises BadName for the name of a shipped bot in place of a file."""
    if not Path(path).exists() and path in shipped_names(game):
        raise BadName(f"{path} is a shipped bot, and this command takes a file: name one")


def with_class(text: str, class_name: str | None) -> tuple[str, str | None]:
    """The path of a bot, and its class: that of FILE:CLASS, or of the option --class.

    Raises BadOption if they differ.
    """
    path, named = split(text)
    if not path:
        raise BadOption(f"{text!r} names no file: name the file or the folder of a bot")
    if named and class_name and named != class_name:
        raise BadOption(f"{text} names a class, and --class another, {class_name}: leave one out")
    return path, class_name or named


def split(text: str) -> tuple[str, str | None]:
    """The path of a bot, and the class of FILE:CLASS, which is not checked."""
    if not _names_class(text):
        return text, None
    path, _, class_name = text.rpartition(":")
    return path, class_name or None


def find_all(game: str, texts: list[str]) -> list[NamedBot]:
    """The bots of these names; a repeated name gets a number, so that all are different."""
    numbered: dict[str, NamedBot] = {}
    for bot in [find(game, text) for text in texts]:
        name, number = bot.name, 1
        while name in numbered:
            number += 1
            name = f"{bot.name}-{number}"
        numbered[name] = NamedBot(name, bot.data, bot.class_name)
    return list(numbered.values())


def contestants(bots: Iterable[NamedBot]) -> list[Contestant]:
    """The bots in the form that a plan takes."""
    from matchbox.lab.plan import Contestant

    return [Contestant(bot.name, bot.version, bot.class_name) for bot in bots]


def bundles(bots: Iterable[NamedBot]) -> dict[str, bytes]:
    """The bots' bundles by version."""
    return {bot.version: bot.data for bot in bots}


def read(path: Path) -> bytes:
    """The bytes of a bot's file, or of its folder as a zip.

    Raises BadName if it cannot be read, or if it is the folder of no bot, or BadBundle if the file
    is longer than any upload may be.
    """
    if path.is_dir() and not _is_bot(path):
        raise BadName(f"the folder {path} has no {MAIN}: name the folder or the file of a bot")
    try:
        if path.is_dir():
            return pack(path)
        with path.open("rb") as file:
            data = file.read(ZIP_BYTES + 1)
    except OSError as error:
        hint = "" if path.exists() else _hint(str(path), _beside(path))
        raise BadName(f"{path} cannot be read: {error.strerror or error}{hint}") from error
    if len(data) > ZIP_BYTES:
        raise BadBundle(f"{path} has more than {ZIP_BYTES} bytes, the most that a bot may have")
    return data


def pack(folder: Path) -> bytes:
    """The folder as an upload: the same files give the same bytes, and so the same version.

    Leaves out compiled files, and those that are hidden, such as the folder `.git`. Raises
    BadBundle if there are more files or bytes than a bot may have, before it reads any.
    """
    places = {file: file.relative_to(folder).as_posix() for file in sorted(folder.rglob("*"))}
    files = [file for file in places if file.is_file() and not is_left_out(places[file])]
    sizes, counts = Counter[str](), Counter[str]()
    for file in files:
        entry = places[file].partition("/")[0]
        sizes[entry] += file.stat().st_size
        counts[entry] += 1
    if len(files) > MAX_FILES or sizes.total() > ZIP_BYTES:
        most, unit = (counts, "files") if len(files) > MAX_FILES else (sizes, "bytes")
        ((largest, much),) = most.most_common(1)
        raise BadBundle(
            f"{folder} has {len(files)} files with {sizes.total()} bytes, and a bot may have "
            f"{MAX_FILES} with {ZIP_BYTES}: move out what the bot does not need; the most, {much} "
            f"{unit}, is in {_shown(largest)}"
        )
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for file in files:
            archive.writestr(zipfile.ZipInfo(_shown(places[file])), file.read_bytes())
    return packed.getvalue()


def _shown(name: str) -> str:
    """The name of a file, which may not be valid UTF-8."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _names_class(text: str) -> bool:
    """Whether it is FILE:CLASS, and no path with a colon."""
    path = Path(text)
    return ":" in text and not (text.endswith(SUFFIXES) or path.is_file() or _is_bot(path))


def _shipped(game: str, name: str) -> NamedBot:
    folder = _folder(game) / name
    return NamedBot(name, read(folder if _is_bot(folder) else folder.with_name(f"{name}.py")))


def _folder(game: str) -> Path:
    """The folder of the game's shipped bots."""
    return Path(str(resources.files("bots").joinpath(game)))


def _beside(path: Path) -> list[str]:
    """The bots' files in the folder of that path."""
    return [str(file) for suffix in SUFFIXES for file in path.parent.glob(f"*{suffix}")]


def _hint(text: str, known: Sequence[str]) -> str:
    """The end of a sentence, with the known name nearest to the text; empty if none is near."""
    folded = {name.lower(): name for name in known}
    tries = (text.lower(), text.lower().rpartition("/")[2])
    near = next(filter(None, (get_close_matches(one, folded, n=1) for one in tries)), [])
    return f"; did you mean {folded[near[0]]}?" if near else ""


def _is_bot(folder: Path) -> bool:
    """Whether it is a folder that can be packed as a bot."""
    return (folder / MAIN).is_file()
