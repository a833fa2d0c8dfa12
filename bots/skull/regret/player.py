"""Regret plays two-player Skull by a table that two learners worked out against each other.

The table holds mixed strategies: the probabilities of placing each card, of bidding and of passing,
by the events of the round that everybody saw and by the cards on the own pile. Regret does not
guess the other player's habits. Whoever knew the table would win 1.7% more than an equal share of
the first round of a game, and 4.0% in the kind of round that the table plays worst. `make learn`
makes the table. In the bidding Regret passes where the table has no entry. Bluffer makes all other
decisions that the table lacks, and those at tables of three and more.
"""

import pkgutil
import random

from bluffer import Bluffer  # the bot of that name, packed beside this file

from matchbox.games.skull import Card, Move

HAS, MAY, NONE = "h", "m", "n"


def read_table(text):
    """Reads the strategies by round and decision, and the rounds in which a skull is worth
    keeping."""
    table, keep, stage = {}, set(), ""
    for line in text.splitlines()[1:]:
        if line[0] == "=":
            _, starter, other, *skull = line.split()
            stage = f"{starter} {other}"
            if skull:
                keep.add(stage)
        else:
            history, held, strategy = line.split(" ", 2)
            table[stage, history, held] = strategy
    return table, keep


TABLE, KEEP = read_table((pkgutil.get_data(__name__, "table.txt") or b"").decode())


class Regret(Bluffer):
    """Looks its strategy up, and draws a move from it."""

    def select_move(self, game_state):
        legal = game_state.legal_moves()
        if len(game_state.points) == 2 and len(legal) > 1:
            move = self.learned(game_state)
            if move in legal:
                return move
        return super().select_move(game_state)

    def lose_card(self, game_state):
        """The card to lose, by the table; at tables of three and more, as Bluffer chooses."""
        if len(game_state.points) != 2:
            return super().lose_card(game_state)
        me, cards = game_state.me, dict(game_state.cards)
        cards[me] -= 1
        known = known_skulls(game_state) | {me: MAY}
        stage = " ".join(side(game_state, player, cards, known) for player in order(game_state, me))
        return Card.rose if stage in KEEP else Card.skull

    def learned(self, game_state):
        """A move drawn from the table; passing, if the table lacks this decision."""
        known = known_skulls(game_state)
        starter = game_state.starter
        sides = [
            side(game_state, player, game_state.cards, known)
            for player in order(game_state, starter)
        ]
        strategy = TABLE.get((" ".join(sides), history(game_state.log), held(game_state)))
        if strategy is None:
            return Move.pass_bet()
        actions = strategy.split()
        (action,) = random.choices(actions, [int(action[1:]) for action in actions])
        return MOVES[action[0]]


MOVES = {
    "R": Move(place=Card.rose),
    "S": Move(place=Card.skull),
    "x": Move.pass_bet(),
    **{str(number): Move(bet=number) for number in range(1, 9)},
}


def order(game_state, starter):
    """Both players, the starter first."""
    return sorted(game_state.points, key=lambda player: player is not starter)


def side(game_state, player, cards, known):
    """The public knowledge about a player, in the form of the table."""
    return f"{game_state.points[player]}{cards[player]}{known[player]}"


def history(log):
    """This round so far: p for a card placed, a digit for a bid."""
    events = [event.split() for event in log]
    return "".join("p" if what == "place" else rest[0] for _, what, *rest in events) or "."


def held(game_state):
    """The place of the own skull: its place in the pile, h in the hand, - if lost."""
    pile = game_state.board.get_table().get_player(game_state.me)
    if Card.skull in pile:
        return str(pile.index(Card.skull))
    return "h" if Card.skull in game_state.board.get_hand(game_state.me) else "-"


def known_skulls(game_state):
    """By player, whether the skull is known to be owned, known to be lost, or neither."""
    known = dict.fromkeys(game_state.points, HAS)
    cards = dict.fromkeys(game_state.points, 4)
    players = {str(player.value): player for player in known}
    for events in game_state.rounds:
        shown = [event.split()[:2] for event in events]
        for seat, what in shown:
            player = players[seat]
            if what == "skull":
                known[player] = HAS
            elif what == "rose" and shown.count([seat, "rose"]) == cards[player]:
                known[player] = NONE
            elif what == "lost":
                cards[player] -= 1
                known[player] = NONE if known[player] == NONE else MAY
    return known
