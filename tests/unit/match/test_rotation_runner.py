"""The table: a bot whose program shares bouts loses none of them for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from matchbox import registry
from matchbox.errors import FaultKind, SeatFault
from matchbox.game import fill_options
from matchbox.match.frames import Answer, Question, read_answers
from matchbox.match.record import Bout
from matchbox.match.referee import Played, play
from matchbox.match.replay import compare
from matchbox.match.rotation_runner import Player
from matchbox.match.wire import ALONE, PlayMatch
from tests.builders import a_job, local_seats, play_scripted, shipped, without_batches
from tests.contract.test_every_batch import as_sent, chosen_move, some_moves
from tests.fakes import Auction, Decide, Race, ScriptedPlayer

WIDTHS = (ALONE, 1, 3, 16, 64)
DEALS = 20
GAMES = [Race(), Auction()]


class Holder(ScriptedPlayer):
    """A player that holds memory for each bout, and breaks if it needs more than its room.

    `needs` gives the need of a bout. A player that `litters` also holds bouts that are over.
    """

    def __init__(
        self, decide: Decide, room: int, needs: Callable[[int], int], litters: bool
    ) -> None:
        super().__init__(decide)
        self._room = room
        self._needs = needs
        self._litters = litters
        self._held: set[int] = set()

    def answer(self, questions: Sequence[Question]) -> list[Answer]:
        """Returns one answer for each question, if there is room."""
        self._held |= {bout for bout, *_ in questions}
        answers = super().answer(questions)
        if sum(map(self._needs, self._held)) > self._room:
            raise SeatFault("memory", "full")
        return answers

    def end(self, bout: int) -> None:
        """Forgets a bout that is over, unless the player litters."""
        super().end(bout)
        if not self._litters:
            self._held.discard(bout)

    def renew(self) -> None:
        """Starts a fresh program, which holds nothing."""
        super().renew()
        self._held = set()


class Shy(ScriptedPlayer):
    """A player that reports a lack of memory as soon as it hears of a second bout."""

    def __init__(self, decide: Decide) -> None:
        super().__init__(decide)
        self._known: set[int] = set()

    def answer(self, questions: Sequence[Question]) -> list[Answer]:
        """Returns one answer for each question, if it has heard of one bout alone."""
        self._known |= {bout for bout, *_ in questions}
        answers = super().answer(questions)
        if len(self._known) > 1:
            raise SeatFault("memory", "full, it says")
        return answers

    def renew(self) -> None:
        """Starts a fresh program, which has heard of no bout."""
        super().renew()
        self._known = set()


def decide(view: Any) -> Answer:
    """Returns a move that depends on the view alone."""
    return 1 + len(str(view)) % 3


def little(bout: int) -> int:
    """Returns the need of most bouts."""
    return 1


def match(
    game: Any,
    width: int,
    room: int,
    needs: Callable[[int], int] = little,
    *,
    seats: int = 2,
    litters: bool = False,
    decide: Decide = decide,
    **given: Any,
) -> tuple[Played, dict[tuple[int, int], ScriptedPlayer]]:
    """Plays a match whose last entrant has this much room; returns it with the players by (entrant,
    rotation)."""
    opened: dict[tuple[int, int], ScriptedPlayer] = {}

    def open_player(entrant: int, rotation: int) -> ScriptedPlayer:
        holds = entrant == seats - 1
        player = Holder(decide, room, needs, litters) if holds else ScriptedPlayer(decide)
        return opened.setdefault((entrant, rotation), player)

    job: PlayMatch = a_job(game, seats=seats, deals=DEALS, width=width, **given)
    return play(game, job, open_player), opened


def at_fault(bouts: Sequence[Bout]) -> list[tuple[int, int, FaultKind]]:
    """Returns the faults, each by deal, rotation and kind."""
    return [(bout.deal, bout.rotation, fault.kind) for bout in bouts for fault in bout.faults]


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("game", GAMES, ids=["in turn", "simultaneous"])
@pytest.mark.parametrize("width", WIDTHS)
def test_who_fits_alone_is_at_fault_in_no_bout_at_any_width(
    game: Any, seats: int, width: int
) -> None:
    calm, _ = match(game, 1, 10**6, seats=seats)
    for room, litters in ((1, False), (2, False), (10, False), (3, True)):
        tight, _ = match(game, width, room, seats=seats, litters=litters)
        assert tight.record.bouts == calm.record.bouts
        assert tight.notes == []


@pytest.mark.parametrize("game", GAMES, ids=["in turn", "simultaneous"])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_bout_that_does_not_fit_alone_is_lost_and_no_other_one(game: Any, width: int) -> None:
    def needs(bout: int) -> int:
        return 6 if bout in (4, 11) else 1

    alone, _ = match(game, 1, 5, needs)
    lost = [order for *order, kind in at_fault(alone.record.bouts) if kind == "memory"]
    assert lost == [[4, 0], [4, 1], [11, 0]], "and then it is excluded"
    for litters in (False, True):
        tight, _ = match(game, width, 5, needs, litters=litters)
        assert tight.record.bouts == alone.record.bouts


def test_once_a_program_has_lacked_memory_its_rotation_goes_on_one_bout_at_a_time() -> None:
    played, opened = match(Race(), 8, 6)
    assert not played.notes
    for (entrant, rotation), player in opened.items():
        sizes = [len(frame) for frame in player.asked]
        wide = [size for size in sizes if size > 1]
        assert wide == sizes[: len(wide)], "narrow it stays"
        assert len(wide) <= 1, (entrant, rotation)


def test_a_fresh_program_is_told_what_the_bout_was_told_before_and_its_replies_stand() -> None:
    fickle: list[int] = []

    def move(view: Any) -> Answer:
        fickle.append(1)
        return 1 + len(fickle) % 3

    played, opened = match(Race(), 8, 6, decide=move)
    assert not played.notes
    for player in opened.values():
        told: dict[tuple[int, int], Any] = {}
        seeds: list[int] = []
        for frame in player.asked:
            for bout, view, seed in frame:
                at = bout, view["sum"]
                seeds += [bout] * (at not in told and seed is not None)
                assert told.setdefault(at, (view, seed)) == (view, seed)
        assert sorted(seeds) == list(range(DEALS))


def test_the_programs_of_the_other_seats_go_on_and_are_asked_nothing_twice() -> None:
    _, opened = match(Race(), 8, 6, seats=3)
    for (entrant, _), player in opened.items():
        asked = [(bout, view["sum"]) for frame in player.asked for bout, view, _ in frame]
        if entrant < 2:
            assert player.renewed == 0
            assert len(set(asked)) == len(asked)
    assert opened[2, 0].renewed


def test_where_all_move_at_once_the_replies_of_the_others_stand() -> None:
    asked: list[Any] = []

    def bid(view: Any) -> Answer:
        asked.append((view["seat"], str(view["bids"])))
        return 1 + len(asked) % 9

    _, opened = match(Auction(), 8, 6, seats=3, decide=bid)
    for entrant, rotation in opened:
        if entrant < 2:
            questions = [
                (bout, str(view))
                for frame in opened[entrant, rotation].asked
                for bout, view, _ in frame
            ]
            assert len(set(questions)) == len(questions)


def test_who_lacks_memory_whenever_it_can_without_a_fault_costs_a_fresh_program_a_bout() -> None:
    opened: list[Shy] = []

    def open_player(entrant: int, rotation: int) -> Shy:
        opened.append(Shy(decide))
        return opened[-1]

    for game, seats in ((Race(), 2), (Auction(), 3)):
        opened.clear()
        played = play(game, a_job(game, seats=seats, deals=DEALS, width=8), open_player)
        assert not played.notes
        assert all(0 < player.renewed <= DEALS for player in opened)


def test_who_lacks_memory_in_a_wide_frame_once_has_gained_nothing_and_lost_nothing() -> None:
    broken: list[int] = []

    def breaks(question: Question) -> SeatFault | None:
        if broken:
            return None
        broken.append(1)
        return SeatFault("memory", "so it says")

    job = a_job(Race(), deals=DEALS, width=8)
    calm, _ = play_scripted(Race(), job, {0: decide, 1: decide})
    played, opened = play_scripted(Race(), job, {0: decide, 1: decide}, {1: breaks})
    assert played.record.bouts == calm.record.bouts
    assert opened[1, 0][0].renewed == 1


@pytest.mark.parametrize("kind", ["timeout", "crash", "protocol"])
def test_who_hangs_again_and_again_does_so_in_one_wide_frame_of_a_rotation(kind: FaultKind) -> None:
    def breaks(question: Question) -> SeatFault | None:
        return SeatFault(kind, "late") if question[0] % 2 else None

    job = a_job(Race(), deals=DEALS, width=8)
    alone, _ = play_scripted(
        Race(), a_job(Race(), deals=DEALS), {0: decide, 1: decide}, {1: breaks}
    )
    played, opened = play_scripted(Race(), job, {0: decide, 1: decide}, {1: breaks})
    assert played.record.bouts == alone.record.bouts
    broken = [
        frame
        for players in opened.values()
        for frame in players[0].asked
        if any(map(breaks, frame)) and players in (opened[1, 0], opened[1, 1])
    ]
    assert sum(len(frame) > 1 for frame in broken) == 2
    assert len(broken) <= 2 + 6, "three in either rotation, before it is known who is excluded"


def test_the_first_in_doubt_is_asked_where_another_has_broken_the_program_again() -> None:
    broken: list[int] = []

    def breaks(question: Question) -> SeatFault | None:
        bout = question[0]
        if bout == 3 or (bout == 0 and not broken):
            broken.append(bout)
            return SeatFault("crash", "gone")
        return None

    job = a_job(Race(), deals=4, width=4)
    played, _ = play_scripted(Race(), job, {0: decide, 1: decide}, {1: breaks}, rotations=[0])
    assert at_fault(played.record.bouts) == [(3, 0, "crash")]


def breaks_in_the_last_first(question: Question) -> SeatFault | None:
    """Breaks the program in bout 7, for which bout 0 is suspected too; then in bouts 1, 2 and 3."""
    bout, view, _ = question
    if bout == 7 or (bout in (1, 2, 3) and view["sum"] > 1):
        fault = SeatFault("crash", "gone")
        fault.bouts = [0, 7] if bout == 7 else []
        return fault
    return None


def test_the_first_in_doubt_is_asked_where_another_one_was_not() -> None:
    race, breaks = Race(), {1: breaks_in_the_last_first}
    both = {0: decide, 1: decide}
    alone, _ = play_scripted(race, a_job(race, deals=8), both, breaks)
    played, _ = play_scripted(race, a_job(race, deals=8, width=8), both, breaks)
    assert played.record.bouts == alone.record.bouts
    assert at_fault(played.record.bouts)[:3] == [(1, 0, "crash"), (1, 1, "crash"), (2, 0, "crash")]


def test_a_record_of_a_release_that_blamed_the_first_in_doubt_is_the_same() -> None:
    race = Race()

    def open_player(entrant: int, rotation: int) -> ScriptedPlayer:
        return ScriptedPlayer(decide, breaks_in_the_last_first if entrant else lambda _: None)

    job = a_job(race, deals=8, width=8)
    now, earlier = (play(race, job, open_player, earlier=one).record for one in (False, True))
    assert at_fault(earlier.bouts)[0] == (0, 0, "crash")
    assert now != earlier
    assert compare(race, now, open_player).verdict == "same"
    assert compare(race, earlier, open_player).verdict == "same"
    first = replace(earlier.bouts[0], faults=now.bouts[1].faults)
    forged = replace(earlier, bouts=[first, *earlier.bouts[1:]])
    assert compare(race, forged, open_player).verdict == "different"


@pytest.mark.parametrize("name", ["bomb", "creatures", "thegame"])
@pytest.mark.parametrize("room", [1, 5])
def test_bouts_of_a_batch_are_given_back_and_go_on(name: str, room: int) -> None:
    game: Any = registry.game(name)
    options = fill_options(game.spec, {})
    moves = some_moves(game, 2, options)

    def move(told: Any) -> Answer:
        return chosen_move(moves, as_sent(told))

    with without_batches():
        calm, _ = match(game, 1, 10**6, decide=move, options=options)
    for width in (1, 7, 64):
        tight, _ = match(game, width, room, decide=move, options=options)
        assert tight.record.bouts == calm.record.bouts
        assert [note.kind for note in tight.notes] == [note.kind for note in calm.notes]


def test_a_batch_gives_its_bouts_back_also_where_one_beside_it_breaks_the_program() -> None:
    game: Any = registry.game("skull")
    job = a_job(game, seats=3, deals=9, width=9, options=fill_options(game.spec, {}))
    seats = local_seats("skull", [shipped("skull", "random")] * 3)
    broken: list[int] = []

    class Odd:
        """Entrant 0 leaves every third bout; a frame of those makes entrant 1 lack memory once."""

        def __init__(self, entrant: int, player: Player) -> None:
            self.entrant, self.player = entrant, player
            self.end, self.renew, self.close = player.end, player.renew, player.close

        def answer(self, questions: Sequence[Question]) -> list[Answer]:
            """Returns one answer for each question."""
            left = [bout % 3 == 2 for bout, *_ in questions]
            answers = self.player.answer(questions)
            if self.entrant == 1 and all(left) and not broken:
                broken.append(len(left))
                raise SeatFault("memory", "once")
            leaves = [self.entrant == 0 and one for one in left]
            return ["nonsense" if one else move for one, move in zip(leaves, answers, strict=True)]

    def open_player(entrant: int, rotation: int) -> Odd:
        return Odd(entrant, seats(entrant, rotation))

    with without_batches():
        alone = play(game, job, open_player, rotations=[0])
    assert [order for *order, kind in at_fault(alone.record.bouts)] == [[2, 0], [5, 0], [8, 0]]
    broken.clear()
    assert play(game, job, open_player, rotations=[0]).record.bouts == alone.record.bouts
    assert broken


def test_lack_of_memory_in_one_bout_is_the_whole_programs_in_a_frame() -> None:
    said = b'["say",7,[null,3],[[0,"memory","MemoryError"]]]'
    with pytest.raises(SeatFault, match="memory: MemoryError"):
        read_answers(said, 7, 2)
