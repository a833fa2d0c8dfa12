"""Exit codes and errors: 0 is yes, 1 is no, 2 is wrong usage, and one sentence gives the reason."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from cli import start
from matchbox import registry
from matchbox.errors import IllegalMove
from sandbox.meter import is_asleep
from tests.installation import eventually
from tests.services import DEADLINE_S, needs
from tests.unit.cli.conftest import Run

COMMANDS = [
    *("games", "simulate", "play", "check", "login", "submit", "bots", "logs", "standings"),
    *("activate", "retire", "replay", "verify", "doctor", "up", "migrate"),
    "admin user create",
    *(f"season {name}" for name in ["create", "enter", "leave", "start", "pause", "resume"]),
    *(f"season {name}" for name in ["cancel", "list", "show", "export", "verify"]),
    *(f"league {name}" for name in ["create", "list", "show"]),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, matchbox: Run) -> None:
    told = matchbox(*command.split(), "--help")
    assert (told.code, told.err) == (0, "")
    assert "Usage: matchbox" in told.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("nonsense", "No such command 'nonsense'; see matchbox --help"),
        ("simulate bomb", "there are no bots: name those that are to play bomb"),
        (
            "simulate bomb simple scared --games 0",
            "'--games': it must be greater than or equal to 1",
        ),
        (
            "simulate bomb simple scared --games 1000000000000",
            "'--games': it must be less than or equal to",
        ),
        ("compare simple scared --game bomb --games 1000000000000", "it must be less than"),
        ("up --port web", "'--port': it must be a valid integer; see"),
        ("simulate bomb simple scared --hats 3", "see matchbox simulate --help"),
        ("check x.py --gmae bomb", "--gmae. Did you mean --game?; see matchbox check --help"),
        (
            "league create x --game bomb --format round_robin",
            "Invalid value for '--format': 'round_robin' is not one of 'round-robin'",
        ),
        ("simulate chess simple scared", "there is no game 'chess'; the games are: bomb"),
        ("simulate bomb simple", "one bot has no opponent"),
        ("simulate bomb simple nobody", "there is no bot 'nobody' of bomb"),
        ("simulate bomb simple scared --option x", "--option x has no value"),
        ("simulate bomb simple scared --option x=1", "bomb has no option 'x'"),
        ("simulate bomb simple scared --tsv gone/x.tsv", "gone/x.tsv cannot be written: name a"),
        ("simulate bomb simple scared --html .", ". cannot be written: name a file in an existing"),
        ("simulate war --html gone/x.html", "gone/x.html cannot be written"),
        ("play bomb simple", "bomb is played by 2 players, not 1"),
        ("play bomb simple human --json", "a human plays at the terminal"),
        ("check gone.py --game bomb", "gone.py cannot be read"),
        ("check gone.py --game chess", "there is no game 'chess'"),
        ("admin audit --most 99999999999999999999", "'--most': it must be less"),
        ("season show .", "'.' is not a name"),
        ("admin user create alice --role king", "there is no role 'king'"),
    ],
)
def test_wrong_usage_is_2_and_says_what_to_do(words: str, sentence: str, matchbox: Run) -> None:
    told = matchbox(*words.split())
    assert (told.code, told.out) == (2, "")
    assert told.err.startswith("matchbox: ")
    assert sentence in told.err
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "error", "more"),
    [
        ("return [][1]", "IndexError: list index out of range", ""),
        (
            "raise IllegalMove('no')",
            "IllegalMove: no",
            "; in the rules only apply may raise IllegalMove, for the move of a seat",
        ),
    ],
)
def test_a_game_that_fails_is_named_with_the_function_and_the_line(
    line: str, error: str, more: str, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    module: dict[str, Any] = {"__name__": "matchbox.games.bomb.rules", "IllegalMove": IllegalMove}
    exec(f"def inner():\n    {line}\n\ndef games():\n    return inner()", module)
    monkeypatch.setattr(registry, "games", module["games"])
    told = matchbox("games")
    assert (told.code, told.out) == (1, "")
    assert told.err == (
        f"matchbox: the game bomb is broken: games raised {error} "
        f"(matchbox.games.bomb.rules, line 2){more}\n"
    )


def test_an_error_that_quotes_a_stranger_changes_no_terminal(matchbox: Run) -> None:
    told = matchbox("check", "no\x9b31m\x1b]0;title\x07.py", "--game", "bomb", "--box", "none")
    assert told.code == 2
    assert "no\\x9b31m\\x1b]0;title\\x07.py cannot be read" in told.err


def test_an_unknown_box_is_named(matchbox: Run) -> None:
    told = matchbox("simulate", "bomb", "simple", "scared", "--box", "paper")
    assert told.code == 2
    assert told.err == (
        "matchbox: there is no box 'paper': choose one of auto, bwrap, docker, process, none\n"
    )


def test_it_says_which_version_it_is(matchbox: Run) -> None:
    told = matchbox("--version")
    assert (told.code, told.out) == (0, f"matchbox {version('matchbox')}\n")


def test_a_setting_that_makes_no_sense_is_named(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_CPU_MS", "fast")
    told = matchbox("simulate", "bomb", "simple", "scared", "--box", "none")
    assert told.code == 2
    assert told.err == "matchbox: MATCHBOX_CPU_MS is 'fast'; it must be a whole number\n"


@pytest.mark.parametrize("words", ["games", "simulate bomb simple scared --games 1 --box none"])
def test_nothing_heavy_is_imported_where_it_is_not_needed(words: str) -> None:
    source = (
        f"import sys; from cli.main import run; run({words.split()}); "
        "heavy = {'celery', 'docker', 'flask', 'httpx', 'numpy', 'plotly', 'sqlalchemy'}; "
        "print('heavy:', sorted(heavy & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "heavy: []"


def test_the_installed_command_runs() -> None:
    command = Path(sys.executable).with_name("matchbox")
    done = subprocess.run([command, "games"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1].split("\t")[:2] == ["bomb", "Bomb"]


@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        ("games", "1", 0),
        ("season list", "2", 1),
        ("login http://127.0.0.1:9 --name alice", "0", 1),
    ],
)
def test_a_stream_that_is_closed_is_like_one_that_leads_nowhere(
    words: str, closed: str, code: int
) -> None:
    command = Path(sys.executable).with_name("matchbox")
    done = subprocess.run(
        ["sh", "-c", f"exec {command} {words} {closed}>&-"],
        capture_output=True,
        text=True,
        env={**os.environ, "MATCHBOX_URL": "http://127.0.0.1:9"},
    )
    assert (done.returncode, done.stdout) == (code, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("{} games > /dev/full", 1, "No space left on device"),
        ("{{ {}; echo $? >&2; }} | true", 0, ""),
    ],
)
def test_output_that_nobody_takes_ends_in_a_sentence_or_in_silence(
    line: str, code: int, says: str
) -> None:
    command = f"{Path(sys.executable).with_name('matchbox')}"
    told = line.format(command if "games" in line else f"{command} games --json")
    given = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(["sh", "-c", told], capture_output=True, text=True, env=given)
    assert done.returncode == code
    assert says in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "120" not in done.stderr


@contextmanager
def at_a_terminal(*command: str, **more: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The command at a terminal of its own, and the terminal. The command ends with the block.

    It takes Ctrl-C also if the tests run in the background, where the signal is ignored.
    """
    terminal, its_end = pty.openpty()
    with subprocess.Popen(
        [needs("setsid"), "--ctty", "env", "--default-signal=INT", *command],
        stdin=its_end,
        stdout=its_end,
        stderr=its_end,
        env={**os.environ, **more},
    ) as process:
        os.close(its_end)
        try:
            yield process, terminal
        finally:
            process.kill()
            os.close(terminal)


