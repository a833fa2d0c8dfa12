"""Bundles: which uploads are bots by their bytes, and the message for each that is none."""

from __future__ import annotations

import io
import random
import stat
import struct
import unicodedata
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchbox import bundle
from matchbox.errors import BadBundle, BadName

SOURCE = b"class Mine:\n    pass\n"


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return packed.getvalue()


def test_a_single_file_is_the_player() -> None:
    manifest = bundle.read_bundle(SOURCE)
    assert manifest.files == {"player.py": SOURCE}
    assert not manifest.packed


def test_a_single_file_may_begin_with_the_letters_of_a_zip() -> None:
    source = b"PKG = 1\n" + SOURCE
    assert bundle.read_bundle(source).files == {"player.py": source}
    assert not bundle.is_zip(source)


def test_a_zip_keeps_its_files_by_path() -> None:
    files = {"player.py": SOURCE, "data/table.json": b"{}"}
    manifest = bundle.read_bundle(zipped(files))
    assert manifest.files == files
    assert manifest.packed


def test_what_is_hidden_or_compiled_is_left_out_of_a_zip() -> None:
    litter = {"__MACOSX/._player.py": b"\0", ".DS_Store": b"\0", "data/.DS_Store": b"\0"}
    litter |= {".idea/misc.xml": b"<a/>", "__pycache__/player.cpython-311.pyc": b"\0"}
    files = {"player.py": SOURCE, "data/table.json": b"{}"}
    assert bundle.read_bundle(zipped({**files, **litter})).files == files


def test_the_same_bytes_have_the_same_digest_and_others_another() -> None:
    assert bundle.read_bundle(SOURCE).digest == bundle.digest(SOURCE)
    assert bundle.digest(SOURCE) != bundle.digest(SOURCE + b"\n")
    assert len(bundle.digest(SOURCE)) == 64


def test_a_byte_order_mark_is_allowed() -> None:
    assert bundle.read_bundle(b"\xef\xbb\xbf" + SOURCE).files["player.py"].endswith(SOURCE)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"#" * (bundle.FILE_BYTES + 1), "may have 65536"),
        (b"\xff\xfe", "^the file is not UTF-8 in line 1"),
        (b"x = 1\n# \xe9", "not UTF-8 in line 2"),
        (b"x = 1\x00", r"line 1 holds the invisible character U\+0000"),
        ("x = 1\n# \u202e".encode(), r"line 2 holds the invisible character U\+202E"),
        ("x = 1\ne\u0301 = 1".encode(), "line 2 is not in Unicode's NFC form: an accent stands"),
        (SOURCE.decode().encode("utf-16"), "perhaps UTF-16; save it as UTF-8"),
        (SOURCE.decode().encode("utf-16-le"), "perhaps UTF-16; save it as UTF-8"),
        (b"%PDF-1.4\n%\xe2", "the file is a PDF document; save your code as plain text"),
        (b'{"cells": [],\n "nbformat": 4}', r"the file is a notebook \(.ipynb\); save your code"),
        (b'{"nbformat": 4}' + b" " * bundle.FILE_BYTES, "the file is a notebook"),
        (zipped({"[Content_Types].xml": b"", "word/document.xml": b""}), "an office document; "),
        (zipped({"a.py": SOURCE, "b.py": SOURCE}), "put your player class there$"),
        (b"PK\x03\x04 nothing", "cannot be read"),
        (
            zipped({"bot.py": SOURCE}),
            "no player.py at its root; put your player class there: rename 'bot.py'",
        ),
        (zipped({"mine/player.py": SOURCE}), "it is at 'mine/player.py': zip the files themselves"),
        (
            zipped({"player.py": SOURCE, "-git": b""}),
            "begin no name with - or .; rename the file, or leave it out",
        ),
        (zipped({"player.py": SOURCE, "../out.py": SOURCE}), "cannot be a file's name"),
        (zipped({"player.py": SOURCE, "/etc/x": SOURCE}), "cannot be a file's name"),
        (zipped({"player.py": SOURCE, "a\\b": SOURCE}), "cannot be a file's name"),
        (zipped({"player.py": SOURCE, "a" * 201: SOURCE}), "cannot be a file's name"),
        (zipped({"player.py": SOURCE, "PLAYER.py": SOURCE}), "'player.py' and 'PLAYER.py', which"),
        (zipped({f"m{n}.py": b"" for n in range(65)}), "65 files"),
        (zipped({"player.py": SOURCE, "zeros": b"\0" * 1_000_000}), "more than 20 times"),
        (zipped({"player.py": b"\xff"}), "player.py is not UTF-8"),
        (b"PK\3\4" + b"\0" * bundle.ZIP_BYTES, "may have 1048576"),
    ],
)
def test_it_refuses_with_a_sentence(data: bytes, says: str) -> None:
    with pytest.raises(BadBundle, match=says):
        bundle.read_bundle(data)


