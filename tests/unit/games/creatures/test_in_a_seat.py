"""Creature players as files in seats: the document's, the shipped ones, and every fault."""

from __future__ import annotations

import pytest

from matchbox.games.creatures.draw import draw
from matchbox.games.creatures.rules import GAME
from matchbox.match import record as records
from matchbox.match.referee import Played, play
from matchbox.match.replay import replay
from matchbox.match.seat import Seat
from tests.builders import CHECKOUT, a_job, local_seats, shipped
from tests.fakes import LeastDice
from tests.unit.games.creatures.test_rules import a_side, a_state, view

BOTS = ("autopilot", "stilllearning", "racer", "random")

FILE = """
from player import Player

class Mine(Player):
    def turn_prompt(self):
        {turn}

    def will_block(self, attacker):
        {block}
"""
ATTACKING = """self.board.play_land()
        self.board.tap_all()
        self.board.summon('Bear')
        return self.attack('Bear')"""
BUILDING = """self.board.play_land()
        self.board.tap_all()
        self.board.summon('Bear')
        self.board.summon('Knight')
        return False"""
FAULTS = {
    "an exception in a turn": ("raise KeyError('boom')", "pass", "crash", "KeyError: 'boom'"),
    "an exception when attacked": (BUILDING, "raise OSError('no')", "crash", "OSError: no"),
    "a turn without end": ("return True", "pass", "illegal", "more than 1000 actions"),
    "a turn of wishes": (
        "\n        while True: self.board.summon('Goblin')", "pass", "illegal", "more than 1000",
    ),
    "a turn of wishes, caught": (
        "\n        while True:\n            try: self.attack('Goblin')"
        "\n            except BaseException: pass",
        "pass", "illegal", "more than 1000 actions",
    ),
    "leaving the interpreter": ("raise SystemExit(0)", "pass", "crash", "SystemExit: 0"),
    "running out of memory": ("raise MemoryError()", "pass", "memory", "MemoryError"),
    "a move of its own making": (
        "self._driver._ask(['summon', 'Dragon'])", "pass", "illegal", "you hold no creature",
    ),
    "a move that is none": (
        "self._driver._ask({'life': 99})", "pass", "illegal", "not a move here",
    ),
    "no method turn_prompt": ("return super().turn_prompt()", "pass", "crash", "turn_prompt()"),
}  # fmt: skip


def played(*sources: bytes | str, deals: int = 6, width: int = 8) -> Played:
    """A match of these files in this process."""
    job = a_job(GAME, deals=deals, width=width)
    return play(GAME, job, local_seats("creatures", sources))


def document(bot: str) -> bytes:
    """The file of one of the document's players."""
    return (CHECKOUT / "tests/documents/creatures" / f"{bot}.py").read_bytes()


def share(match: Played) -> float:
    """How many of the bouts the first entrant has won, 0 to 1."""
    bouts = match.record.bouts
    return sum(bout.places[bout.rotation] == 1 for bout in bouts) / len(bouts)


@pytest.mark.parametrize("fault", FAULTS)
def test_whoever_is_at_fault_loses_its_bout_and_is_told_why(fault: str) -> None:
    turn, block, kind, told = FAULTS[fault]
    match = played(FILE.format(turn=turn, block=block), shipped("creatures", "autopilot"), deals=9)
    notes = [note for note in match.notes if note.kind != "excluded"]
    assert len(notes) == 3, "after three faults the other bouts are forfeited"
    for note in notes:
        assert (note.entrant, note.kind) == (0, kind)
        assert told in note.detail
        bout = match.record.bouts[2 * note.deal + note.rotation]
        assert bout.places[note.rotation] == 2
        assert bout.why == kind
    replay(GAME, match.record)


@pytest.mark.parametrize("bot", ["autopilot", "stilllearning"])
def test_the_documents_players_play_unchanged_and_without_a_fault(bot: str) -> None:
    text = document(bot)
    assert b"from player import " in text
    assert b"matchbox" not in text
    match = played(text, shipped("creatures", "autopilot"), deals=30)
    assert not match.notes
    assert 0 < share(match) < 0.6


def test_the_example_of_the_games_page_plays() -> None:
    page = (CHECKOUT / "matchbox/games/creatures/README.md").read_text()
    example = page.split("```python\n")[1].split("```")[0]
    match = played(example, shipped("creatures", "autopilot"), deals=20)
    assert not match.notes
    assert share(match) > 0.2


def test_the_documents_learner_plays_the_shipped_ones_game() -> None:
    theirs = played(document("stilllearning"), shipped("creatures", "autopilot"))
    ours = played(shipped("creatures", "stilllearning"), shipped("creatures", "autopilot"))
    assert records.digest(theirs.record) == records.digest(ours.record)


def test_full_turn_comes_from_prompts_and_asks_again_inside_a_turn() -> None:
    source = """
from player import Player
from prompts import full_turn

class Mine(Player):
    asked = 3

    def turn_prompt(self):
        self.asked -= 1
        if self.asked == 2:
            assert full_turn(self)
            self.board.play_land()
        return self.asked > 0

    def will_block(self, attacker):
        pass
"""
    match = played(source, shipped("creatures", "autopilot"), deals=2)
    assert not match.notes
    assert any("land" in bout.moves[:2] for bout in match.record.bouts)


def test_the_documents_human_loads_but_has_no_terminal_in_a_box() -> None:
    source = document("human") + b"\nimport builtins\nbuiltins.input = lambda *_: 'DONE'\n"
    assert b"input(" in document("human")
    text = source.replace(b"import builtins\nbuiltins.input", b"input")
    assert not played(text, shipped("creatures", "autopilot"), deals=2).notes


