"""The contract of every game, built in or installed. The tests find the games in the registry."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox import registry
from matchbox.dice import SeededDice, derive_deals
from matchbox.errors import IllegalMove
from matchbox.game import CHANCE, Game, Plain, fill_options
from matchbox.match import record as records
from matchbox.match.frames import MAX_INT, what_is_wrong
from matchbox.match.loading import base_of
from matchbox.match.replay import replay, steps
from matchbox.match.transcript import narrate
from sandbox.policy import Limits
from tests.builders import a_job, play_scripted
from tests.contract import playthroughs
from tests.contract.playthroughs import place_of, playthrough
from tests.fakes import RandomDice

GAMES = registry.games()
TABLES = [(name, seats) for name, game in GAMES.items() for seats in game.spec.seats]
CHOICES = [
    (name, option, value)
    for name, game in GAMES.items()
    for option, one in game.spec.options.items()
    for value in one.choices or ((False, True) if type(one.default) is bool else ())
]
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(1 - MAX_INT, MAX_INT - 1) | st.text(max_size=8),
    lambda part: (
        st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=4), part, max_size=3)
    ),
    max_leaves=6,
)

every_game = pytest.mark.parametrize("name", GAMES)
every_game_with_secrets = pytest.mark.parametrize(
    "name", [name for name, game in GAMES.items() if game.spec.hidden]
)
every_table = pytest.mark.parametrize("name, seats", TABLES)
every_choice = pytest.mark.parametrize("name, option, value", CHOICES)


class Walk:
    """A game in which all moves are random."""

    def __init__(
        self, game: Game, seats: int, seed: str, options: dict[str, Any] | None = None
    ) -> None:
        self.game, self.seats = game, seats
        self.deal = bytes.fromhex(derive_deals(seed, 1)[0])
        self.lot = random.Random(seed)
        self.step = 0
        self.state: Any = game.start(seats, self.dice(), fill_options(game.spec, options or {}))

    def dice(self) -> SeededDice:
        self.step += 1
        return SeededDice(self.deal, self.step - 1)

    def copy(self) -> Walk:
        """Returns a walk that goes on from here by itself, with the same moves."""
        other = copy.copy(self)
        other.state, other.lot = copy.deepcopy(self.state), copy.deepcopy(self.lot)
        return other

    def positions(self) -> Iterator[list[int]]:
        """Yields the seats to move before each move until the end. A step of chance is no
        position."""
        while movers := list(self.game.to_move(self.state)):
            if movers[0] == CHANCE:
                assert movers == [CHANCE]
                self.state = self.game.apply(self.state, CHANCE, None, self.dice())
                continue
            yield movers
            for seat in movers:
                if seat in self.game.to_move(self.state):
                    move = self.lot.choice(self.game.legal(self.state, seat))
                    self.state = self.game.apply(self.state, seat, move, self.dice())


def walks(name: str, seats: int, count: int = 12) -> Iterator[Walk]:
    """Some random games."""
    for seed in range(count):
        yield Walk(GAMES[name], seats, f"{name} {seats} {seed}")


def everything_seen(walk: Walk) -> bytes:
    """All views and all legal moves: everything of a state that the contract shows."""
    game, state = walk.game, walk.state
    movers = list(game.to_move(state))
    seen = [game.view(state, seat) for seat in (*range(walk.seats), None)]
    return msgspec.json.encode([movers, seen, [game.legal(state, seat) for seat in movers]])


# --- Facts about a game ----------------------------------------------------------------------


@every_game
def test_it_says_what_it_is(name: str) -> None:
    spec = GAMES[name].spec
    assert spec.name == name
    assert spec.title
    assert spec.rules
    assert list(spec.seats) == sorted(set(spec.seats))
    assert spec.seats[0] >= 1
    for option in spec.options.values():
        assert option.help
        assert not option.choices or option.default in option.choices


@every_game
def test_it_has_all_its_parts(name: str) -> None:
    package = registry.package_of(name)
    for part in ("rules", "player", "terminal", "draw"):
        assert find_spec(f"{package}.{part}") is not None, f"{package} has no {part}.py"
    folder = Path(import_module(package).__path__[0])
    assert (folder / "README.md").read_text().strip()


@every_game
def test_a_player_has_a_class_to_subclass_and_a_driver(name: str) -> None:
    player = import_module(f"{registry.package_of(name)}.player")
    assert isinstance(base_of(player), type)
    assert callable(player.answer)
    for alias, module in getattr(player, "ALIASES", {}).items():
        assert isinstance(alias, str)
        assert import_module(module)


@every_game
def test_its_golden_game_is_up_to_date(name: str) -> None:
    wanted = playthrough(GAMES[name])
    assert place_of(name).read_text(encoding="utf-8") == wanted, "run `make playthroughs`"


def test_a_game_that_fails_keeps_its_golden_game_and_the_others_are_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = GAMES["war"]
    games = {"broken": SimpleNamespace(spec=good.spec), "war": good}
    monkeypatch.setattr(registry, "games", lambda: games)
    monkeypatch.setattr(playthroughs, "place_of", lambda name: tmp_path / name)
    with pytest.raises(SystemExit, match=r"keep their playthroughs: broken$"):
        playthroughs.main()
    assert "AttributeError" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["war"]


# --- Rules -----------------------------------------------------------------------------------


@every_table
def test_it_ends_with_an_outcome_within_its_steps(name: str, seats: int) -> None:
    for walk in walks(name, seats):
        for _ in walk.positions():
            assert walk.step <= walk.game.spec.max_steps
        outcome = walk.game.outcome(walk.state)
        assert outcome is not None
        assert len(outcome.places) == len(outcome.scores) == seats
        assert min(outcome.places) == 1
        assert max(outcome.places) <= seats
        assert outcome.why
        assert not walk.game.spec.cooperative or min(outcome.scores) >= 0


@every_table
def test_somebody_is_to_move_exactly_until_it_is_over(name: str, seats: int) -> None:
    for walk in walks(name, seats):
        for movers in walk.positions():
            assert movers == sorted(set(movers))
            assert set(movers) <= set(range(seats))
            assert walk.game.outcome(walk.state) is None
        assert not list(walk.game.to_move(walk.state))


@every_table
def test_whoever_is_to_move_has_a_legal_move_and_none_twice(name: str, seats: int) -> None:
    for walk in walks(name, seats):
        for movers in walk.positions():
            for seat in movers:
                legal = [msgspec.json.encode(move) for move in walk.game.legal(walk.state, seat)]
                assert legal
                assert len(set(legal)) == len(legal)


@every_table
def test_every_legal_move_is_taken(name: str, seats: int) -> None:
    for walk in walks(name, seats, 3):
        for movers in walk.positions():
            for move in walk.game.legal(walk.state, movers[0]):
                own = getattr(walk.game, "refusal", None)
                assert own is None or own(walk.state, movers[0], move) == ""
                tried = copy.deepcopy(walk.state)
                walk.game.apply(tried, movers[0], move, RandomDice(1))


@every_game
@given(move=PLAIN, seed=st.integers(0, 5), at=st.integers(0, 60))
def test_an_illegal_move_is_refused_and_changes_nothing(
    name: str, move: Plain, seed: int, at: int
) -> None:
    game = GAMES[name]
    walk = Walk(game, game.spec.seats[seed % len(game.spec.seats)], f"illegal {seed}")
    length = sum(1 for _ in Walk(game, walk.seats, f"illegal {seed}").positions())
    for number, movers in enumerate(walk.positions()):
        if number == at % length:
            legal = map(msgspec.json.encode, game.legal(walk.state, movers[0]))
            if msgspec.json.encode(move) in set(legal):
                return
            untried, before = walk.copy(), everything_seen(walk)
            if own := getattr(game, "refusal", None):
                assert own(walk.state, movers[0], move)
            with pytest.raises(IllegalMove) as refusal:
                game.apply(walk.state, movers[0], move, RandomDice(seed))
            assert str(refusal.value)
            assert everything_seen(walk) == before
            # What is hidden has not changed either: the same moves lead to the same end.
            tried = walk.copy()
            assert list(tried.positions()) == list(untried.positions())
            assert everything_seen(tried) == everything_seen(untried)
            return


@every_table
def test_the_same_deal_and_moves_make_the_same_game(name: str, seats: int) -> None:
    for first, second in zip(walks(name, seats, 4), walks(name, seats, 4), strict=True):
        seen = [everything_seen(first) for _ in first.positions()]
        assert seen == [everything_seen(second) for _ in second.positions()]


@every_choice
def test_every_choice_of_an_option_makes_a_game(name: str, option: str, value: Any) -> None:
    for seats in GAMES[name].spec.seats:
        walk, again = (Walk(GAMES[name], seats, option, {option: value}) for _ in range(2))
        for number, (movers, _) in enumerate(zip(walk.positions(), again.positions(), strict=True)):
            seen = everything_seen(walk)
            assert seen == everything_seen(again)
            assert all(walk.game.legal(walk.state, seat) for seat in movers)
            for seat in (*range(seats), None):
                assert what_is_wrong(walk.game.view(walk.state, seat)) == ""
                other = walk.game.resample(walk.state, seat, RandomDice(number))
                assert walk.game.view(other, seat) == walk.game.view(walk.state, seat)
        assert walk.game.outcome(walk.state) == again.game.outcome(again.state)
        assert walk.game.outcome(walk.state) is not None


@every_game
def test_play_goes_on_without_an_offender(name: str) -> None:
    game = GAMES[name]
    for seats in [size for size in game.spec.seats if size > 2 and not game.spec.cooperative]:
        for walk in walks(name, seats):
            for number, movers in enumerate(walk.positions()):
                if number == 3:
                    gone = movers[0]
                    walk.state = game.without(walk.state, gone, walk.dice())
                assert number < 3 or gone not in game.to_move(walk.state)
            outcome = game.outcome(walk.state)
            assert outcome is not None
            assert len(outcome.places) == seats


# --- Views -----------------------------------------------------------------------------------


@every_table
def test_views_and_moves_are_plain_data(name: str, seats: int) -> None:
    for walk in walks(name, seats):
        for movers in walk.positions():
            for seat in (*range(seats), None):
                assert what_is_wrong(walk.game.view(walk.state, seat)) == ""
            for seat in movers:
                for move in walk.game.legal(walk.state, seat):
                    assert what_is_wrong(move) == ""
                    assert len(msgspec.json.encode(move)) <= Limits().answer_bytes


@every_table
def test_a_view_is_fresh_and_changing_it_changes_nothing(name: str, seats: int) -> None:
    for walk in walks(name, seats, 4):
        for _ in walk.positions():
            before = everything_seen(walk)
            for seat in (*range(seats), None):
                _spoil(walk.game.view(walk.state, seat))
            assert everything_seen(walk) == before


def _spoil(view: Any) -> None:
    """Changes everything in plain data that can be changed."""
    parts = view.values() if isinstance(view, dict) else view
    if isinstance(view, dict | list):
        for part in list(parts):
            _spoil(part)
        view.clear()


@every_table
def test_what_a_seat_cannot_tell_apart_never_shows_in_its_view(name: str, seats: int) -> None:
    for walk in walks(name, seats, 6):
        game = walk.game
        for number, movers in enumerate(walk.positions()):
            for seat in (*range(seats), None):
                other = game.resample(walk.state, seat, RandomDice(number))
                assert game.view(other, seat) == game.view(walk.state, seat)
                assert list(game.to_move(other)) == movers
                if seat in movers:
                    assert game.legal(other, seat) == game.legal(walk.state, seat)


@every_table
def test_a_brief_is_the_view_in_fewer_bytes_and_nothing_else(name: str, seats: int) -> None:
    brief: Any = getattr(GAMES[name], "brief", None)
    player = import_module(f"{registry.package_of(name)}.player")
    assert (
        (brief is None)
        == (not hasattr(player, "brief_of"))
        == (not hasattr(player, "answer_brief"))
    )
    for walk in walks(name, seats):
        for movers in walk.positions():
            for seat in movers if brief else ():
                view = walk.game.view(walk.state, seat)
                assert brief(walk.state, seat) == player.brief_of(view)


@every_game_with_secrets
def test_what_is_hidden_differs_between_states_that_look_alike(name: str) -> None:
    seats = min(size for size in GAMES[name].spec.seats if size > 1)
    for walk in walks(name, seats, 1):
        for number, movers in enumerate(walk.positions()):
            if number == 2:
                _move_ahead(walk, movers)
                why = "either the views show it, or `resample` does not deal it again"
                assert _may_hold(walk, None) > seats, why
                assert any(_may_hold(walk, seat) > seats - 1 for seat in range(seats)), why


def _may_hold(walk: Walk, seat: int | None) -> int:
    """How many different views the rivals have in states that look the same to this seat."""
    rivals = set(range(walk.seats)) - {seat}
    others = [walk.game.resample(walk.state, seat, RandomDice(number)) for number in range(20)]
    hidden = [walk.game.view(one, rival) for one in others for rival in rivals]
    return len({msgspec.json.encode(view) for view in hidden})


def _move_ahead(walk: Walk, movers: list[int]) -> None:
    """Makes the move of the first of several simultaneous movers. The others do not know it yet."""
    if len(movers) > 1:
        move = walk.lot.choice(walk.game.legal(walk.state, movers[0]))
        walk.state = walk.game.apply(walk.state, movers[0], move, walk.dice())


@every_table
def test_what_is_done_at_once_shows_only_when_all_have_done_it(name: str, seats: int) -> None:
    for walk in walks(name, seats, 4):
        for movers in walk.positions():
            _done_at_once(walk, movers)


@every_choice
def test_what_is_done_at_once_under_an_option_shows_only_then(
    name: str, option: str, value: Any
) -> None:
    for seats in GAMES[name].spec.seats:
        walk = Walk(GAMES[name], seats, f"at once {option}", {option: value})
        several = (movers for movers in walk.positions() if len(movers) > 1)
        for movers in itertools.islice(several, 3):
            _done_at_once(walk, movers)


def _done_at_once(walk: Walk, movers: list[int]) -> None:
    """Checks that no mover sees which move another mover has made."""
    game = walk.game
    for first, second in itertools.permutations(movers, 2):
        seen = set()
        for move in game.legal(walk.state, first):
            state = game.apply(copy.deepcopy(walk.state), first, move, RandomDice(1))
            view = [game.view(state, second), game.legal(state, second)]
            seen.add(msgspec.json.encode([view, list(game.to_move(state))]))
        assert len(seen) == 1


@every_table
def test_a_table_can_be_drawn_at_every_position(name: str, seats: int) -> None:
    draw = import_module(f"{registry.package_of(name)}.draw").draw
    for walk in walks(name, seats, 2):
        for movers in walk.positions():
            _move_ahead(walk, movers)
            for seat in (*range(seats), None):
                picture = draw(walk.game.view(walk.state, seat))
                assert picture.startswith("<svg")
                assert "<title>" in picture
                assert "<script" not in picture
        assert draw(walk.game.view(walk.state, None)).startswith("<svg")


@every_table
def test_the_open_drawing_shows_what_the_drawings_of_the_seats_show(name: str, seats: int) -> None:
    draw = import_module(f"{registry.package_of(name)}.draw").draw
    hidden = set()
    for number, walk in enumerate(walks(name, seats, 2)):
        for movers in walk.positions():
            _move_ahead(walk, movers)
            table: Any = walk.game.view(walk.state, None)
            assert "seats" not in table, 'only an open view may have the key "seats"'
            views = _views(walk, walk.state)
            picture = draw({**table, "seats": views})
            assert picture.startswith("<svg")
            others = _views(walk, walk.game.resample(walk.state, None, RandomDice(number)))
            for seat in (seat for seat in range(seats) if others[seat] != views[seat]):
                hidden.add(seat)
                mixed = [*views[:seat], others[seat], *views[seat + 1 :]]
                if draw(others[seat]) != draw(views[seat]):
                    assert draw({**table, "seats": mixed}) != picture, (
                        f"the open drawing does not show what seat {seat} sees in its own: it is "
                        f'the same with {views[seat]} and {others[seat]} in "seats"'
                    )
    assert GAMES[name].spec.hidden or not hidden, "the Spec does not say in `hidden` what is hidden"


def _views(walk: Walk, state: Any) -> list[Any]:
    """What each seat sees of this state."""
    return [walk.game.view(state, seat) for seat in range(walk.seats)]


@every_game
def test_each_event_that_a_drawing_names_happens(name: str) -> None:
    events = getattr(import_module(f"{registry.package_of(name)}.draw"), "EVENTS", ())
    told: set[str] = set()
    game, seats = GAMES[name], GAMES[name].spec.seats[0]
    options = [{option: value} for one, option, value in CHOICES if one == name] or [{}]
    for seed, chosen in zip(range(60), itertools.cycle(options), strict=False):
        walk = Walk(game, seats, f"{name} {seed}", chosen)
        while movers := game.to_move(walk.state):
            legal = [None] if movers[0] == CHANCE else game.legal(walk.state, movers[0])
            move = walk.lot.choice(legal)
            walk.state = game.apply(walk.state, movers[0], move, walk.dice())
            line = game.describe(move, game.view(walk.state, None))
            told |= {phrase for phrase in events if phrase in line}
        if len(told) == len(events):
            break
    assert told == set(events)


# --- Records ---------------------------------------------------------------------------------


def _played(
    name: str, seats: int, width: int = 1, options: dict[str, Any] | None = None
) -> records.Record:
    """A match of players that make the first, a middle or the last legal move, depending on their
    view."""
    game = GAMES[name]
    filled = fill_options(game.spec, options or {})
    job = a_job(game, seats=seats, deals=3, width=width, options=filled)
    deciders = {entrant: _by_hash(game, entrant) for entrant in range(seats)}
    return play_scripted(_Legal(game), job, deciders)[0].record


class _Legal:
    """A game whose views also hold the legal moves, so that any player can play it."""

    def __init__(self, game: Game) -> None:
        self._game = game

    brief = batch = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def view(self, state: Any, seat: int | None) -> Plain:
        legal: list[Plain] = []
        if seat is not None and seat in self._game.to_move(state):
            legal = self._game.legal(state, seat)
        return {"view": self._game.view(state, seat), "legal": legal}


def _by_hash(game: Game, entrant: int) -> Any:
    def decide(view: Any) -> Plain:
        drawn = SeededDice(msgspec.json.encode([entrant, view["view"]])[:64], 0)
        chosen: Plain = drawn.choice(view["legal"])
        return chosen

    return decide


@every_table
def test_the_same_seeds_give_the_same_match_whatever_the_width(name: str, seats: int) -> None:
    digests = {records.digest(_played(name, seats)) for _ in range(2)}
    wide = msgspec.structs.replace(_played(name, seats, width=64), width=1)
    assert digests == {records.digest(wide)}


@every_table
def test_a_replay_reaches_the_recorded_outcome(name: str, seats: int) -> None:
    _replays(GAMES[name], _played(name, seats))


@every_choice
def test_every_choice_of_an_option_is_recorded_and_replays(
    name: str, option: str, value: Any
) -> None:
    record = _played(name, GAMES[name].spec.seats[0], 2, {option: value})
    assert record.options[option] == value
    _replays(GAMES[name], record)


def _replays(game: Game, played: records.Record) -> None:
    record = records.unpack(records.pack(played))
    replay(game, record)
    for bout in record.bouts:
        made = list(steps(game, record, bout))
        assert [step.move for step in made if step.seat not in (None, CHANCE)] == bout.moves
        assert made[-1].seat is None


@every_table
def test_every_move_of_a_transcript_has_its_lines(name: str, seats: int) -> None:
    record = _played(name, seats)
    for bout in record.bouts:
        lines = list(narrate(GAMES[name], record, bout, [f"bot {n}" for n in range(seats)]))
        assert all(line.strip() for line in lines)
        assert len([line for line in lines if line.startswith("  - ")]) >= len(bout.moves)