def test_control_characters_and_those_that_turn_a_line_are_refused_and_no_others() -> None:
    turning = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    for one in map(chr, range(0x3000)):
        unseen = unicodedata.category(one) == "Cc" and one not in "\t\n\r\f"
        try:
            bundle.read_bundle(f"x = 1\n# {one}".encode())
            refused = False
        except BadBundle as error:
            refused = f"line 2 holds the invisible character U+{ord(one):04X}" in str(error)
        assert refused == (unseen or one in turning), hex(ord(one))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_packed_in_a_way_that_may_take_any_memory_is_refused(method: int) -> None:
    with pytest.raises(BadBundle, match="use store or deflate"):
        bundle.read_bundle(zipped({"player.py": SOURCE}, method))


@settings(max_examples=500)
@given(
    method=st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA]),
    forged=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=6),
)
def test_a_forged_zip_is_a_manifest_or_a_bad_bundle(
    method: int, forged: list[tuple[int, int]]
) -> None:
    data = bytearray(zipped({"player.py": SOURCE, "a/b.py": SOURCE, "note.txt": b""}, method))
    for place, byte in forged:
        data[2 + place % (len(data) - 2)] = byte
    try:
        assert bundle.read_bundle(bytes(data)).files["player.py"]
    except BadBundle as error:
        assert str(error)


def test_a_zip_with_a_file_far_behind_its_end_is_refused() -> None:
    packed = zipped({"player.py": SOURCE})
    central = packed.rindex(b"PK\1\2")
    entry, end = bytearray(packed[central:-22]), bytearray(packed[-22:])
    entry[42:46] = b"\xff" * 4  # The place of the file is in a further field, of 64 bits.
    entry[30:32] = (12).to_bytes(2, "little")
    entry += struct.pack("<HHQ", 1, 8, (1 << 64) - 1)
    end[12:16] = len(entry).to_bytes(4, "little")
    with pytest.raises(BadBundle, match="cannot be read"):
        bundle.read_bundle(packed[:central] + entry + end)


def test_it_refuses_a_link_in_a_zip() -> None:
    link = zipfile.ZipInfo("secret")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("player.py", SOURCE)
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BadBundle, match="is not a regular file"):
        bundle.read_bundle(packed.getvalue())


def test_it_refuses_a_zip_that_unpacks_to_too_much() -> None:
    content = random.Random(1).randbytes(8000) * 10
    files = {f"f{n}": content for n in range(bundle.UNPACKED_BYTES // len(content))}
    assert bundle.read_bundle(zipped({"player.py": SOURCE, **files})).files["f0"] == content
    packed = zipped({"player.py": SOURCE, **files, "one": content})
    assert len(packed) < bundle.ZIP_BYTES
    with pytest.raises(BadBundle, match="unpacks to more than 4194304 bytes"):
        bundle.read_bundle(packed)


def test_a_zip_that_lies_about_a_length_is_refused() -> None:
    packed = bytearray(zipped({"player.py": SOURCE * 50}, zipfile.ZIP_STORED))
    central = packed.rindex(b"PK\x01\x02")
    packed[central + 24 : central + 28] = (10).to_bytes(4, "little")
    with pytest.raises(BadBundle):
        bundle.read_bundle(bytes(packed))


@given(st.binary(max_size=400))
def test_whatever_the_bytes_it_is_a_manifest_or_a_bad_bundle(data: bytes) -> None:
    for upload in (data, b"PK\x03\x04" + data):
        try:
            assert "player.py" in bundle.read_bundle(upload).files
        except BadBundle as refused:
            assert str(refused)


@pytest.mark.parametrize("name", ["ab", "bot-1", "0x", "a" * 32])
def test_a_plain_name_may_be_a_bots(name: str) -> None:
    assert bundle.check_name(name) == name


@pytest.mark.parametrize("name", ["", "a", "-a", "A1", "a_b", "a b", "a" * 33, "ab\n", "é1"])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(BadName, match="2 to 32"):
        bundle.check_name(name)


def test_a_class_name_is_an_identifier_or_nothing() -> None:
    assert bundle.check_class_name(None) is None
    assert bundle.check_class_name("Mine_2") == "Mine_2"
    assert bundle.check_class_name("Gr\xf6\xdfe") == "Gr\xf6\xdfe"
    assert bundle.check_class_name("Gro\u0308\xdfe") == "Gr\xf6\xdfe"
    for other in ("os.system", "", "a b", "a\n", "\udcff", "a" * 65):
        with pytest.raises(BadName, match="name of a class"):
            bundle.check_class_name(other)


@pytest.mark.parametrize(
    ("text", "file", "found"),
    [
        (b"import math, queue\n", "queue.py", True),
        (b"def f():\n    from queue.lists import one\n", "queue/__init__.py", True),
        (b"import queue\n", "queue/lists.py", False),  # The standard library goes before it.
        (b"import queues\n", "queues.py", False),
        (b"import maps\n", "queue.py", False),
        (b"x.queue = 1  # import queue\n", "queue.py", False),
        (b"import queue\n", "maps/queue.py", False),
    ],
)
def test_a_module_that_is_imported_by_the_name_of_a_standard_one_is_found(
    text: bytes, file: str, found: bool
) -> None:
    files = {"player.py": text, file: b""}
    assert bundle.named_as_standard(files) == (file if found else None)


def test_a_line_of_a_million_imports_holds_up_nobody() -> None:
    files = {"player.py": b"import " * 500_000, "queue.py": b"import " * 100_000}
    assert bundle.named_as_standard(files) is None