def test_the_file_of_a_bot_opens_what_it_remembers_and_that_is_empty() -> None:
    turn = """
        import json
        with open('parsed.json') as file: assert json.load(file) == {}
        with open('parsed.json', 'rb') as file: assert file.read() == b'{}'
        from parsing import parse_log
        assert parse_log() == {}
        import jsonlog
        jsonlog.initiate_game([self, self.opponent], 1)
        jsonlog.write_to_json()
        return False"""
    source = FILE.format(turn=turn, block="pass")
    assert not played(source, shipped("creatures", "autopilot"), deals=2).notes


@pytest.mark.parametrize("bot", BOTS)
def test_a_shipped_bot_says_what_it_does_and_is_found(bot: str) -> None:
    opened: list[Seat] = []
    play(
        GAME,
        a_job(GAME, deals=1),
        local_seats("creatures", [shipped("creatures", bot)] * 2, opened),
    )
    names = {"autopilot": "AutoPilot", "stilllearning": "StillLearning", "racer": "Racer"}
    names["random"] = "RandomPlayer"
    assert {seat.class_name for seat in opened} == {names[bot]}
    assert shipped("creatures", bot).startswith(b'"""')


def test_the_strong_bot_beats_the_documents() -> None:
    match = played(shipped("creatures", "racer"), shipped("creatures", "autopilot"), deals=20)
    assert not match.notes
    assert share(match) > 0.55
    assert any(move[0] == "block" for bout in match.record.bouts for move in bout.moves)


def test_the_random_bot_does_everything_a_player_can_do() -> None:
    match = played(*[shipped("creatures", "random")] * 2, deals=10)
    assert not match.notes
    kinds = {
        move if isinstance(move, str) else move[0] for b in match.record.bouts for move in b.moves
    }
    assert kinds == {"land", "tap", "summon", "attack", "block", "pass", "done"}


def test_a_match_is_the_same_whatever_the_width() -> None:
    sources = [
        FILE.format(turn=ATTACKING, block="pass"),
        FILE.format(turn=BUILDING, block="self.block(attacker, 'Bear')"),
    ]
    bouts = [played(*sources, deals=20, width=width).record.bouts for width in (1, 4, 64)]
    assert bouts[0] == bouts[1] == bouts[2]
    assert any(move[0] == "block" for bout in bouts[0] for move in bout.moves)


def test_a_block_is_seen_at_once_by_the_attacker() -> None:
    turn = BUILDING.replace("return False", "") + """for card in list(self.board.field):
            life, enemies = self.opponent.life, len(self.opponent.board.field)
            if self.attack(card):
                assert (self.opponent.life < life or len(self.opponent.board.field) < enemies
                        or card not in self.board.field)
        return False"""  # fmt: skip
    blocking = "self.block(attacker, 'Knight') or self.block(attacker, 'Bear')"
    sources = FILE.format(turn=turn, block="pass"), FILE.format(turn=BUILDING, block=blocking)
    match = played(*sources, deals=20)
    assert not match.notes
    assert sum(move[0] == "block" for bout in match.record.bouts for move in bout.moves) > 20


def test_who_moves_first_mostly_wins_as_in_the_figures() -> None:
    match = played(*[shipped("creatures", "autopilot")] * 2, deals=200, width=64)
    bouts = match.record.bouts
    assert 0.85 < sum(bout.places[0] == 1 for bout in bouts) / len(bouts) < 0.97
    turns = [GAME.turns(bout.moves) for bout in bouts]
    assert 8.8 < sum(turns) / len(turns) < 9.4
    assert min(turns) >= 9
    assert {bout.why for bout in bouts} == {"no life left"}


def test_a_picture_shows_a_seat_only_its_own_hand() -> None:
    state = a_state(a_side("Bear Bear", "Knight*", 3, tapped=1), a_side("Dragon", "Vampire"))
    assert ">Dragon<" not in draw(view(state, 0))
    assert ">Bear<" in draw(view(state, 0))
    table = draw(view(state, None))
    assert ">Bear<" not in table
    assert ">Vampire<" in table
    assert ">attacked<" in table


def test_a_picture_says_in_words_what_it_shows() -> None:
    state = GAME.start(2, LeastDice(), {})
    assert "It is your turn." in draw(view(state, 0))
    assert "You have 20 life" in draw(view(state, 0))
    assert "The other player is to move." in draw(view(state, 1))
    assert "Seat 1 has 20 life" in draw(view(state, None))


def test_a_picture_marks_the_mover_and_the_last_creature() -> None:
    state = a_state(a_side(field="Bear"), a_side(field="Bear"))
    GAME.apply(state, 0, ["attack", 1], LeastDice())
    assert "You are attacked." in draw(view(state, 1))
    for seat in (0, 1, None):
        assert draw(view(state, seat)).count('stroke="#d97706"') == 2


def test_a_copied_player_knows_its_board_and_is_in_no_duel() -> None:
    turn = """import copy
        ours = len(self.board.hand), len(self.board.deck), self.life, self.opponent.life
        mine = copy.deepcopy(self)
        assert ours == (len(mine.board.hand), len(mine.board.deck), mine.life, mine.opponent.life)
        assert not mine.board.play_land() and not mine.attack('Bear')
        assert len(copy.deepcopy(self.board).hand) == ours[0]
        """
    copying = FILE.format(turn=turn + ATTACKING, block="pass").encode()
    plain = FILE.format(turn=ATTACKING, block="pass").encode()
    assert played(copying, plain).notes == []
    assert share(played(copying, plain)) == share(played(plain, plain))
