"""The `matchbox` command: its list of commands, and how errors are shown.

Every command imports what it needs when it runs, so that `matchbox play` starts fast.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from itertools import dropwhile
from types import TracebackType
from typing import Annotated, Final, NoReturn

import typer

from cli import (
    admin,
    archive,
    arena,
    box,
    compare,
    doctor,
    inbox,
    leagues,
    lessons,
    operations,
    output,
    playing,
    proof,
    remote,
    script,
    seasons,
    simulate,
    status,
    tokens,
    up,
)
from matchbox.errors import (
    BadGame,
    BadName,
    BadOption,
    BadSetting,
    MatchboxError,
    SeatFault,
    UnknownGame,
)

STOPPED: Final = 130
"""The exit code of a command that Ctrl-C ended, as shells report it."""
WRONG_USAGE = (BadName, BadOption, BadSetting, UnknownGame)

app = typer.Typer(
    name="matchbox",
    help="A self-hosted bot-competition platform: every match in a box.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    playing.games,
    simulate.simulate,
    compare.compare,
    playing.play,
    playing.check,
    script.run,
    remote.submit,
    remote.bots,
    remote.logs,
    remote.standings,
    remote.activate,
    remote.retire,
    tokens.password,
    inbox.inbox,
    proof.replay,
    proof.verify,
    lessons.lessons,
    lessons.share,
    doctor.doctor,
    status.status,
    box.build_image,
    up.up,
    arena.arena,
    admin.migrate,
):
    app.command()(command)
app.command("login")(tokens.log_in)
app.command("logout")(tokens.log_out)
seasons.season.command("export")(archive.export)
seasons.season.command("verify")(archive.verify)
app.add_typer(seasons.season, name="season")
app.add_typer(leagues.league, name="league")
app.add_typer(inbox.webhook, name="webhook")
app.add_typer(tokens.token, name="token")
app.add_typer(admin.admin, name="admin")
app.add_typer(operations.match, name="match")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"matchbox {version('matchbox')}")
        raise typer.Exit


@app.callback()
def _matchbox(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the release")
    ] = False,
) -> None:
    """A self-hosted bot-competition platform: every match in a box."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Runs the command and exits: 0 means yes, 1 no, 2 wrong usage, 130 Ctrl-C."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] != ["run"]:  # Its processes import no file of the current folder.
        os.environ["PYTHONSAFEPATH"] = "1"
    _open_closed_streams()
    output.show_all_characters()
    sys.excepthook = show_error
    sys.exit(run(words))


def show_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Prints an uncaught error. That of a player's file has no frames above the file's, as with
    `python FILE`."""

    def is_ours(frame: TracebackType) -> bool:
        return frame.tb_frame.f_code.co_filename == script.__file__

    frames = list(_frames(trace))
    if any(map(is_ours, frames)):
        below = dropwhile(lambda frame: not is_ours(frame), frames)
        trace = next(dropwhile(is_ours, below), None)
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def run(arguments: list[str]) -> int:
    """Runs the command and returns its exit code; an error is one sentence on stderr."""
    try:
        code = typer.main.get_command(app).main(
            arguments, prog_name="matchbox", standalone_mode=False
        )
        sys.stdout.flush()  # Else a full disk or a closed pipe shows only when Python ends.
    except KeyboardInterrupt:
        code = STOPPED
    except script.Broken as broken:
        raise broken.error from None
    except output.Stopped as stop:
        return _fail(str(stop), STOPPED)
    except typer.TyperException as error:
        return _fail(_usage(error), 2)
    except typer.Abort as abort:  # A prompt turns Ctrl-C into it, too.
        by_key = isinstance(abort.__context__, KeyboardInterrupt)
        return _fail("stopped", STOPPED if by_key else 1)
    except WRONG_USAGE as error:
        return _fail(str(error), 2)
    except SeatFault as error:
        return _fail(error.detail, 1)
    except MatchboxError as error:
        failed = None if arguments[:1] == ["run"] else _broken_game(error)
        return _fail(str(failed or error), 1)
    except BrokenPipeError:
        output.drop_unwritten()
        return 1
    except (OSError, UnicodeError) as error:
        if arguments[:1] == ["run"]:  # An error of the player's file, which its author wants whole.
            raise
        output.drop_unwritten()
        return _fail(*_system_error(error))
    except Exception as error:
        if arguments[:1] == ["run"] or not (failed := _broken_game(error)):
            raise
        return _fail(str(failed), 1)
    if code == STOPPED:
        return _fail("stopped", STOPPED)
    return code if isinstance(code, int) else 0


def _open_closed_streams() -> None:
    """Connects stdin, stdout and stderr to nothing if they are closed, as with `>&-`.

    Otherwise an error would be printed on stdout, and the next open file would be the stream.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115


def _fail(sentence: str, code: int) -> int:
    """Prints the error. It may quote a stranger's file, which must not change the terminal."""
    from matchbox.match.frames import readable

    print(f"matchbox: {readable(sentence)}", file=sys.stderr)
    return code


def _broken_game(error: Exception) -> BadGame | None:
    """The error as that of a game whose function raised it."""
    from matchbox import registry

    return registry.broken_game(error)


def _system_error(error: OSError | UnicodeError) -> tuple[str, int]:
    """The sentence and the exit code for an error of a file, or of a text that is no Unicode."""
    if isinstance(error, UnicodeError):
        return f"a text is not UTF-8, or cannot be shown here: {error}", 2
    if error.errno == errno.ENOSPC and not error.filename:
        return f"the output cannot be written: {error.strerror}", 1
    from cli.folder import about_owner

    why = f"{error.strerror or error}{about_owner(error)}"
    return f"{error.filename or 'a file'} cannot be used: {why}", 1


def _usage(error: typer.TyperException) -> str:
    """The error in the command line, with a pointer to the command's help."""
    from server.input_errors import in_our_words

    context = getattr(error, "ctx", None)
    command = context.command_path if context else "matchbox"
    named = isinstance(error, typer.BadParameter) and str(error)
    message = error.format_message() if named else str(error)
    message = message.replace(": Value error, ", ": ").rstrip(".")  # The first is pydantic's.
    start, mark, reason = message.partition(": Input should ")
    if mark:
        message = f"{start}: it {in_our_words(f'Input should {reason}')}"
    if near := getattr(error, "possibilities", None):  # Of an option; the nearest is the first.
        message += f". Did you mean {near[0]}?"
    return f"{message or 'a command is missing'}; see {command} --help"