def shown(terminal: int) -> bytes:
    """What the terminal shows next. Raises OSError once the command has ended."""
    ready, _, _ = select.select([terminal], [], [], DEADLINE_S)
    assert ready, "the command says nothing"
    return os.read(terminal, 1000)


@pytest.mark.parametrize(("key", "code"), [(b"\x03", 130), (b"\x04", 1)])
def test_ctrl_c_at_a_question_is_130_and_the_end_of_the_answers_is_1(key: bytes, code: int) -> None:
    command = str(Path(sys.executable).with_name("matchbox"))
    with at_a_terminal(command, "login", "http://127.0.0.1:9") as (process, terminal):
        told = b""
        while b"Name" not in told:
            told += shown(terminal)
        # Python does not notice a signal that comes just before it begins to wait for an answer.
        eventually(lambda: is_asleep(process.pid))
        os.write(terminal, key)
        assert process.wait(DEADLINE_S) == code


def test_ctrl_c_while_the_command_is_loaded_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(SystemExit) as stop:
        patched.setattr("builtins.__import__", interrupted)
        start.main()
    assert (stop.value.code, capsys.readouterr().err) == (130, "matchbox: stopped\n")


def test_no_process_imports_an_authors_file_of_the_current_folder(tmp_path: Path) -> None:
    for name in ("random", "subprocess", "pickle"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('the author has a {name}.py')")
    command = Path(sys.executable).with_name("matchbox")
    words = ["simulate", "bomb", "simple", "scared", "--games", "2", "--workers", "2"]
    told = subprocess.run([command, *words], cwd=tmp_path, capture_output=True, text=True)
    assert (told.returncode, "the author has" in told.stderr) == (0, False)


def test_our_signs_are_spelled_where_the_encoding_lacks_them() -> None:
    text = "1 \\xb12, \\u201cx\\u201d, \\u0434"
    source = f"from cli import output; output.show_all_characters(); print('{text}')"
    told = subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert told.stdout == '1 +-2, "x", \\u0434\n'


def test_a_narrow_terminal_cuts_nothing_off() -> None:
    source = "from cli.output import table; table(['name', 'password'], [['alice', 'x' * 80]])"
    told = b""
    with (
        at_a_terminal(sys.executable, "-c", source, COLUMNS="40") as (_, terminal),
        suppress(OSError),
    ):
        while more := shown(terminal):
            told += more
    assert told.count(b"x") == 80


def test_on_windows_the_command_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="1"):
        start.main("win32")
    assert capsys.readouterr().err.startswith("matchbox: this does not run on Windows: use WSL 2")


def test_where_no_box_can_be_the_error_says_what_to_do(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch, mine: Path
) -> None:
    words = ("check", mine, "--game", "bomb", "--box")
    monkeypatch.setattr(sys, "platform", "darwin")
    refused = matchbox(*words, "process")
    assert refused.code == 1
    assert "this is darwin: play bots that you trust with --box none, or use Linux" in refused.err
    assert matchbox(*words, "none").code == 0
