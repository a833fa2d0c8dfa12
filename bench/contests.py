"""The tables that are measured for every game: bots, and the same players in the plain loop.

Knows the plain loops, the bot for each of their players, and the jobs that arenas get; measures
nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any, Final

from bench import sample_game
from bench.plain import bomb, creatures, skull, thegame, tictactoe, war
from cli.named_bots import NamedBot, shipped
from matchbox import registry
from matchbox.dice import deals_from, derive_deals
from matchbox.game import fill_options
from matchbox.match.wire import Entrant, PlayMatch
from matchbox.settings import Settings, limits_of

Loop = Callable[[int], None]
"""Plays this number of games in this process. Every seat is equally often first."""


@dataclass(frozen=True, slots=True)
class Contest:
    """One table."""

    game: str
    bots: tuple[str, ...]
    """The bot of every seat."""
    loop: Loop
    share: float = 1.0
    """The part of the requested number of games to play: less if a game is long."""
    options: Mapping[str, str] = field(default_factory=dict)
    uploads: Mapping[str, bytes] = field(default_factory=dict)
    """The files of bots that are not shipped, by name."""

    @property
    def name(self) -> str:
        """The players, as "simple v scared"."""
        first = self.bots[0]
        if len(self.bots) > 2 and set(self.bots) == {first}:
            return f"{len(self.bots)} x {first}"
        return " v ".join(self.bots)

    def games(self, usual: int) -> int:
        """The number of games to play if `usual` are requested. It lets every seat be equally often
        first."""
        seats = len(self.bots)
        return max(1, round(usual * self.share / seats)) * seats


def _in_turn(play: Callable[..., Any], *makers: Callable[[], Any]) -> Loop:
    """A loop of two players who take turns at being first."""

    def loop(games: int) -> None:
        random.seed(games)
        for number in range(games):
            one, two = makers if number % 2 == 0 else makers[::-1]
            play(one(), two())

    return loop


def _again(play: Callable[[], Any]) -> Loop:
    """Returns a loop that plays one table again and again."""

    def loop(games: int) -> None:
        random.seed(games)
        for _ in range(games):
            play()

    return loop


def _skull(seats: int) -> Loop:
    play: Callable[..., Any] = skull.play_game
    return _again(lambda: play([skull.RandomAgent() for _ in range(seats)]))


def _thegame(seats: int, strategy: Callable[..., Any]) -> Loop:
    return _again(partial(thegame.simulate_game, seats, strategy))


BOMB: Final[Mapping[str, Callable[[], Any]]] = {
    "simple": bomb.SimplePlayer,
    "scared": bomb.ScaredPlayer,
    "medium": bomb.MediumPlayer,
}
_BOMB_GAME: Final = partial(bomb.play_game, print_details=False)

STEPS: Final = 50_000
"""The number of steps that takes about a millisecond."""
THINKING: Final = f"""
from matchbox.games.bomb import MediumPlayer


class Thinker(MediumPlayer):
    def turn(self, game_data, play_a_card):
        for _ in range({STEPS}):
            pass
        return super().turn(game_data, play_a_card)


BOT = Thinker
""".encode()
"""A bot that thinks for a while, as an upload."""


class Thinker(bomb.MediumPlayer):
    """The bot that thinks, for the plain loop."""

    def turn(self, game_data: Any, play_a_card: Any) -> Any:
        """Thinks, then plays as medium does."""
        for _ in range(STEPS):
            pass
        return super().turn(game_data, play_a_card)  # type: ignore[no-untyped-call]


def duel(one: Callable[[], Any], two: Callable[[], Any]) -> Loop:
    """Bomb between two players of the plain loop, as a loop."""
    return _in_turn(_BOMB_GAME, one, two)


_DUEL: Final = partial(creatures.play_game, print_details=False)
_ARTICLE: Final = {"rules": "article"}

CONTESTS: Final = (
    *(
        Contest("bomb", pair, duel(*(BOMB[name] for name in pair)))
        for pair in combinations(BOMB, 2)
    ),
    Contest("skull", ("random",) * 2, _skull(2)),
    Contest("skull", ("random",) * 4, _skull(4), 0.25),
    Contest(
        "war", ("random", "highest"), _in_turn(war.play_game, war.RandomPlayer, war.HighestPlayer)
    ),
    Contest("thegame", ("random",) * 4, _thegame(4, thegame.random_strategy), 0.5, _ARTICLE),
    Contest("thegame", ("legal",) * 4, _thegame(4, thegame.legal_strategy), 0.125, _ARTICLE),
    Contest(
        "creatures",
        ("autopilot", "stilllearning"),
        _in_turn(
            _DUEL,
            partial(creatures.AutoPilot, "autopilot"),
            partial(creatures.StillLearning, "stilllearning"),
        ),
    ),
    Contest(
        sample_game.GAME,
        ("random",) * 2,
        _in_turn(tictactoe.play_game, tictactoe.RandomPlayer, tictactoe.RandomPlayer),
        5.0,
        uploads={"random": sample_game.RANDOM},
    ),
)
"""All tables that are measured, at least one per game. The last is `sample_game.installed`."""


def bots_of(contest: Contest) -> list[NamedBot]:
    """The bot of every seat."""
    known = {bot.name: bot for bot in shipped(contest.game)}
    known |= {name: NamedBot(name, data) for name, data in contest.uploads.items()}
    return [known[name] for name in contest.bots]


def job_of(contest: Contest, bots: Sequence[NamedBot], deals: int, width: int) -> PlayMatch:
    """The job of these deals in every rotation, with `width` bouts at a time."""
    spec = registry.game(contest.game).spec
    return PlayMatch(
        attempt=1,
        token="",
        game=contest.game,
        limits=limits_of(Settings()),
        match="bench",
        rules=spec.rules,
        options=fill_options(spec, contest.options),
        deals=deals_from(derive_deals("bench", 1)[0], deals),
        seats=[Entrant(bot.version) for bot in bots],
        width=width,
    )
