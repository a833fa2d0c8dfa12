"""The loop inside the box: loads one bot and answers the referee's questions with it.

Knows how frames look from a seat, and how a decision inside a decision waits. The caller passes the
streams; it opens nothing. Runs on the standard library and greenlet alone.

Frames in, from the referee, as marshal writes them:
    ["compile", main file]
    ["load", {"package", "files": {name: bytes}, "class": name or None, "seed": hex,
        "memory": bytes, "reports": whether diagnostics are wanted,
        "libraries": names of those that a seat may have, "code": of the main file, or nothing}]
    ["ask", nonce, [(bout, view or its brief, seed or None), ...], [ended bout, ...]]
    ["learns"], ["learn", [record in JSON, ...]]
    ["where", view or its brief, or None to ask where a player is made]
Frames out: the first is answered with the result of loading.compiled, all others in JSON:
    ["loaded", class name]; or ["fault", kind, detail]; or ["wants", [library, ...]] if the bot
        needs a seat with these libraries: then none of its code has run
    ["say", nonce, [move, ...], [[place of the question, kind, detail], ...]], then, if there are
        any, [place whose answer is a list of moves in a row, ...] and
        diagnostics, [[bout, decision, text], ...]
    ["learns", yes or no]; ["learned", memory in base64] or ["fault", kind, detail]
    ["where", [file, line, name] of the function that answers the question, or nothing]
"""

from __future__ import annotations

import gc
import marshal
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from greenlet import getcurrent, greenlet

from matchbox.match import (
    called_function,
    libraries,
    loading,
    memory,
    numpy_chance,
    printed,
    seeded_random,
)
from matchbox.match.answer_codec import (
    answer_frame,
    answer_frame_of_rows,
    encodes,
    is_long,
    parts_of,
    to_bytes,
)
from matchbox.match.fault_text import blame, report_text
from matchbox.match.seeded_random import HERE, Generator

if TYPE_CHECKING:
    from collections.abc import Callable

    from matchbox.game import Plain

_GARBAGE: Final = 20_000
"""The garbage collector runs after this many new objects. Frames have many views and no garbage."""
_REHEARSAL: Final = "rehearsal"
_REHEARSALS: Final = 10
"""How often `prepare` asks its dummy bot. Python specialises a function after eight calls, which
writes to the function's code in memory."""
_NO_BOT: Final = b"import random\n\n\nclass Bot:\n    drawn = random.random()\n"


def prepare() -> None:
    """Warms up the process from which seats are forked; it must be called once.

    It also loads and asks a dummy bot. Python writes to memory when it does something for the first
    time, and every fork would have to copy those pages.
    """
    gc.set_threshold(_GARBAGE, 20, 50)
    seeded_random.install()
    numpy_chance.install()
    seeded_random.seed_own()
    game = ModuleType(f"{_REHEARSAL}.player")
    vars(game).update(BASE=object, answer=lambda player, view, within: view)
    sys.modules[game.__name__] = game
    load = {
        "package": _REHEARSAL,
        "files": {loading.MAIN: _NO_BOT},
        "class": None,
        "seed": "0",
        "libraries": [_REHEARSAL],
    }
    messages = (["load", load], ["ask", 0, [(0, 0, "0")], []], ["ask", 0, [], [0]])
    for _ in range(_REHEARSALS):
        session = Session()
        for message in messages:
            session.handle(marshal.dumps(message))
        sys.meta_path.pop()
    seeded_random.enter(None)
    loading.forget()
    del sys.modules[game.__name__]


def serve(recv: Callable[[], bytes | None], send: Callable[[bytes], None]) -> None:
    """Answers one frame after another until `recv` returns None. Call `prepare` first.

    The bot's output is marked with its bout and decision.
    """
    printed.install()
    session = Session()
    while (frame := recv()) is not None:
        send(session.handle(frame))


