"""The source of a version, and the changes between two."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO

import pytest

from dashboard.source import Source
from dashboard.source_code import MAX_LINES, Changes, DiffLine, changes, files_of
from matchbox.answers.bots import Bot
from tests.unit.dashboard import cast
from tests.unit.dashboard.cast import BROKEN, NOBODY, SOURCE, make_app
from tests.unit.dashboard.test_pages import get

HOSTILE = "</pre><script>alert(1)</script>"


def zipped(**files: str | bytes) -> bytes:
    """A zip with these Python files."""
    whole = BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.py" if name != "table" else "table.bin", text)
    return whole.getvalue()


def serving(**versions: bytes) -> Source:
    """A source with these bytes as the versions v1, v2, ..."""
    return replace(SOURCE, file_of=lambda owner, name, number: versions.get(f"v{number}"))


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[Changes]:
    """The changes between files with these texts."""
    old, new = ({path: text.encode() for path, text in one.items()} for one in (before, after))
    return changes(old, new)


def signs(before: str, after: str) -> list[str]:
    """The lines of the only change, each with its sign."""
    (found,) = changed({"player.py": before}, {"player.py": after})
    return [line.sign + line.text for hunk in found.hunks or () for line in hunk]


def test_an_author_reads_every_line_with_its_number() -> None:
    page = make_app().test_client().get("/bots/alice/careful/versions/3/source").text
    shown = re.findall(r'<span class="gutter"> *(\d+)  </span>(.*)', page)
    lines = BROKEN.replace("None", "3").splitlines()
    assert shown == [(str(number), line) for number, line in enumerate(lines, 1)]


def test_a_visitor_reads_the_source_of_the_house_and_logs_in_for_that_of_others() -> None:
    def file_of(owner: str, name: str, number: int) -> bytes | None:
        return b"mine = 1\n" if owner == "house" else None

    address = "/bots/{}/careful/versions/2/{}"

    def bot(owner: str, name: str) -> Bot:
        return cast.bot("alice", name).model_copy(update={"owner": owner})

    source = replace(SOURCE, viewer=lambda: None, bot=bot, file_of=file_of)
    client = make_app(source).test_client()
    for part in ("source", "since/1"):
        assert client.get(address.format("house", part)).status_code == 200
        there = client.get(address.format("alice", part)).location
        assert there == f"/login?next=/bots/alice/careful/versions/2/{part}"
    for owner, linked in (("house", True), ("alice", False)):
        page = client.get(f"/bots/{owner}/careful/versions/2").text
        assert (f'/bots/{owner}/careful/versions/2/source">Its source' in page) is linked


def test_lines_have_the_numbers_that_a_traceback_names() -> None:
    text = "a = 1\r\n\x0c\nb = '\u2028'\rc = oops\n"
    client = make_app(serving(v2=text.encode())).test_client()
    page = client.get("/bots/alice/careful/versions/2/source").text
    assert 'id="player.py:4"><span class="gutter">    4  </span>c = oops' in page
    assert 'id="player.py:5"' not in page
    (found,) = changed({"player.py": text}, {"player.py": text.replace("oops", "1")})
    assert found.hunks
    assert found.hunks[0][-1] == DiffLine(None, 4, "c = 1")


def test_all_files_of_a_zip_are_shown_the_main_one_first() -> None:
    data = zipped(brain="x = 1\n", player="import brain\n", table=b"\xff\x00")
    seen = get("/bots/alice/careful/versions/2/source", serving(v2=data)).text
    assert seen.index("import brain") < seen.index("x = 1")
    assert "table.bin This file is not text." in seen
    assert "Open in the workbench" not in seen
    single = get("/bots/alice/careful/versions/2/source", serving(v2=zipped(player="x = 1\n"))).text
    assert "Open in the workbench" not in single
    assert files_of(data) == {"player.py": "import brain\n", "brain.py": "x = 1\n"}


def test_what_an_author_wrote_is_shown_as_text() -> None:
    hostile = serving(v2=f"# {HOSTILE}\n".encode(), v3=b"# none\n")
    for path in ("source", "since/3"):
        page = make_app(hostile).test_client().get(f"/bots/alice/careful/versions/2/{path}").text
        assert HOSTILE not in page
        assert "&lt;script&gt;alert(1)" in page


@pytest.mark.parametrize("path", ["source", "since/1"])
def test_others_do_not_read_it(path: str) -> None:
    address = f"/bots/alice/careful/versions/2/{path}"
    assert make_app(serving()).test_client().get(address).status_code == 403
    source = replace(NOBODY, file_of=lambda owner, name, number: None)
    answer = make_app(source).test_client().get(address)
    assert answer.headers["Location"] == f"/login?next={address}"


@pytest.mark.parametrize("path", ["9/source", "9/since/2", "2/since/9"])
def test_a_version_that_is_not_there_is_not_found(path: str) -> None:
    assert make_app().test_client().get(f"/bots/alice/careful/versions/{path}").status_code == 404


def test_a_change_is_shown_with_its_neighbours_and_both_numbers() -> None:
    before = "".join(f"{number}\n" for number in range(1, 21))
    after = before.replace("10\n", "ten\nmore\n")
    assert signs(before, after) == [" 7", " 8", " 9", "-10", "+ten", "+more", " 11", " 12", " 13"]
    (found,) = changed({"player.py": before}, {"player.py": after})
    assert found.hunks
    numbers = [(line.before, line.after) for line in found.hunks[0]]
    assert numbers[2:7] == [(9, 9), (10, None), (None, 10), (None, 11), (11, 12)]


def test_files_that_come_and_go_are_named_and_equal_ones_left_out() -> None:
    before = {"player.py": "a\n", "old.py": "b\n", "same.py": "c\n", "empty.py": ""}
    after = {"player.py": "a\n", "new.py": "b\n", "same.py": "c\n", "empty.py": ""}
    assert [(one.path, one.what) for one in changed(before, after)] == [
        ("new.py", "added"), ("old.py", "removed"),
    ]  # fmt: skip
    assert [one.path for one in changed({"player.py": ""}, {"player.py": "", "x.py": ""})] == [
        "x.py"
    ]
    assert changed(before, before) == []


def test_what_is_not_text_is_only_named_and_only_if_it_changed() -> None:
    for before, after in ((b"\xff", b"a"), (b"a", b"\xff"), (b"\xff", b"\xfe")):
        (found,) = changes({"table.bin": before}, {"table.bin": after})
        assert (found.what, found.hunks) == ("changed", None)
    assert changes({"table.bin": b"\xff"}, {"table.bin": b"\xff"}) == []


def test_a_change_of_line_ends_alone_is_not_called_one_of_a_file_that_is_no_text() -> None:
    same = "Every line is the same"
    for before, after in ((b"a\nb\n", b"a\r\nb\r\n"), (b"a", b"a\n"), (b"a\n", b"\xef\xbb\xbfa\n")):
        seen = get("/bots/alice/careful/versions/3/since/2", serving(v2=before, v3=after)).text
        assert same in seen
        assert "is not text" not in seen
    binary = serving(v2=zipped(player="a", table=b"\xff"), v3=zipped(player="a", table=b"\xfe"))
    seen = get("/bots/alice/careful/versions/3/since/2", binary).text
    assert "This file is not text, or would take too long" in seen
    assert same not in seen
    added = serving(v2=zipped(player="a"), v3=zipped(player="a", x=""))
    seen = get("/bots/alice/careful/versions/3/since/2", added).text
    assert "x.py added" in seen
    assert "This file is empty." in seen


def test_a_change_that_takes_long_to_find_is_only_named() -> None:
    """The comparison of two files of 40 kB once kept the web process busy for a minute."""
    before = "".join(f"x{number % 50}\n" for number in range(10_000))
    after = "".join(f"x{number % 50}\ny{number}\n" for number in range(5_000))
    (found,) = changed({"player.py": before}, {"player.py": after})
    assert (found.what, found.hunks) == ("changed", None)


def test_few_equal_lines_among_very_many_are_only_named_if_they_take_long() -> None:
    """Each equal line has all other lines looked at again: a zip of 100 kB took three minutes."""
    before = "".join(f"x{number}\n-\n" for number in range(200)) + "\n" * 100_000
    after = "".join(f"x{number}\n+\n" for number in range(200))
    (found,) = changed({"player.py": before}, {"player.py": after})
    assert (found.what, found.hunks) == ("changed", None)


def test_a_page_shows_no_more_lines_than_a_page_can_hold() -> None:
    """A zip of 230 kB with 3.8 million lines once took 32 s and 2.3 GiB of the web process."""
    lines = "x\n" * (MAX_LINES + 2)
    source = serving(v2=zipped(player="a\n"), v3=zipped(player="a\n", notes=lines, z="b\n"))
    page = make_app(source).test_client().get("/bots/alice/careful/versions/3/source").text
    assert page.count('<span class="gutter">') == MAX_LINES
    assert "Download the version to read the rest" in page
    page = make_app(source).test_client().get("/bots/alice/careful/versions/2/source").text
    assert "Download the version" not in page


def test_no_more_changed_lines_are_shown_than_a_page_can_hold() -> None:
    half = "".join(f"{number}\n" for number in range(MAX_LINES // 2 + 1))
    found = changed({}, {"a.py": half, "b.py": half, "c.py": "x\n"})
    assert [one.path for one in found if one.hunks is None] == ["b.py"]
    (found_one,) = changed({"a.py": half}, {"a.py": half.replace("\n", "-\n")})
    assert found_one.hunks is None
    assert signs(half, half + "end\n")[-1] == "+end"


def test_a_long_file_of_a_person_is_compared() -> None:
    before = "".join(f"a = {number}\n\n" if number % 5 else "\n" for number in range(2_000))
    assert signs(before, before.replace("a = 777\n", "a = 0\n"))[3:5] == ["-a = 777", "+a = 0"]


def test_the_page_of_changes_names_both_versions() -> None:
    seen = get("/bots/alice/careful/versions/3/since/2").text
    assert "from version 2 to 3" in seen
    assert "- return 2" in seen
    assert "+ return 3" in seen
    equal = serving(v2=b"x\n", v3=b"x\n")
    assert (
        "Both versions have the same files."
        in get("/bots/alice/careful/versions/3/since/2", equal).text
    )
