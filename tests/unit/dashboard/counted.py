"""Made-up counts of a board: its pairs, seats and lengths; a bot's opponents; an author's bots."""

from __future__ import annotations

from typing import Any, Final

from matchbox.answers.board_figures import (
    BoardFigures,
    LengthLine,
    Opponent,
    Opponents,
    PairLine,
    SeatLine,
)
from matchbox.answers.bots import Author, AuthorBot, BotLine
from matchbox.answers.standings import BoardLine
from matchbox.errors import NotFound
from tests.unit.dashboard.seasons import BOTS, EARLIER

FIGURES: Final = BoardFigures(
    bots=[one[0] for one in BOTS],
    field=len(BOTS),
    pairs=[
        PairLine(
            first=one[0], first_version=2, second=other[0], second_version=2, bouts=40, deals=20,
            share=share, ci95=(share - 0.1, share + 0.1),
        )
        for at, one in enumerate(BOTS[:4])
        for other in BOTS[at + 1 : 4]
        for share in (0.55 + 0.05 * at,)
    ],
    seats=[
        SeatLine(players=2, seat=0, bouts=800, deals=400, share=0.53, ci95=(0.51, 0.55)),
        SeatLine(players=2, seat=1, bouts=800, deals=400, share=0.47, ci95=(0.45, 0.49)),
    ],
    lengths=[LengthLine(moves=moves, bouts=bouts) for moves, bouts in ((9, 4), (12, 9), (15, 3))],
)  # fmt: skip


def opponent(bot: str, share: float, half: float = 0.05, **own: Any) -> Opponent:
    """Alice's bot's results against that opponent."""
    row: dict[str, Any] = {
        "bot": bot, "version": 1, "state": "active", "bouts": 40, "deals": 20, "share": share,
        "ci95": (share - half, share + half), "lately": [0.4, 0.5, share],
    }  # fmt: skip
    return Opponent(**row | own)


OPPONENTS: Final = Opponents(
    version=2,
    items=[
        opponent("house/medium", 0.41), opponent("bob/tin-drum", 0.52, lately=[]),
        opponent("house/scared", 0.7, state="retired"),
    ],
    met=3,
)  # fmt: skip


def author(name: str, careful: BotLine, line: BoardLine) -> Author:
    """Alice, with a bot that plays and one that is retired."""
    if name != "alice":
        raise NotFound(f"there is no author {name!r}")
    gone = careful.model_copy(update={"bot": "alice/gone", "name": "gone", "retired_at": EARLIER})
    return Author(
        name="alice", created_at=EARLIER,
        bots=[AuthorBot(**careful.plain(), standing=line),
              AuthorBot(**gone.plain(), standing=None)],
    )  # fmt: skip


NO_FIGURES: Final = BoardFigures(bots=[], field=0, pairs=[], seats=[], lengths=[])
NOBODY_MET: Final = Opponents(version=None, items=[], met=0)
NO_BOTS: Final = Author(name="alice", created_at=EARLIER, bots=[])