class Session:
    """One bot in one rotation of one match: a player object for every bout.

    Decisions run one after another in one greenlet. A decision that makes a move inside it must
    wait for the referee. It keeps its greenlet while other decisions run; those whose answer is in
    this frame come first.

    A driver that knows the effect of a move need not wait. Instead of a move it may hand over a
    tuple of moves in a row, which must not change later. If its player fails, the driver first
    sends the moves that it has kept back, and then lets the error through.
    """

    def __init__(self) -> None:
        self._make: Callable[[], object] | None = None
        self._answer: Callable[..., Plain] = _no_answer
        self._answer_brief: Callable[..., Plain] = _no_answer
        self._report: Callable[[Any], object] | None = None
        self._class: type[Any] = object
        self._files: frozenset[str] = frozenset()
        self._memory = b""
        self._chance: Generator | None = None
        self._here = HERE
        self._bouts: dict[int, _Bout] = {}
        """The bouts in progress, by number."""
        self._hub = getcurrent()
        self._idle: list[greenlet] = []
        self._abandoned: list[greenlet] = []
        self._new: list[_Bout] = []
        """Questions of this frame that have not been started, the first one last."""
        self._waiting: list[_Bout] = []
        """Waiting decisions that this frame answers, the first one last."""
        self._moves: list[Any] = []
        self._faults: list[tuple[int, str, str]] = []
        self._rows: list[int] = []
        """The places of the answers that are rows of moves."""
        self._wanted = False
        self._learns = False
        self._reports: list[tuple[int, int, str]] = []

    def handle(self, frame: bytes) -> bytes:
        """Returns the frame that answers this one."""
        return self._handle(marshal.loads(frame))

    def _handle(self, message: list[Any]) -> bytes:
        """The answer to a message that marshal has decoded."""
        if message[0] == "load":
            return to_bytes(self._load(message[1]))
        if message[0] == "compile":
            return loading.compiled(message[1])
        if message[0] == "learns":
            return to_bytes(["learns", self._learns])
        if message[0] == "learn":
            return to_bytes(self._learn(message[1]))
        if message[0] == "where":
            return to_bytes(self._where(message[1]))
        _, nonce, questions, ended = message
        for number in ended:
            self._forget(number)
        self._ask(questions)
        return self._say(nonce, len(questions))

    def _load(self, job: dict[str, Any]) -> list[Plain]:
        self._chance = Generator(job["seed"])
        seeded_random.enter(self._chance)
        name = f"{job['package']}.player"
        player = sys.modules.get(name) or import_module(name)
        self._files = frozenset(job["files"])
        self._memory = job.get("memory", b"")
        self._wanted = job.get("reports", False)
        offered = job.get("libraries")
        if offered is not None:
            if wanted := libraries.wanted(job["files"], offered):
                return ["wants", wanted]
            sys.meta_path.append(libraries.Refuser(offered))
        else:  # There is no box.
            numpy_chance.load_and_install(job["files"])
        try:
            code = job.get("code", b"")
            chosen = loading.load(job["files"], player, job["class"], self._memory, code)
            self._make = loading.maker_of(player, chosen)
            kept = getattr(player, "REMEMBERED", ())
            self._learns = memory.learns(chosen, loading.base_of(player), job["files"], kept)
            self._report = loading.report_of(player, chosen)
        except loading.NotAPlayer as error:
            return ["fault", "protocol", str(error)]
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return ["fault", *blame(error)]
        self._class = chosen
        self._answer = player.answer
        self._answer_brief = getattr(player, "answer_brief", _no_answer)
        return ["loaded", chosen.__name__]

    def _learn(self, records: list[bytes]) -> list[Plain]:
        seeded_random.enter(self._chance)
        try:
            return ["learned", memory.run_learn(self._class, self._memory, records)]
        except memory.NotLearned as error:
            return ["fault", "protocol", str(error)]
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return ["fault", *blame(error)]

    def _where(self, view: Any) -> list[Plain]:
        """Finds the bot's function that answers this question."""
        seeded_random.enter(self._chance)
        player: object = None
        try:
            if view is not None:
                player = self._new_player()
        except KeyboardInterrupt:
            raise
        except BaseException:
            view = None
        answer = self._answer_brief if type(view) is bytes else self._answer

        def ask() -> object:
            return self._new_player() if view is None else answer(player, view, _no_answer)

        return ["where", called_function.find_called_function(ask, self._class, self._files)]

    def _ask(self, questions: list[Any]) -> None:
        """Notes the questions of this frame."""
        bouts, new, waiting = self._bouts, self._new, self._waiting
        for place, (number, view, seed) in enumerate(questions):
            bout = bouts.get(number)
            if bout is None:
                bouts[number] = bout = _Bout(self, number, seed)
            bout.place = place
            bout.view = view
            (new if bout.waiting is None else waiting).append(bout)

    def _say(self, nonce: int, count: int) -> bytes:
        """Answers every question of this frame; returns the frame of answers."""
        self._hub = getcurrent()
        self._moves = [None] * count
        self._faults = []
        self._rows = []
        self._new.reverse()
        self._waiting.reverse()
        while self._waiting or self._new:
            if not self._waiting and not self._idle:
                self._idle.append(greenlet(self._work, self._hub))
            self._go_on()
        return self._encode_answers(nonce)

    def _go_on(self) -> Any:
        """Switches to the next decision. Returns this decision's view when its turn comes again."""
        if self._waiting:
            bout = self._waiting.pop()
            worker = bout.waiting
            assert worker is not None
            bout.waiting = None
            self._here.generator = bout
            return worker.switch(bout.view)
        # Never start a greenlet here: inside a decision it would begin at the bot's stack depth.
        if self._new and self._idle:
            return self._idle.pop().switch()
        return self._hub.switch()

    def _work(self) -> None:
        """The loop of a greenlet: makes new decisions while there are any, then becomes idle."""
        here, bouts, new = self._here, self._bouts, self._new
        while True:
            while new:
                here.generator = bout = new.pop()
                move: Any
                try:
                    player = bout.player
                    if player is None:
                        player = bout.player = self._new_player()
                    view = bout.view
                    answer = self._answer_brief if type(view) is bytes else self._answer
                    move = answer(player, view, bout)
                    if self._report is not None:
                        # Also if nobody wants the text: the bot's code must run alike everywhere.
                        text = report_text(self._report(player))
                        if self._wanted and text:
                            self._reports.append((bout.number, bout.decisions, text))
                except KeyboardInterrupt:
                    raise
                except BaseException as error:
                    self._faults.append((bout.place, *blame(error)))
                    del bouts[bout.number]
                else:
                    self._put(bout, self._last_part(bout, move))
            self._idle.append(getcurrent())
            self._go_on()

    def _new_player(self) -> object:
        if self._make is None:
            raise RuntimeError("a question came before its bot")
        player = self._make()
        memory.give_memory(player, self._memory)
        return player

    def wait(self, bout: _Bout, move: Plain | tuple[Plain, ...]) -> Any:
        """Hands over a move made inside a decision; returns the seat's view after it."""
        if self._here.generator is not bout:
            raise RuntimeError("a move can only be made during the decision it belongs to")
        return self._hand_over(bout, self._last_part(bout, move))

    def _last_part(self, bout: _Bout, move: Any) -> Any:
        """The move, or the last part of a long row, whose other parts are handed over first."""
        if type(move) is not tuple or not is_long(move):
            return move
        *first, last = parts_of(move)
        for part in first:
            self._hand_over(bout, part)
        return last

    def _hand_over(self, bout: _Bout, move: Any) -> Any:
        """Answers the bout's question; returns the view of its next one."""
        self._put(bout, move)
        bout.waiting = getcurrent()
        return self._go_on()

    def _put(self, bout: _Bout, move: Any) -> None:
        """Makes the move the answer to the bout's question."""
        if type(move) is tuple:
            self._rows.append(bout.place)
            bout.decisions += len(move)
        else:
            bout.decisions += 1
        self._moves[bout.place] = move

    def _forget(self, number: int) -> None:
        """Drops a bout. If a decision of it still waits, that decision is never resumed, not even
        to end it."""
        bout = self._bouts.pop(number, None)
        if bout is not None and bout.waiting is not None:
            self._abandoned.append(bout.waiting)

    def _encode_answers(self, nonce: int) -> bytes:
        if not (self._faults or self._rows or self._reports) and (
            frame := answer_frame(nonce, self._moves)
        ):
            return frame
        reports, self._reports = self._reports, []
        more = [self._rows, reports] if reports else [self._rows] if self._rows else []
        try:
            if self._rows and not (self._faults or reports):
                return answer_frame_of_rows(nonce, self._moves, self._rows)
            return to_bytes(["say", nonce, self._moves, self._faults, *more])
        except (TypeError, ValueError, RecursionError):
            for place, move in enumerate(self._moves):
                if not encodes(move):
                    self._moves[place] = None
                    self._faults.append((place, "protocol", "the move is not plain data"))
            return to_bytes(["say", nonce, self._moves, self._faults, *more])


class _Bout(Generator):
    """One bout's player, its random generator, and its waiting decision, if any.

    Called inside the decision, it makes a move, or several in a row, and returns the seat's view
    after them.
    """

    __slots__ = ("_session", "decisions", "number", "place", "player", "view", "waiting")

    def __init__(self, session: Session, number: int, seed: str) -> None:
        self.seed = seed
        self.source = None
        self.numpy = None
        self._session = session
        self.number = number
        self.place: int
        self.view: Any
        self.decisions = 0  # How many moves were handed over.
        self.player: object = None
        self.waiting: greenlet | None = None

    def __call__(self, move: Plain | tuple[Plain, ...]) -> Any:
        return self._session.wait(self, move)

    def place_in_bout(self) -> str:
        """The bout's number, and the number of moves that its player has made in it."""
        return f"{self.number},{self.decisions}"


def _no_answer(player: object, view: Any, ask: object) -> Plain:
    raise RuntimeError("a question came before its bot")
