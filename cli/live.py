"""The display of a long experiment at a terminal: its progress, and the figures so far.

Computes figures seldom enough that they take next to no time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Final

from rich.console import Console, RenderableType
from rich.progress import Progress, TaskID
from rich.table import Table
from rich.text import Text

Rows = Callable[[], Iterable[tuple[str, str]]]
"""Every bot's name, with its figure and interval."""

MIN_S: Final = 0.25
"""The least seconds between two updates: nobody reads faster."""
SHARE: Final = 20
"""Computing the figures takes at most 1/SHARE of the time."""


class Live(Progress):
    """A progress bar on stderr with figures below it; silent if that is not a terminal."""

    def __init__(
        self, console: Console | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        console = console or Console(stderr=True)
        self._figures: Table | None = None
        self._followed: Callable[[], None] | None = None
        self._clock, self._next_update = clock, 0.0
        super().__init__(console=console, transient=True, disable=not console.is_terminal)

    def follow(self, task: TaskID, completed: Callable[[], int]) -> None:
        """Asks `completed` for the task's progress whenever the bar is drawn."""
        self._followed = lambda: self.update(task, completed=completed())

    def show_figures(self, rows: Rows) -> None:
        """Shows the current rows, unless it is too soon for that."""
        begun = self._clock()
        if self.disable or begun < self._next_update:
            return
        figures = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for name, figure in rows():
            figures.add_row(Text(name), Text(figure))
        self._figures = figures if figures.rows else None
        ended = self._clock()
        self._next_update = ended + max(MIN_S, SHARE * (ended - begun))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Clears the bar away. If a person stops the experiment, the figures so far stay."""
        self.live.transient = kind is not KeyboardInterrupt
        super().__exit__(kind, error, trace)

    def get_renderables(self) -> Iterator[RenderableType]:
        """The bar, then the figures."""
        if self._followed is not None:
            self._followed()
        yield from super().get_renderables()
        if self._figures is not None:
            yield Text("so far, with the 95% interval")
            yield self._figures
