"""The texts about a fault that a bot's author reads."""

from __future__ import annotations

from matchbox.match.fault_text import traceback_text

MANY = "".join(f"def step{i}(): step{i + 1}()\n" for i in range(60)) + "def step60(): 1 / 0\n"


def traceback_of(**files: str) -> str:
    """The traceback of an error that the last of these files raises, when it is loaded."""
    names: dict[str, object] = {}
    try:
        for name, source in files.items():
            file = f"/lib/{name}.py" if name.startswith("library") else f"{name}.py"
            exec(compile(source, file, "exec"), names)
    except (NameError, ZeroDivisionError) as error:
        return traceback_text(error)
    raise AssertionError("no file has raised an error")


def test_a_long_traceback_of_a_library_keeps_the_lines_of_the_author() -> None:
    text = traceback_of(library=MANY, player="\n\nstep0()")
    assert text.splitlines() == [
        "(the lines of libraries were left out)",
        "Traceback (most recent call last):",
        '  File "player.py", line 3, in <module>',
        "ZeroDivisionError: division by zero",
    ]


def test_a_long_chain_of_errors_keeps_the_lines_of_the_author() -> None:
    failed = (
        "def failed():\n    try:\n        step0()\n    except ZeroDivisionError:\n        a_name\n"
    )
    text = traceback_of(library=MANY, library2=failed, player="failed()")
    assert '  File "player.py", line 1, in <module>\n' in text
    assert text.startswith("(the lines of libraries were left out)\n")
    assert text.endswith("NameError: name 'a_name' is not defined\n")


def test_a_short_traceback_keeps_the_lines_of_libraries() -> None:
    text = traceback_of(library="def fail(): 1 / 0", player="fail()")
    assert [line for line in text.splitlines() if "File" in line][-2:] == [
        '  File "player.py", line 1, in <module>',
        '  File "/lib/library.py", line 1, in fail',
    ]


def test_a_long_traceback_of_the_author_is_cut_in_its_middle() -> None:
    text = traceback_of(player=f"{MANY}step0()")
    assert " more characters were left out ...\n" in text
    assert text.endswith("ZeroDivisionError: division by zero\n")
