"""A person at this terminal as a player: the seat, the answers, and the ways to leave."""

from __future__ import annotations

import builtins
import io
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Final

from cli import output
from cli.named_bots import NamedBot
from matchbox.errors import BadGame
from matchbox.match.loading import base_of
from matchbox.match.seat import LocalChannel
from matchbox.registry import package_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

HUMAN: Final = "human"
"""The name that gives a seat to the person at the terminal."""
_SOURCE: Final = """from {package} import HumanPlayer


class Person(HumanPlayer):
    others = {others!r}
"""


def person(game: str, seat: int, names: Sequence[str]) -> NamedBot:
    """A bot whose decisions are made by the person at this terminal; `names` are the seats'.

    Raises BadGame if the game has no prompts for a person, or no player class with them.
    """
    package = package_of(game)
    human = getattr(import_module(package), "HumanPlayer", None)
    if human is None:
        raise BadGame(
            f"nobody can play {game} at a terminal, because {package} has no HumanPlayer; play it "
            "on the site"
        )
    base = base_of(import_module(f"{package}.player"))
    if not isinstance(human, type) or not issubclass(human, base):
        raise BadGame(
            f"nobody can play {game} at a terminal: {package}.HumanPlayer is no subclass of "
            f"{base.__name__}; write class HumanPlayer({base.__name__})"
        )
    others = {other: name for other, name in enumerate(names) if other != seat}
    return NamedBot(HUMAN, _SOURCE.format(package=package, others=others).encode())


class PersonChannel(LocalChannel):
    """The seat of a person, in this process."""

    def __init__(self, before_question: Callable[[], None]) -> None:
        """`before_question` is called before every question."""
        super().__init__()
        self._before_question = before_question

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        """Returns the frame that answers this one."""
        if not start:
            self._before_question()
        return super().ask(frame, decisions, start=start)


@contextmanager
def answering() -> Iterator[None]:
    """Reads a person's answers while the block runs; ends the command if the person leaves.

    Ctrl-D or the end of a file exits with 1, Ctrl-C raises output.Stopped. Answers that do not come
    from a terminal are printed after their question.
    """
    read = builtins.input

    def ask(prompt: object = "") -> str:
        try:
            text = read(prompt)
        except EOFError as end:
            raise KeyboardInterrupt from end
        if not sys.stdin.isatty():
            print(text)
        return text

    builtins.input = ask
    if isinstance(sys.stdin, io.TextIOWrapper):  # A byte that is not text is only a wrong answer.
        sys.stdin.reconfigure(errors="backslashreplace")
    try:
        yield
    except KeyboardInterrupt as stop:
        print()
        if isinstance(stop.__cause__, EOFError):
            output.exit_no("matchbox: the answers ended before the game did")
        raise output.Stopped("you left the game before its end") from None
    finally:
        builtins.input = read
