"""Skull as a plain loop in one process: what isolated play is measured against. Frozen.

Written the way the source document writes it: a board with charts, a game state that agents look
at, an agent's method called for each move. It plays the published game with rounds. Nothing of it
is isolated, checked by a box, or recorded.
"""

import random
from enum import Enum


class GamePhase(Enum):
    placing = 1
    betting = 2
    choice = 3


class Card(Enum):
    skull = 1
    rose = 2


class Move:
    def __init__(self, place=None, bet=None, choice=None, is_pass=False):
        self.place = place
        self.bet = bet
        self.choice = choice
        self.is_pass = is_pass
        self.is_choice = choice is not None


class Board:
    """The hands, piles and bids of one round."""

    def __init__(self, owned):
        self.hands = [list(cards) for cards in owned]
        self.table = [[] for _ in owned]
        self.passed = set()
        self.top_bet = (None, 0)
        self.phase = GamePhase.placing
        self.chosen_cards = 0

    def total(self):
        return sum(len(pile) for pile in self.table)


class GameState:
    """A whole game; agents are asked with it, and it is changed by their moves."""

    def __init__(self, num_players):
        self.num_players = num_players
        self.owned = [[Card.skull, Card.rose, Card.rose, Card.rose] for _ in range(num_players)]
        self.points = [0] * num_players
        self.winner = None
        self.why = None
        self.rounds = self.moves = 0
        self.ends = {"met": 0, "own skull": 0, "other skull": 0}
        self.new_round(random.randrange(num_players))

    def new_round(self, starter):
        self.board = Board(self.owned)
        self.current = starter
        self.rounds += 1

    def inside(self):
        return [player for player in range(self.num_players) if self.owned[player]]

    def next_player(self, allowed):
        player = (self.current + 1) % self.num_players
        while player not in allowed:
            player = (player + 1) % self.num_players
        return player

    def legal_moves(self):
        board = self.board
        if board.phase is GamePhase.placing:
            hand = board.hands[self.current]
            moves = [Move(place=card) for card in Card if card in hand]
            total = board.total()
            if total >= len(self.inside()):
                moves += [Move(bet=number) for number in range(1, total + 1)]
            return moves
        if board.phase is GamePhase.betting:
            bets = range(board.top_bet[1] + 1, board.total() + 1)
            return [Move(bet=number) for number in bets] + [Move(is_pass=True)]
        return [
            Move(choice=player)
            for player in range(self.num_players)
            if player != self.current and board.table[player]
        ]

    def apply_move(self, move):
        self.moves += 1
        board = self.board
        if move.place is not None:
            board.hands[self.current].remove(move.place)
            board.table[self.current].append(move.place)
            self.current = self.next_player(self.inside())
        elif move.is_choice:
            self.turn(move.choice)
        else:
            self.bid(move)

    def bid(self, move):
        board = self.board
        board.phase = GamePhase.betting
        if move.is_pass:
            board.passed.add(self.current)
        else:
            board.top_bet = (self.current, move.bet)
        challenger, bet = board.top_bet
        waiting = [p for p in self.inside() if p not in board.passed and p != challenger]
        if waiting and bet < board.total():
            self.current = self.next_player(waiting)
            return
        board.phase = GamePhase.choice
        self.current = challenger
        while board.phase is GamePhase.choice and board.table[challenger]:
            self.turn(challenger)
            if self.board is not board or board.chosen_cards == bet:
                return

    def turn(self, owner):
        board, challenger = self.board, self.current
        card = board.table[owner].pop()
        if card is Card.skull:
            self.fail(challenger, owner)
            return
        board.chosen_cards += 1
        if board.chosen_cards == board.top_bet[1]:
            self.ends["met"] += 1
            self.points[challenger] += 1
            if self.points[challenger] == 2:
                self.winner, self.why = challenger, "two points"
            else:
                self.new_round(challenger)

    def fail(self, challenger, owner):
        own = owner == challenger
        self.ends["own skull" if own else "other skull"] += 1
        owned = self.owned[challenger]
        owned.remove(random.choice(list(set(owned)) if own else owned))
        inside = self.inside()
        if len(inside) == 1:
            self.board = None
            self.winner, self.why = inside[0], "last one with cards"
        elif owned:
            self.new_round(challenger)
        else:
            self.new_round(random.choice(inside) if own else owner)


class Agent:
    def select_move(self, game_state):
        raise NotImplementedError

    def diagnostics(self):
        return {}


class RandomAgent(Agent):
    def select_move(self, game_state):
        return random.choice(game_state.legal_moves())


def play_game(agents):
    """Plays one game; the state at its end."""
    game = GameState(len(agents))
    while game.winner is None:
        game.apply_move(agents[game.current].select_move(game))
    return game
