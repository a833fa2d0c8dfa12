"""Uploaded bytes -> Manifest, or BadBundle. Looks at bytes only: nothing is parsed as Python.

Knows the limits of an upload and the rules for names; does not know what a player is.
"""

from __future__ import annotations

import re
import stat
import struct
import sys
import unicodedata
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from typing import Final

from matchbox.errors import BadBundle, BadName, quoted

FILE_BYTES: Final = 64 << 10
ZIP_BYTES: Final = 1 << 20
UNPACKED_BYTES: Final = 4 << 20
MAX_FILES: Final = 64
MAX_RATIO: Final = 20
MAIN: Final = "player.py"
NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{1,31}")
CLASS_NAME_LENGTH: Final = 64
_PATH: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")
_RATIO_FLOOR: Final = 4096
"""Files shorter than this may be compressed at any ratio."""
BROKEN_ZIP: Final = (
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError),
    *(IndexError, OverflowError, RuntimeError, ValueError, struct.error),
)
"""Exceptions that `zipfile` raises for a malformed zip."""
_ZIP: Final = (b"PK\3\4", b"PK\5\6", b"PK\7\10", b"PK00PK")
"""How a zip begins: one with files, one without, and two kinds that were made in parts."""
_NO_CODE: Final = {
    b"%PDF": "a PDF document",
    b"{\\rtf": "a document in Rich Text Format",
    b"\xd0\xcf\x11\xe0": "an office document",
    b"Rar!": "a rar archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "a picture",
}
"""How files begin that are no Python, and what they are."""
_PLAIN: Final = "save your code as plain text in a file that ends in .py"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_NOTEBOOK: Final = re.compile(rb'\s*\{.*"nbformat"\s*:', re.DOTALL)
_OFFICE: Final = frozenset({"[Content_Types].xml", "mimetype"})
"""Files by which a zip is shown to be a document."""
_IMPORT: Final = re.compile(rb"^[ \t]*(?:from|import)\b[^\r\n#]*", re.MULTILINE)
_INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""Control characters except whitespace, and characters that change the direction of a line."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A bundle that may be handed to a seat."""

    digest: str
    """64 hex digits over the uploaded bytes: the version's identity."""
    files: dict[str, bytes]
    """Content by path; `player.py` is among them."""
    packed: bool
    """True for a zip, False for a single file."""


def read_bundle(data: bytes) -> Manifest:
    """Returns the bundle in these uploaded bytes: one Python file, or a zip with player.py at its
    root.

    Raises BadBundle; its text is written for the author.
    """
    if not data:
        raise BadBundle("the file is empty; upload a Python file or a zip with player.py in it")
    packed = is_zip(data)
    files = _unzip(data) if packed else _single(data)
    for name, content in files.items():
        if name.endswith(".py"):
            _check_source(name if packed else "the file", content)
    return Manifest(digest(data), files, packed)


def ending(data: bytes) -> str:
    """The ending of the name of a file with these bytes: zip or py."""
    return "zip" if is_zip(data) else "py"


def is_zip(data: bytes) -> bool:
    """Whether an upload is a zip, and not a single file. A Python file may begin with PK, too."""
    return data.startswith(_ZIP)


def digest(data: bytes) -> str:
    """64 hex digits that identify a bundle's bytes."""
    return blake2b(data, digest_size=32).hexdigest()


def check_name(name: str) -> str:
    """Returns the name if a bot may have it. Raises BadName."""
    if not NAME.fullmatch(name):
        raise BadName(
            f"{quoted(name)} cannot be a name: use 2 to 32 of a-z, 0-9 and -, "
            "starting with a letter or digit"
        ).of("name")
    return name


def check_class_name(name: str | None) -> str | None:
    """The name of the chosen class, as Python reads it, or None. Raises BadName."""
    if name is None:
        return None
    read = unicodedata.normalize("NFKC", name)
    if len(read) > CLASS_NAME_LENGTH or not read.isidentifier():
        raise BadName(f"{quoted(name)} cannot be the name of a class").of("class_name")
    return read


def is_left_out(path: str) -> bool:
    """Whether a file at this path is left out of a bundle: what is hidden, such as the folders that
    git and editors make; compiled files; and the files that macOS adds to its zips. A path through
    `.` or `..` is not hidden, but refused."""
    parts = [part for part in path.split("/") if part not in (".", "..")]
    return any(part.startswith(".") or part in ("__pycache__", "__MACOSX") for part in parts)


def named_as_standard(files: Mapping[str, bytes]) -> str | None:
    """Returns a module of the bundle that the bundle imports by the name of a module of Python's
    own; None if there is none. Python's would be imported, and never the bundle's."""
    lines = (
        line for at, text in files.items() if at.endswith(".py") for line in _IMPORT.findall(text)
    )
    words = {word.decode() for line in lines for word in re.findall(rb"\w+", line)}
    taken = sys.stdlib_module_names & words
    for file in files:
        name, _, rest = file.removesuffix(".py").partition("/")
        if name in taken and (file == f"{name}.py" or rest == "__init__"):
            return file
    return None


