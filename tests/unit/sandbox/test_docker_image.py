"""The image of the seats' containers: its content, its name, and its permitted system calls."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from matchbox import build
from matchbox.errors import BoxUnavailable
from sandbox import container_calls, docker_image
from sandbox.program import Program
from sandbox.syscalls import BOT, ZYGOTE

ROOT = Path(__file__).parents[3]
# Calls that an engine's own profile allows, and ours must not.
FORBIDDEN = (
    "io_uring_setup io_uring_enter ptrace process_vm_readv process_vm_writev pidfd_getfd keyctl "
    "add_key request_key memfd_create inotify_init inotify_add_watch shmget shmat semget msgget "
    "mq_open socketpair bind listen accept unshare setns mount chroot bpf userfaultfd flock"
)


def make(folder: Path, text: str = "x = 1\n") -> Path:
    (folder / "one").mkdir(exist_ok=True)
    (folder / "one/__init__.py").write_text(text)
    (folder / "one/__pycache__").mkdir(exist_ok=True)
    (folder / "one/__pycache__/left.pyc").write_text("compiled")
    return folder / "one"


def rules() -> list[dict[str, Any]]:
    found = container_calls.profile()["syscalls"]
    assert isinstance(found, list)
    return found


def test_a_build_is_sent_the_recipe_and_the_packages(tmp_path: Path) -> None:
    packages = [make(tmp_path), *Program((), "json:loads").packages()]
    with tarfile.open(fileobj=docker_image._context(packages)) as tar:
        names = set(tar.getnames())
    assert {"Dockerfile", "gather.py", "prove.py", "greenlet.lock", "numpy.lock"} <= names
    assert {"packages/one/__init__.py", "packages/sandbox/zygote.py"} <= names
    assert not [name for name in names if "__pycache__" in name or "/greenlet/" in name]


def test_a_build_in_a_folder_with_any_name_has_the_packages(tmp_path: Path) -> None:
    inside = tmp_path / "compiled"
    inside.mkdir()
    with tarfile.open(fileobj=docker_image._context([make(inside)])) as tar:
        assert "packages/one/__init__.py" in tar.getnames()


def test_the_name_follows_the_content_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    first = docker_image.name([make(tmp_path)])
    assert first == docker_image.name([make(tmp_path / "copy")])
    assert first != docker_image.name([make(tmp_path, "x = 2\n")])
    assert first.startswith("matchbox-seat:")


def test_the_compiled_hot_path_goes_along_and_nothing_else_that_was_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def sent() -> set[str]:
        files = docker_image._files([build.HOME])
        return {file.name for _, file in files if file.parent == build.FOLDER}

    compiled, name = build.files(), docker_image.name([build.HOME])
    assert sent() == {file.name for file in compiled.values()}
    monkeypatch.setattr(build, "files", dict)
    assert not sent()
    assert (docker_image.name([build.HOME]) == name) == (not compiled)


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """The packages of an image, with a plain file in the place of each compiled module."""
    copied = tmp_path / "matchbox"
    shutil.copytree(build.HOME, copied, ignore=shutil.ignore_patterns("__pycache__", "compiled"))
    (copied / "compiled").mkdir()
    for file in build.files().values():
        shutil.copy(file, copied / "compiled")
    for name in build.sources():
        place = copied / "compiled" / f"{build.stem(name)}{EXTENSION_SUFFIXES[0]}"
        if not place.exists():
            place.write_bytes(b"no library")
    return tmp_path


def prove(packages: Path) -> bool:
    """Returns whether the compiled modules are kept."""
    recipe = ROOT / "sandbox/image/prove.py"
    subprocess.run([sys.executable, "-B", "-S", str(recipe), str(packages)], check=True)
    return (packages / "matchbox/compiled").is_dir()


def test_an_image_keeps_compiled_modules_that_its_python_can_load(packages: Path) -> None:
    assert prove(packages) == bool(build.files())


def test_an_image_keeps_none_where_one_cannot_be_loaded(packages: Path) -> None:
    sorted((packages / "matchbox/compiled").iterdir())[-1].write_bytes(b"no library")
    assert not prove(packages)


def test_an_image_keeps_none_where_one_is_missing(packages: Path) -> None:
    sorted((packages / "matchbox/compiled").iterdir())[-1].unlink()
    assert not prove(packages)


def test_an_image_without_the_hot_path_needs_no_proof(tmp_path: Path) -> None:
    make(tmp_path)
    assert not prove(tmp_path)


@pytest.mark.parametrize("name", ["greenlet", "numpy"])
def test_what_seats_are_given_is_the_platforms(name: str) -> None:
    def pinned(lock: Path) -> list[str]:
        """Returns the package's lines: each version with its Pythons and its hashes."""
        entries = re.findall(rf"^{name}==.*?(?=^\S|\Z)", lock.read_text(), re.MULTILINE | re.DOTALL)
        lines = [line.strip(" \\") for entry in entries for line in entry.splitlines()]
        return [line for line in lines if line and not line.startswith("#")]

    assert pinned(ROOT / f"sandbox/image/{name}.lock") == pinned(ROOT / "requirements.lock") != []


