"""The content of a box, and the command lines that start one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from matchbox import build
from matchbox.errors import BoxUnavailable
from sandbox import bwrap_box, process_box
from sandbox.archive import descriptor
from sandbox.policy import Wall
from sandbox.program import INTERPRETER, LIBRARY, Program

ROOT = Path(__file__).parents[3]
PROGRAM = Program(("matchbox.game", "json"), "one.two:serve")


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("")


def pairs(command: list[str], flag: str) -> list[tuple[str, str]]:
    return [(command[n + 1], command[n + 2]) for n, word in enumerate(command) if word == flag]


def job(command: list[str]) -> dict[str, object]:
    found = json.loads(command[-1])
    assert isinstance(found, dict)
    return found


def test_a_box_holds_the_packages_that_are_named_and_greenlet(tmp_path: Path) -> None:
    make(tmp_path, "one/__init__.py")
    places = Program(PROGRAM.preload, PROGRAM.entry, (tmp_path,)).packages()
    assert [place.name for place in places] == ["sandbox", "greenlet", "matchbox", "one"]
    assert places[0] == ROOT / "sandbox"
    assert places[3] == tmp_path / "one"


def test_calls_between_libraries_are_linked_before_the_first_fork(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert ("LD_BIND_NOW", "1") in pairs(bwrap_box.command(Program((), "json:dumps")), "--setenv")


def test_seats_do_not_share_the_processors_number_with_the_kernel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    setting = ("GLIBC_TUNABLES", "glibc.pthread.rseq=0")
    assert setting in pairs(bwrap_box.command(Program((), "json:dumps")), "--setenv")


def test_a_single_module_is_held_as_its_file(tmp_path: Path) -> None:
    make(tmp_path, "alone.py")
    assert tmp_path / "alone.py" in Program((), "alone:serve", (tmp_path,)).packages()


def test_a_path_goes_before_what_is_installed(tmp_path: Path) -> None:
    make(tmp_path, "greenlet.py")
    assert tmp_path / "greenlet.py" in Program((), "json:loads", (tmp_path,)).packages()


def test_a_module_that_is_nowhere_is_named() -> None:
    with pytest.raises(BoxUnavailable, match="'one'"):
        PROGRAM.packages()


def test_python_starts_without_sites_and_with_its_job() -> None:
    command = Program((), "json:loads", wall=Wall(drop=("seccomp",))).command(
        [Path("/box")], own_root=True, archive="7"
    )
    assert command[:4] == [str(INTERPRETER), "-P", "-s", "-S"]
    assert command[-3:-1] == ["7", "/box"]
    assert job(command) == {
        "preload": [],
        "entry": "json:loads",
        "drop": ["seccomp"],
        "own_root": True,
        "control": None,
        "build": ["MATCHBOX_COMPILED", str(int(build.in_use() == "compiled"))],
    }


def test_the_interpreter_and_its_library_are_real_places() -> None:
    assert INTERPRETER.is_file()
    assert not INTERPRETER.is_symlink()
    assert (LIBRARY / "os.py").is_file()


def test_bubblewrap_gets_every_flag_of_the_wall() -> None:
    command = bwrap_box.command(Program((), "json:loads"))
    wanted = (
        "--unshare-user --unshare-all --disable-userns --new-session --die-with-parent --as-pid-1 "
        "--clearenv --cap-drop"
    )
    assert set(wanted.split()) <= set(command)
    assert command.index("--remount-ro") < command.index("--")
    for unwanted in ("--proc", "--dev", "--bind", "--share-net", "--dev-bind"):
        assert unwanted not in command


def test_bubblewrap_shows_nothing_but_python_and_the_packages() -> None:
    command = bwrap_box.command(Program(("matchbox.game",), "json:loads"))
    binds = pairs(command, "--ro-bind")
    inside = [inside for _, inside in binds if inside.startswith("/box/")]
    assert inside == ["/box/sandbox", "/box/greenlet", "/box/matchbox"]
    for outside, place in binds:
        if place not in inside:
            assert outside == place
            assert not ROOT.is_relative_to(outside)
            assert Path(place) != Path(sys.prefix)


def test_bubblewrap_that_is_missing_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(BoxUnavailable, match="apt-get install bubblewrap"):
        bwrap_box.command(Program((), "json:loads"))


def test_a_process_box_imports_from_where_its_packages_lie(tmp_path: Path) -> None:
    make(tmp_path, "one/__init__.py")
    command = process_box.command(Program((), "one:serve", (tmp_path,)))
    imports = command[command.index(str(descriptor())) + 1 : -1]
    assert imports[0] == str(ROOT)
    assert imports[-1] == str(tmp_path)


def test_a_process_box_without_unshare_is_python_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    command = process_box.command(Program((), "json:loads"))
    assert command[0] == str(INTERPRETER)
    assert job(command)["own_root"] is None
