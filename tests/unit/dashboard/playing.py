"""Tables with persons, as the pages of the dashboard get them."""

from __future__ import annotations

from typing import Any, Final

from matchbox import registry
from matchbox.answers import play as answers
from matchbox.answers.matches import Step, Steps
from matchbox.answers.play import Choice, Opponent, Table, Tables, TableSeat
from matchbox.choices import choices_of, question_of
from matchbox.game import fill_options
from matchbox.match import hosted_bout
from matchbox.match.wire import Said

NAME: Final = "0f" * 16
DEAL: Final = "ab" * 16
OPPONENTS: Final = [
    Opponent(bot="house/careful", version=2, elo=1612.4, rank=1),
    Opponent(bot="bob/new", version=1, elo=None, rank=None),
]


def line(state: answers.State = "persons", **more: Any) -> dict[str, Any]:
    """The fields of a table in a list."""
    return {
        "id": NAME,
        "game": "bomb",
        "title": "Bomb",
        "state": state,
        "seats": [
            TableSeat(seat=0, kind="person", name="alice", version=None),
            TableSeat(seat=1, kind="bot", name="house/careful", version=2),
        ],
        "created_at": "2026-11-20T10:00:00.000Z",
        "deadline": "2026-11-20T10:30:00.000Z",
        "finished_at": None,
        "why": "",
        **more,
    }


def table(name: str = NAME, *, since: int = 0, secret: str = "", **more: Any) -> Table:
    """Alice's table of bomb at its beginning, or as asked for."""
    game = registry.game("bomb")
    live = hosted_bout.resume(game, DEAL, 2, fill_options(game.spec, {}), list[Said]())
    view = game.view(live.state, 0)
    moves = game.legal(live.state, 0)
    given: dict[str, Any] = {
        **line(),
        "cooperative": False,
        "rules": "1",
        "options": {},
        "revision": "persons-0-1",
        "me": 0,
        "join": None,
        "to_move": [0],
        "view": view,
        "choices": [
            Choice(move=move, words=one.words, group=one.group, picks=list(one.picks))
            for move, one in choices_of("bomb", moves, view)
        ],
        "question": question_of("bomb", moves, view),
        "since": since,
        "steps": [Step(seat=None, text="", move=None, view=view)][since:],
        **more,
    }
    return Table(**given)


TABLES: Final = Tables(items=[answers.TableLine(**line())], allowed=50)


def steps(name: str, seat: int | None) -> Steps:
    """No table of the cast is finished unless a test says so."""
    raise AssertionError(f"nobody asked for the steps of {name} as seat {seat} saw them")
