"""docker-compose.yml: the secrets of each service; and the whole deployment, started and used."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import yaml  # type: ignore[import-untyped]

from cli import deployment, web
from matchbox import registry
from matchbox.settings import PREFIX, Settings
from sandbox import docker_box
from tests import slow_clients
from tests.deployment import stack
from tests.installation import eventually

OURS = ("prepare", "seats", "web", "internal", "ledger", "beat", "arena", "arena-express")
NOT_SETTINGS = {"SIGN_OF_LIFE"}
FOR_UP = {"MATCHBOX_ARENAS", "MATCHBOX_EXPRESS_ARENA", "MATCHBOX_INTERNAL_PORT"}
"""Variables that only `matchbox up` uses."""
OF_ARENAS = {
    "MATCHBOX_BOX", "MATCHBOX_COMPILED", "MATCHBOX_DOCKER_RUNTIME", "MATCHBOX_INTERNAL_URL",
    "MATCHBOX_PIN", "MATCHBOX_SOCKETS",
}  # fmt: skip
PLAYER = b"from matchbox.games.bomb import MediumPlayer\n\n\nclass Mine(MediumPlayer):\n    pass\n"
PASSWORD = "correct horse battery"
PINNABLE = re.compile(r"\$\{[A-Z_]+:-[a-z]+:\d[\w.-]*(@sha256:[0-9a-f]{64})?\}")
"""An image of others: a variable, by which operators pin it, and a default with a version."""


@pytest.fixture(scope="module")
def services(checkout: Path) -> dict[str, Any]:
    """The services in the file."""
    told = yaml.safe_load((checkout / "docker-compose.yml").read_text())
    found: dict[str, Any] = told["services"]
    return found


@pytest.fixture(scope="module")
def up(docker_engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[stack.Stack]:
    """The deployment, up and ready."""
    with stack.up(tmp_path_factory.mktemp("deployment"), docker_engine) as running:
        yield running


@pytest.fixture(scope="module")
def operator(up: stack.Stack) -> str:
    """A token of the operator charlie."""
    eventually(lambda: _answers(up.url + "/readyz"), why="the web is not ready")
    create = ("matchbox", "admin", "user", "create", "--data", "/tmp", "--json")
    token: str = up.inside("prepare", *create, "charlie", "--role", "operator")["token"]
    return token


def test_an_arena_knows_no_way_to_the_books(services: dict[str, Any]) -> None:
    for name in ("arena", "arena-express"):
        arena = services[name]
        told = " ".join(f"{name}={value}" for name, value in arena["environment"].items())
        for secret in ("DATABASE", "POSTGRES", "SECRET_KEY", "postgres"):
            assert secret not in told
        assert arena["networks"] == ["arenas"]
        assert "env_file" not in arena
    assert services["postgres"]["networks"] == ["books"]
    by_socket = [
        name
        for name, service in services.items()
        if any(volume.startswith("socket:") for volume in service.get("volumes", []))
    ]
    assert by_socket == ["postgres", "password"], "its socket asks for no password"


def test_the_beat_has_the_queue_alone_and_the_settings_that_it_reads(
    services: dict[str, Any], checkout: Path
) -> None:
    beat = services["beat"]
    assert beat["networks"] == ["queue"]
    told = " ".join(f"{name}={value}" for name, value in beat["environment"].items())
    assert not re.search("DATABASE|POSTGRES|SECRET_KEY|ARENA_TOKEN|postgres", told)
    code = ("app", "logs", "health", "ledger/beat")
    text = "\n".join((checkout / f"worker/{name}.py").read_text() for name in code)
    read = set(re.findall(r"\bsettings\.(\w+)", text))
    assert {"broker_url", "tick_seconds"} <= read
    assert {PREFIX + name.upper() for name in read} <= set(beat["environment"])
    assert "MATCHBOX_COMPILED" not in beat["environment"], "it plays nothing"


def test_only_who_makes_containers_has_the_engine(services: dict[str, Any]) -> None:
    having = [
        name
        for name, service in services.items()
        if any("docker.sock" in volume for volume in service.get("volumes", []))
    ]
    assert sorted(having) == ["arena", "arena-express", "seats"]


def test_every_service_is_held_to_limits_and_watched(services: dict[str, Any]) -> None:
    for name, service in services.items():
        assert {"mem_limit", "pids_limit", "security_opt"} <= set(service), name
        assert "healthcheck" in service or service.get("restart") == "no", name
        assert service.get("user") != "0:0" or name == "seats", name
    for name in (*OURS, "proxy", "password"):
        assert services[name]["cap_drop"] == ["ALL"], name
        assert services[name]["read_only"], name


def test_every_image_has_a_version_and_can_be_pinned(
    services: dict[str, Any], checkout: Path
) -> None:
    ours = {services[name]["image"] for name in OURS}
    assert ours == {"matchbox"}
    others = {service["image"] for service in services.values()} - ours
    bases = [
        service["build"]["args"]["BASE_IMAGE"]
        for service in services.values()
        if "build" in service
    ]
    assert others
    for image in (*others, *bases):
        assert PINNABLE.fullmatch(image), f"{image}: name a version, in a variable"
    for recipe in (checkout / "Dockerfile", checkout / "sandbox/image/Dockerfile"):
        text = recipe.read_text()
        stages = set(re.findall(r"(?i) as (\w+)$", text, re.MULTILINE))
        named = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
        assert set(named) <= {"${BASE_IMAGE}", "scratch", *stages}, recipe


def test_the_proxy_alone_is_reached_from_outside_and_alone_reaches_the_web(
    services: dict[str, Any],
) -> None:
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    beside = {name for name, service in services.items() if "front" in service.get("networks", ())}
    assert beside == {"proxy", "web"}
    assert services["proxy"]["networks"] == ["front"]
    assert services["web"]["environment"]["MATCHBOX_TRUSTED_PROXIES"] == "1"


def test_arenas_ask_a_server_of_their_own(services: dict[str, Any]) -> None:
    assert services["arena"]["networks"] == ["arenas"]
    beside = {name for name, service in services.items() if "arenas" in service.get("networks", ())}
    assert beside == {"redis", "internal", "arena", "arena-express"}
    words = services["internal"]["command"]
    assert tuple(words[-len(web.INTERNAL) :]) == web.INTERNAL
    assert services["web"]["command"][-1:] == list(web.PUBLIC)


def test_every_setting_reaches_who_heeds_it(services: dict[str, Any]) -> None:
    settings = {PREFIX + knob.name.upper() for knob in fields(Settings)}
    told = set(services["ledger"]["environment"]) - NOT_SETTINGS
    assert told == settings - FOR_UP - OF_ARENAS
    assert set(services["arena"]["environment"]) >= OF_ARENAS


def test_an_arena_is_told_every_setting_that_its_code_reads(
    services: dict[str, Any], checkout: Path
) -> None:
    code = [checkout / "worker/app.py", checkout / "worker/logs.py", checkout / "worker/health.py"]
    code += set((checkout / "worker/arena").glob("*.py")) - {checkout / "worker/arena/remote.py"}
    text = "\n".join(file.read_text() for file in code)
    known = {knob.name for knob in fields(Settings)}
    read = set(re.findall(r"\bsettings\.(\w+)", text)) & known
    assert {"lease_minutes", "box"} <= read
    told = {
        PREFIX + name.upper() for name in read - {"server_url"}
    }  # It has MATCHBOX_INTERNAL_URL.
    assert told <= set(services["arena"]["environment"])


def test_the_disks_of_books_and_queue_are_watched_by_all_who_judge_them(
    services: dict[str, Any],
) -> None:
    for name in ("web", "internal", "ledger"):
        mounted = {volume.split(":")[0]: volume for volume in services[name]["volumes"]}
        places = services[name]["environment"]["MATCHBOX_DISKS"].split(",")
        assert [mounted[disk] for disk in ("books", "queue")] == [
            f"{disk}:{place}:ro" for disk, place in zip(("books", "queue"), places, strict=True)
        ]


def test_no_service_makes_a_volume_without_a_name(services: dict[str, Any]) -> None:
    """Such a volume would stay behind at each `down`. Images of others declare some."""
    declared = {"postgres": "/var/lib/postgresql/data", "redis": "/data"}
    for name, service in services.items():
        targets = set()
        for volume in service.get("volumes", []):
            if isinstance(volume, dict):
                assert volume["type"] == "tmpfs", name
                targets.add(volume["target"])
            else:
                # A default such as `${A:-/b}` has a colon, too.
                source, colon, target = re.sub(r"\$\{[^}]*\}", "/x", volume).partition(":")
                assert source, name
                assert colon, f"{name}: {volume} has no name"
                targets.add(target.partition(":")[0])
        image = service["image"].partition(":-")[2].partition(":")[0]
        if image in declared:
            assert declared[image] in targets, name


def test_the_journals_of_arenas_share_a_volume(services: dict[str, Any]) -> None:
    for name in ("arena", "arena-express"):
        place = services[name]["environment"]["MATCHBOX_DATA"]
        assert f"journals:{place}" in services[name]["volumes"]
        assert "@%h" in " ".join(services[name]["command"]), "the file has this name"


def test_the_log_of_every_service_is_bounded(services: dict[str, Any]) -> None:
    for name, service in services.items():
        assert service["logging"]["driver"] == "json-file", name
        assert {"max-size", "max-file"} <= set(service["logging"]["options"]), name


def test_the_image_can_be_made_from_a_checkout_that_is_closed_to_others(checkout: Path) -> None:
    _, _, last = (checkout / "Dockerfile").read_text().rpartition("\nFROM ")
    copied = last.index("COPY . ./")
    opened = last.index("chmod -R a+rX .")
    assert copied < opened < last.index("USER 10001:10001")


def test_the_folder_of_sockets_outlives_a_restart_of_the_host(services: dict[str, Any]) -> None:
    for name in ("seats", "arena"):
        place = services[name]["environment"]["MATCHBOX_SOCKETS"]
        usual = place.removeprefix("${MATCHBOX_SOCKETS:-").removesuffix("}")
        assert usual.startswith("/var/lib/"), "the engine makes it again, but for root alone"
        assert f"{place}:{place}" in services[name]["volumes"]


def test_no_secret_is_on_a_command_line(services: dict[str, Any]) -> None:
    for name, service in services.items():
        for secret in deployment.SECRETS:
            assert secret not in str(service.get("command")), name


def test_the_secrets_are_drawn_once_and_are_nobody_elses(tmp_path: Path, checkout: Path) -> None:
    socket = tmp_path / "docker.sock"
    socket.touch()
    command = [sys.executable, "-S", "-m", "cli.deployment"]
    environment = {**os.environ, "DOCKER_SOCKET": str(socket), "PYTHONPATH": str(checkout)}
    first, again = (
        subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        for _ in range(2)
    )
    assert first.returncode == 0, first.stderr
    assert (again.returncode, "already exists" in again.stdout) == (1, True)
    file = tmp_path / ".env"
    drawn = dict(line.split("=", 1) for line in file.read_text().splitlines())
    assert file.stat().st_mode & 0o777 == 0o600
    assert len({drawn[name] for name in deployment.SECRETS}) == len(deployment.SECRETS)
    assert min(len(drawn[name]) for name in deployment.SECRETS) >= 32
    assert drawn["DOCKER_GID"] == str(socket.stat().st_gid)


def test_a_variable_that_no_container_reads_is_named(
    tmp_path: Path, checkout: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for name in deployment.FILES.split(":"):
        shutil.copy(checkout / name, tmp_path)
    (tmp_path / ".env").write_text(
        "# MATCHBOX_OLD=1\nARENAS=2\nARENA=4\nMATCHBOX_SIGNUP=closed\nMATCHBOX_CPU_SM=20\n"
        "MATCHBOX_DATABASE_URL=sqlite:////x\nCOMPOSE_PROJECT_NAME=x\nDOCKER_HOST=x\nOWN=1\nDOCKER_SOKET=/x\n\n"
    )
    assert deployment.main() == 1
    told = capsys.readouterr().out
    assert re.findall(r"sets (\w+), which no container reads(?:; did you mean (\w+))?", told) == [
        ("ARENA", "ARENAS"),
        ("MATCHBOX_CPU_SM", "MATCHBOX_CPU_MS"),
        ("MATCHBOX_DATABASE_URL", ""),
        ("DOCKER_SOKET", "DOCKER_SOCKET"),
    ]


def test_without_an_engine_the_secrets_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOCKER_SOCKET", str(tmp_path / "nowhere"))
    assert deployment.main() == 1
    assert "DOCKER_SOCKET" in capsys.readouterr().out
    assert not (tmp_path / ".env").exists()


def test_redis_gets_its_password_by_its_input_alone(tmp_path: Path, checkout: Path) -> None:
    fake = tmp_path / "redis-server"
    fake.write_text('#!/bin/sh\necho "$@"\ncat\n')
    fake.chmod(0o755)
    (tmp_path / "secret").write_text("from a file\n")
    (tmp_path / "empty").touch()

    def start(**told: str) -> subprocess.CompletedProcess[str]:
        path = f"{tmp_path}:{os.environ['PATH']}"
        command = ["sh", str(checkout / "server/redis/start.sh")]
        return subprocess.run(command, env={"PATH": path, **told}, capture_output=True, text=True)

    told = start(BROKER_PASSWORD="secret")
    assert told.stdout == '-\nappendonly yes\nsave ""\nrequirepass "secret"\n'
    told = start(BROKER_PASSWORD="", BROKER_PASSWORD_FILE=str(tmp_path / "secret"))
    assert told.stdout.endswith('requirepass "from a file"\n')
    for wrong in ({}, {"BROKER_PASSWORD": "", "BROKER_PASSWORD_FILE": str(tmp_path / "empty")}):
        refused = start(**wrong)
        assert (refused.returncode != 0, refused.stdout) == (True, "")


def test_the_secrets_can_be_files_that_no_environment_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkout: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOCKER_GID", "0")
    monkeypatch.setenv("DOCKER_SOCKET", "/nowhere")
    assert deployment.main("secrets") == 0
    assert deployment.main("secrets") == 1
    files = {file.name: file for file in (tmp_path / "secrets").glob("[a-z]*")}
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in files.values()} == {0o444}
    drawn = {name: file.read_text() for name, file in files.items()}
    assert drawn["postgres_password"] in drawn["database_url"]
    assert drawn["broker_password"] in drawn["broker_url"]
    for name in deployment.FILES.split(":"):
        shutil.copy(checkout / name, tmp_path)
    done = subprocess.run([*stack.compose(), "config"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for secret in drawn.values():
        assert secret not in done.stdout + (tmp_path / ".env").read_text()
    told = yaml.safe_load(done.stdout)
    assert {Path(one["file"]) for one in told["secrets"].values()} == set(files.values())
    for name, service in told["services"].items():
        given = {
            one["source"] if isinstance(one, dict) else one for one in service.get("secrets", [])
        }
        named = {
            value.removeprefix("/run/secrets/")
            for variable, value in (service.get("environment") or {}).items()
            if variable.endswith("_FILE") and value
        }
        assert given == named, name
    of_arenas = told["services"]["arena"]["environment"]
    assert {name for name in of_arenas if name.endswith("_FILE")} == {
        "MATCHBOX_BROKER_URL_FILE", "MATCHBOX_ARENA_TOKEN_FILE",
    }  # fmt: skip
    deployment.rotate(tmp_path / ".env")
    again = {name: file.read_text() for name, file in files.items()}
    assert not set(again.values()) & set(drawn.values())


@pytest.mark.slow
def test_the_deployment_starts_with_every_game_and_an_operator(
    up: stack.Stack, operator: str
) -> None:
    by = {"Authorization": f"Bearer {operator}"}
    with httpx.Client(base_url=up.url + "/api/v1", timeout=60, headers=by) as api:
        found = api.get("/games").json()["items"]
        ours = {name for name, at in registry.packages().items() if at.startswith("matchbox.")}
        assert {one["name"] for one in found} == ours
        assert api.get("/health").status_code == 200


@pytest.mark.slow
def test_a_season_is_played_in_the_deployment(
    up: stack.Stack, operator: str, tmp_path: Path
) -> None:
    name, spring = f"alice-{uuid4().hex[:6]}", f"spring-{uuid4().hex[:6]}"
    with httpx.Client(base_url=up.url + "/api/v1", timeout=60) as api:
        alice = {"name": name, "password": PASSWORD}
        assert api.post("/accounts", json=alice).status_code == 201
        hers = api.post("/login", json=alice | {"label": "test"}).json()["token"]
        file = tmp_path / "mine.py"
        file.write_bytes(PLAYER)
        submit = ("submit", str(file), "--game", "bomb", "--name", "mine", "--wait")
        assert _matchbox(up, hers, *submit)["state"] == "active"
        by = {"Authorization": f"Bearer {operator}"}
        season = api.post("/seasons", headers=by, json={"name": spring, "league": "bomb"})
        assert season.status_code == 201, season.text
        for bot in ("house/simple", "house/scared"):
            done = api.post(f"/seasons/{spring}/enter", headers=by, json={"bot": bot})
            assert done.status_code == 200, done.text
        mine = {"Authorization": f"Bearer {hers}"}
        done = api.post(f"/seasons/{spring}/enter", headers=mine, json={"bot": f"{name}/mine"})
        assert done.status_code == 200, done.text
        assert api.post(f"/seasons/{spring}/start", headers=by).status_code == 200
        told: Any = eventually(lambda: _finished(api, spring), 600, "the season does not end")
        assert len(api.get(f"/seasons/{spring}/standings").json()["lines"]) == 3
        matches = api.get("/matches", params={"season": told["id"]}).json()["items"]
        assert {match["state"] for match in matches} == {"finished"}
        page = httpx.get(f"{up.url}/matches/{matches[0]['id']}", timeout=60).text
        assert "<dd>docker, " in page, "an author's bot is let in only where the box is walled"
    proved = _matchbox(up, operator, "season", "verify", spring)
    assert proved["different"] == []
    assert proved["same"] + len(proved["replayed_only"]) == proved["matches"] == len(matches)


def test_of_two_ledgers_one_may_be_killed_and_the_season_ends_with_every_result_once(
    up: stack.Stack, operator: str
) -> None:
    by = {"Authorization": f"Bearer {operator}"}
    with httpx.Client(base_url=up.url + "/api/v1", timeout=60, headers=by) as api:
        wide = f"wide-{uuid4().hex[:6]}"
        season = {"name": wide, "league": "bomb", "cycles": 20, "deals": 1}
        assert api.post("/seasons", json=season).status_code == 201
        for bot in ("house/simple", "house/scared", "house/medium"):
            assert api.post(f"/seasons/{wide}/enter", json={"bot": bot}).status_code == 200
        assert api.post(f"/seasons/{wide}/start").json()["matches"] == 120
        eventually(lambda: api.get(f"/seasons/{wide}").json()["finished"] >= 10)
        first, _ = up.replicas("ledger")
        first.kill()
        try:
            assert not _finished(api, wide)
            eventually(lambda: _finished(api, wide), 600, "the season does not end")
        finally:
            first.start()
        lines = api.get(f"/seasons/{wide}/standings").json()["lines"]
    assert [line["matches"] for line in lines] == [80] * 3
    look = "select count(*), count(distinct match_id) from result join match on match_id = match.id"
    ask = f"{look} where season_id = (select id from season where name = '{wide}')"
    words = ["psql", "-h", "/var/run/postgresql", "-U", "matchbox", "-Atc", ask]
    assert up.containers()["postgres"].exec_run(words).output == b"120|120\n"


def test_new_secrets_reach_everybody_postgres_too(up: stack.Stack, operator: str) -> None:
    up.rotate()
    assert "Postgres has the new password." in up.do("logs", "--no-color", "password")
    eventually(lambda: _answers(up.url + "/readyz"), why="the web is not ready")
    by = {"Authorization": f"Bearer {operator}"}
    assert httpx.get(up.url + "/api/v1/health", headers=by, timeout=60).status_code == 200


def test_secrets_in_files_reach_everybody(
    up: stack.Stack, operator: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("deployment") / "secrets"
    up.keep_secrets_in_files(folder)
    eventually(lambda: _answers(up.url + "/readyz"), why="the web is not ready")
    running = up.containers()
    for file in folder.iterdir():
        for name, one in running.items():
            one.reload()
            assert file.read_text() not in str(one.attrs["Config"]), (file.name, name)
    top = running["redis"].top()
    assert (folder / "broker_password").read_text() not in str(top)
    by = {"Authorization": f"Bearer {operator}"}
    assert httpx.get(up.url + "/api/v1/health", headers=by, timeout=60).status_code == 200


def test_the_disk_of_the_books_is_watched_and_not_the_memory_of_a_container(
    up: stack.Stack, operator: str
) -> None:
    by = {"Authorization": f"Bearer {operator}"}
    judged = httpx.get(up.url + "/api/v1/health", headers=by, timeout=60).json()
    assert not [one for one in judged["findings"] if "is not watched" in one["text"]]
    ask = (
        "import os; from matchbox.settings import read_settings; from server.services import disk; "
        "print(disk.least_room(read_settings(os.environ, open)).of)"
    )
    running = up.containers()
    for name in ("web", "internal", "ledger"):
        told = running[name].exec_run(["python", "-c", ask], stderr=False)
        assert told.output in (b"/watched/books\n", b"/watched/queue\n"), name
        look = "import os; print(*map(os.path.ismount, ('/watched/books', '/watched/queue')))"
        assert running[name].exec_run(["python", "-c", look]).output == b"True True\n", name


def test_what_arenas_ask_is_not_reached_through_the_proxy(up: stack.Stack) -> None:
    for path in ("/internal/claims", "/internal", "//internal/claims", "/%69nternal/claims"):
        assert httpx.post(up.url + path, json={}, timeout=60).status_code == 404
    arena = up.containers()["arena"]
    ask = "import sys, httpx; print(httpx.post(sys.argv[1], json={}).status_code)"
    told = arena.exec_run(["python", "-c", ask, "http://internal:8000/internal/claims"])
    assert told.output.strip() == b"401"
    assert arena.exec_run(["python", "-c", ask, "http://web:8000/login"]).exit_code != 0


def test_half_sent_requests_do_not_get_past_the_proxy(up: stack.Stack) -> None:
    port = int(up.url.rpartition(":")[2])
    with slow_clients.hoarding(port, slow_clients.HALF_A_LOGIN, 200) as hoard:
        eventually(lambda: hoard.tries >= 200)
        server = up.containers()["web"]
        ask = (
            "import httpx; print(httpx.get('http://127.0.0.1:8000/readyz', timeout=60).status_code)"
        )
        for _ in range(3):
            assert server.exec_run(["python", "-c", ask]).output.strip() == b"200"
        eventually(lambda: any(b" 429 " in answer for answer in hoard.answers))


def test_every_service_is_well_and_an_arena_cannot_reach_the_books(up: stack.Stack) -> None:
    def unwell() -> dict[str, str]:
        found = {}
        for name, one in up.containers().items():
            one.reload()
            if one.status == "running":
                found[name] = one.attrs["State"].get("Health", {}).get("Status", "unwatched")
        return {name: health for name, health in found.items() if health != "healthy"}

    assert eventually(lambda: not unwell(), 240, "a service is not well")
    arena = up.containers()["arena"]
    told = arena.exec_run(
        ["python", "-c", "import socket; socket.create_connection(('postgres', 5432), 5)"]
    )
    assert told.exit_code != 0
    assert b"DATABASE" not in arena.exec_run(["env"]).output


def test_what_plays_is_compiled_and_holds_no_compiler(up: stack.Stack) -> None:
    arena = up.containers()["arena"]
    report = json.loads(arena.exec_run(["matchbox", "doctor", "--json"], stderr=False).output)
    assert (report["build"], report["boxes"]["docker"]["walled"]) == ("compiled", True)
    look = "import shutil; print([name for name in ('cc', 'gcc', 'ld') if shutil.which(name)])"
    assert arena.exec_run(["python", "-c", look]).output == b"[]\n"
    images = set(re.findall(r"matchbox-seat:\w+", up.do("logs", "--no-color", "seats")))
    look = "import sys; sys.path.append('/box'); from matchbox import build; print(build.in_use())"
    run = docker_box.connect().containers.run
    told = [run(image, ["/python", "-S", "-c", look], remove=True) for image in images]
    assert told == [b"compiled\n"] * 2


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def _finished(api: httpx.Client, name: str) -> Any:
    """The season once it is finished."""
    told = api.get(f"/seasons/{name}").json()
    assert told["state"] in ("running", "finished"), told
    return told if told["state"] == "finished" else None


def _matchbox(up: stack.Stack, token: str, *words: str) -> Any:
    """The output of the command as JSON, run with that token."""
    done = subprocess.run(
        [Path(sys.executable).with_name("matchbox"), *words, "--json"],
        env={**os.environ, "MATCHBOX_URL": up.url, "MATCHBOX_TOKEN": token},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