def _single(data: bytes) -> dict[str, bytes]:
    found = next((what for begins, what in _NO_CODE.items() if data.startswith(begins)), None)
    if found is None and _NOTEBOOK.match(data):
        found = "a notebook (.ipynb)"
    if found is not None:
        raise BadBundle(f"the file is {found}; {_PLAIN}")
    if len(data) > FILE_BYTES:
        raise BadBundle(
            f"the file has {len(data)} bytes; a single file may have {FILE_BYTES}, "
            f"a zip {ZIP_BYTES}"
        )
    return {MAIN: data}


def _unzip(data: bytes) -> dict[str, bytes]:
    if len(data) > ZIP_BYTES:
        raise BadBundle(f"the zip has {len(data)} bytes; it may have {ZIP_BYTES}")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            all_files = [entry for entry in archive.infolist() if not entry.is_dir()]
            entries = [entry for entry in all_files if not is_left_out(entry.filename)]
            names = {entry.filename for entry in entries}
            if MAIN not in names and not _OFFICE.isdisjoint(names):
                raise BadBundle(f"the file is an office document; {_PLAIN}")
            _check_entries(entries)
            files = {entry.filename: _read(archive, entry) for entry in entries}
    except BROKEN_ZIP as error:
        raise BadBundle(f"the zip cannot be read: {error}") from error
    if MAIN not in files:
        raise BadBundle(f"the zip has no {MAIN} at its root; {_how_to_have_it(files)}")
    return files


def _how_to_have_it(files: dict[str, bytes]) -> str:
    inner = next((name for name in files if name.endswith(f"/{MAIN}")), None)
    if inner is None:
        code = [name for name in files if name.endswith(".py")]
        return "put your player class there" + (f": rename {code[0]!r}" if len(code) == 1 else "")
    return f"it is at {inner!r}: zip the files themselves, not the folder that holds them"


def _check_entries(entries: list[zipfile.ZipInfo]) -> None:
    if len(entries) > MAX_FILES:
        raise BadBundle(f"the zip holds {len(entries)} files; it may hold {MAX_FILES}")
    seen: dict[str, str] = {}
    for entry in entries:
        name = entry.filename
        if other := seen.get(name.casefold()):
            raise BadBundle(
                f"the zip holds two files of the name {name!r}"
                if name == other
                else f"the zip holds {other!r} and {name!r}, which some systems take for the same "
                "file; rename one"
            )
        seen[name.casefold()] = name
    for entry in entries:
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or entry.flag_bits & 1:
            raise BadBundle(
                f"{entry.filename!r} is not a regular file; links and encryption are refused"
            )
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadBundle(
                f"{entry.filename!r} is packed by an unknown method; use store or deflate"
            )
        if not _PATH.fullmatch(entry.filename) or len(entry.filename) > 200:
            raise BadBundle(
                f"{entry.filename!r} cannot be a file's name here: use letters, digits, _ - . and "
                "/, and begin no name with - or .; rename the file, or leave it out"
            )
        if entry.file_size > max(_RATIO_FLOOR, MAX_RATIO * entry.compress_size):
            raise BadBundle(f"{entry.filename!r} unpacks to more than {MAX_RATIO} times its size")
    if sum(entry.file_size for entry in entries) > UNPACKED_BYTES:
        raise BadBundle(f"the zip unpacks to more than {UNPACKED_BYTES} bytes")


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The entry's bytes, never more than it declared."""
    with archive.open(entry) as packed:
        content = packed.read(entry.file_size + 1)
    if len(content) != entry.file_size:
        raise BadBundle(f"{entry.filename!r} is not as long as the zip says")
    return content


def _check_source(name: str, content: bytes) -> None:
    if content.startswith(_UTF_16) or 4 * content.count(b"\0") > len(content):
        raise BadBundle(f"{name} is not UTF-8 in line 1, but perhaps UTF-16; save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = content.count(b"\n", 0, error.start) + 1
        raise BadBundle(f"{name} is not UTF-8 in line {where}; save it as UTF-8") from None
    if found := _INVISIBLE.search(text):
        where = text.count("\n", 0, found.start()) + 1
        raise BadBundle(
            f"{name}, line {where} holds the invisible character U+{ord(found[0]):04X}; remove it"
        )
    if not unicodedata.is_normalized("NFC", text):
        lines = enumerate(text.split("\n"), 1)
        where = next((at for at, line in lines if not unicodedata.is_normalized("NFC", line)), 1)
        raise BadBundle(
            f"{name}, line {where} is not in Unicode's NFC form: an accent stands there as a "
            "character of its own; type the letter with its accent again"
        )
