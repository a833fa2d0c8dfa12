"""Tables with people, as the pages of the dashboard get them."""

from __future__ import annotations

from typing import Any, Final

from matchbox import registry
from matchbox.answers import play as answers
from matchbox.answers.matches import Bout, Step, Steps
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
    """Alice's table of bomb at its beginning, with the given changes."""
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


TABLES: Final = Tables(items=[answers.TableLine(**line())], allowed=50, each=3)


def steps(name: str, seat: int | None) -> Steps:
    """Refuses: no table of the cast is finished unless a test says so."""
    raise AssertionError(f"nobody asked for the steps of {name} as seat {seat} saw them")


def replay(_: str, seat: int | None) -> Steps:
    """Two steps and the end of a bout, as everybody sees it."""
    rules = registry.game("bomb")
    live = hosted_bout.resume(rules, DEAL, 2, {}, [])
    table_view: Any = rules.view(live.state, None)
    view = {**table_view, "seats": [rules.view(live.state, one) for one in range(2)]}
    told = [
        Step(seat=None, text="", move=None, view=view),
        Step(seat=0, text="draws the top card", move="draw", view=view),
        Step(seat=None, text="explosion", move=None, view=view),
    ]
    bout = Bout(
        deal=0, rotation=0, places=[1, 2], scores=[1, 0], why="explosion", seats=[0, 1], moves=1,
        faults=[],
    )  # fmt: skip
    return Steps(bout=bout, steps=told)


OVER: Final[dict[str, Any]] = {
    "state": "finished", "places": [1, 2], "scores": [1, 0], "why": "explosion",
    "digest": "d" * 64, "deal": DEAL,
}  # fmt: skip
"""The fields of a table that was played to its end."""
