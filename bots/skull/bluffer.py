"""Bluffer weighs each bid by what it can win and lose, and hides its skull at random moments.

From the cards and bids of its owner it estimates the probability that a pile holds a skull. It
compares a bid of its own with leaving the bidding to the others. The numbers below were found by
trial, in games of two to four against random players and against an earlier version of itself.
"""

import random

from matchbox.games.skull import Agent, Card, GamePhase, Move

SKULL_FIRST = 0.5  # how often the first card down is the skull
SKULL_LATER = 0.2  # how often a later one is
PRIOR = 0.2  # how often a stranger's pile holds a skull
WEIGHT = 4  # this many cards seen count as much as the prior
AFTER_BID = 0.7  # a pile whose owner has bid holds a skull less often, by this factor
AFTER_PASS = 1.3  # a pile whose owner has passed holds one more often
POINT = 1.2  # the worth of a point
WIN = 1.25  # the worth of the second point
CARD = 0.27  # the worth of a card
LAST_CARD = 1.5  # the worth of the last card
UNRAISED = 0.4  # how often a bid stands
TRAP = 0.22  # the worth of a raise by others over one's own skull
RAISED = -0.15  # the worth of a raise by others over one's own roses
WAITING = 0.1  # the worth of one more card on the pile


class Bluffer(Agent):
    """Bids by expected value, with a skull in the pile now and then."""

    def select_move(self, game_state):
        self.state = game_state
        self.board = game_state.board
        self.table = self.board.get_table()
        self.me = game_state.me
        self.pile = self.table.get_player(self.me)
        self.others = [p for p in game_state.players if p is not self.me]
        self.skulls = self.skull_chances()
        legal = game_state.legal_moves()
        if self.board.phase is GamePhase.choice:
            return max(legal, key=lambda move: self.rose_chance(move.choice))
        if self.board.phase is GamePhase.betting:
            return self.raise_or_pass(legal)
        return self.place_or_open(legal)

    def lose_card(self, game_state):
        """Keeps the skull as long as there is a rose to lose."""
        return Card.rose

    # --- Decisions ---------------------------------------------------------------------------

    def place_or_open(self, legal):
        places = [move.place for move in legal if move.place is not None]
        best, value = None, WAITING if places else -9.0
        for move in legal:
            if move.bet is not None and (opened := self.worth_of_opening(move.bet)) > value:
                best, value = move, opened
        if best is not None:
            return best
        likely = SKULL_LATER if self.pile else SKULL_FIRST
        if Card.skull in places and (len(places) == 1 or random.random() < likely):
            return Move(place=Card.skull)
        return Move(place=places[-1])

    def raise_or_pass(self, legal):
        best, value = Move.pass_bet(), self.worth_of_passing()
        for move in legal:
            if move.bet is not None and (raised := self.worth_of_opening(move.bet)) > value:
                best, value = move, raised
        return best

    # --- Values -----------------------------------------------------------------------------

    def worth_of_opening(self, bet):
        """The value of a bid, which stands or is raised."""
        stands = 1.0 if bet == self.table.get_total_cards() else UNRAISED
        raised = TRAP if Card.skull in self.pile else RAISED
        return stands * self.worth_of_challenge(bet) + (1 - stands) * raised

    def worth_of_challenge(self, bet):
        met = self.chance_of_meeting(bet)
        won = WIN if self.state.points[self.me] else POINT
        lost = LAST_CARD if self.state.cards[self.me] == 1 else CARD
        return met * won - (1 - met) * lost

    def worth_of_passing(self):
        """The value of passing: that of the highest bidder's challenge for this player."""
        bidder, bet = self.board.top_bet
        met = self.chance_of_anothers(bidder, bet)
        won = WIN if self.state.points[bidder] else POINT
        lost = LAST_CARD if self.state.cards[bidder] == 1 else CARD
        return ((1 - met) * lost - met * won) / len(self.others)

    # --- Chances -----------------------------------------------------------------------------

    def chance_of_meeting(self, bet):
        """The probability that this many roses are turned over: first the own pile, then the safest
        cards."""
        if Card.skull in self.pile[max(0, len(self.pile) - bet) :]:
            return 0.0
        left, chance = bet - len(self.pile), 1.0
        taken = dict.fromkeys(self.others, 0)
        while left > 0:
            free = [p for p in self.others if taken[p] < self.table.get_player_cards(p)]
            safest = max(free, key=lambda p: self.next_is_rose(p, taken[p]))
            chance *= self.next_is_rose(safest, taken[safest])
            taken[safest] += 1
            left -= 1
        return chance

    def chance_of_anothers(self, bidder, bet):
        """The probability that the highest bidder meets the bid, given this bot's own cards."""
        own = min(bet, self.table.get_player_cards(bidder))
        chance, left = (
            1 - self.skulls[bidder] * own / self.table.get_player_cards(bidder),
            bet - own,
        )
        rest = [p for p in self.others if p is not bidder]
        elsewhere = sum(self.table.get_player_cards(p) for p in rest)
        mine = min(left, len(self.pile), max(left - elsewhere, round(left / len(self.others))))
        if mine > 0 and Card.skull in self.pile[-mine:]:
            return 0.0
        for _ in range(left - mine):
            chance *= 1 - sum(self.skulls[p] for p in rest) / max(1, elsewhere)
        return chance

    def next_is_rose(self, player, taken):
        """The probability that the next card of a pile is a rose, after `taken` roses from it."""
        share = self.skulls[player] / self.table.get_player_cards(player)
        return (1 - share * (taken + 1)) / (1 - share * taken) if share * taken < 1 else 0.0

    def rose_chance(self, player):
        """The probability that the next card of a pile is a rose, in a challenge under way."""
        return 1 - self.skulls[player] / self.table.get_player_cards(player)

    def skull_chances(self):
        """The probability that each other pile holds its owner's skull."""
        chances, bids = {}, self.board.bids
        for player in self.others:
            shown = self.shown_by(player)
            likely = (PRIOR * WEIGHT + shown.count("skull")) / (WEIGHT + len(shown))
            bid = bids.get(player)
            if bid is not None:
                likely *= AFTER_PASS if bid < 0 else AFTER_BID
            chances[player] = min(0.95, likely)
        for player, card in self.board.turned:
            if card is Card.rose and player in chances:
                chances[player] *= 0.7
        return chances

    def shown_by(self, player):
        """The cards of that player that were turned over in earlier rounds."""
        rounds = [event.split() for events in self.state.rounds for event in events]
        return [what for seat, what, *_ in rounds if int(seat) == player.value and what in CARDS]


CARDS = ("skull", "rose")
