"""Finds, inside the box, the function of a bot that answers a question. Stops before that function
runs.

Knows frames of Python and the names of the bot's files; knows no game.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from matchbox.errors import IllegalMove

if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from types import CodeType, FrameType

    from matchbox.game import Plain


class _Called(BaseException):
    """A function of the bot is about to run."""

    def __init__(self, code: CodeType) -> None:
        super().__init__()
        self.code = code


def find_called_function(
    ask: Callable[[], object], chosen: type[Any], files: Container[str]
) -> Plain:
    """Returns the file, the first line and the name of the first function in these files that `ask`
    calls; None if it calls none. That function does not run.

    A function of the class `chosen` that cannot be called with its arguments counts as well.
    """

    def stop(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code.co_filename in files:
            raise _Called(frame.f_code)

    code = None
    before = sys.getprofile()
    sys.setprofile(stop)
    try:
        ask()
    except _Called as called:
        code = called.code
    except TypeError as error:
        code = _named(str(error).partition("(")[0], chosen, files)
    except IllegalMove as error:  # An async function or a generator does not run when called.
        name = str(error).partition("(")[0]
        code = _named(f"{chosen.__qualname__}.{name}", chosen, files)
    except KeyboardInterrupt:
        raise
    except BaseException:
        code = None
    finally:
        sys.setprofile(before)
    return [code.co_filename, code.co_firstlineno, code.co_name] if code else None


def _named(name: str, chosen: type[Any], files: Container[str]) -> CodeType | None:
    """The code of the class's function with that qualified name."""
    for parent in chosen.__mro__:
        for value in vars(parent).values():
            code: CodeType | None = getattr(getattr(value, "__wrapped__", value), "__code__", None)
            if code is not None and code.co_qualname == name and code.co_filename in files:
                return code
    return None