def test_an_image_starts_from_a_base_that_is_named() -> None:
    lines = (ROOT / "sandbox/image/Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith(("ARG", "FROM"))] == [
        "ARG BASE_IMAGE=python:3.12-slim",
        "FROM ${BASE_IMAGE} AS base",
        "ARG LOCKED=greenlet",
        "FROM scratch",
    ]


@pytest.mark.parametrize("name", FORBIDDEN.split())
def test_a_container_may_not_call(name: str) -> None:
    assert not [rule for rule in rules() if name in rule["names"]]


def test_a_container_may_call_what_its_seat_may() -> None:
    free = {name for rule in rules() for name in rule["names"] if "args" not in rule}
    assert (BOT | ZYGOTE) - {"clone"} <= free


def test_a_container_makes_no_namespace_and_one_kind_of_socket() -> None:
    bound = {rule["names"][0]: rule["args"] for rule in rules() if "args" in rule}
    assert set(bound) == {"clone", "socket"}
    assert [(one["index"], one["valueTwo"]) for one in bound["socket"]] == [(0, 1), (1, 0o2000005)]
    assert bound["clone"][0]["valueTwo"] == 0


def test_a_profile_names_the_one_abi_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    class Machine:
        machine = "aarch64"

    monkeypatch.setattr("os.uname", Machine)
    assert container_calls.profile()["architectures"] == ["SCMP_ARCH_AARCH64"]


@pytest.mark.parametrize(
    ("network", "names"),
    [
        (None, {"HTTP_PROXY", "https_proxy", "NO_PROXY"}),
        ("host", {"HTTP_PROXY", "https_proxy", "NO_PROXY", "HTTPS_PROXY"}),
    ],
)
def test_a_build_uses_the_proxies_of_the_environment_that_it_can_reach(
    network: str | None, names: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    proxies = {
        "HTTP_PROXY": "http://user:secret@proxy:3128",
        "https_proxy": "proxy:3128",
        "HTTPS_PROXY": "127.0.0.1:3128",
        "NO_PROXY": "localhost,127.0.0.1",
    }
    for name in {one for one in os.environ if one.lower() in docker_image._PROXIES}:
        monkeypatch.delenv(name)
    for name, value in proxies.items():
        monkeypatch.setenv(name, value)
    engine = Mock()
    docker_image.build(engine, [], network=network)
    given = engine.images.build.call_args.kwargs["buildargs"]
    assert given == {"BASE_IMAGE": docker_image.BASE, "LOCKED": "", **pick(proxies, names)}


def pick(values: dict[str, str], names: set[str]) -> dict[str, str]:
    return {name: values[name] for name in names}


def test_an_engine_that_has_another_image_is_said_to_have_it(tmp_path: Path) -> None:
    packages, engine = [make(tmp_path)], Mock()
    engine.images.list.return_value = [Mock(tags=["matchbox-seat:of-another-library"])]
    with pytest.raises(BoxUnavailable) as raised:
        docker_image.find(engine, packages)
    wanted = docker_image.name(packages)
    assert str(raised.value) == (
        f"the engine has no image {wanted} (it has others of Matchbox, such as "
        "matchbox-seat:of-another-library): build it with `matchbox build-image`"
    )


def test_the_libraries_of_a_package_are_copied_into_an_image_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = spec_from_file_location("gather", ROOT / "sandbox/image/gather.py")
    assert spec is not None
    assert spec.loader is not None
    gather = module_from_spec(spec)
    spec.loader.exec_module(gather)
    root = tmp_path / "box"
    (root / "one").mkdir(parents=True)
    places = ("/lib/libc.so.6", f"{root}/one/../one.libs/one.so", f"{root}/one/../../libs/two.so")
    told = Mock(stdout="".join(f"\tlib => {place} (0x00007f0123456789)\n" for place in places))
    copied: list[Path] = []
    monkeypatch.setattr(gather, "copy", lambda place, _: copied.append(place))
    monkeypatch.setattr(gather.subprocess, "run", lambda *_, **__: told)
    gather.main(root)
    assert {Path("/lib/libc.so.6"), tmp_path / "libs/two.so"} <= {*copied}
    assert not [place for place in copied if place.name == "one.so"]
