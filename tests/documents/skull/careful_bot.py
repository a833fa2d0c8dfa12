from dlskull import agent
from dlskull.skullboard import Board, Chart, GameState, Move
from dlskull.skulltypes import Card, GamePhase, Player


class CarefulBot(agent.Agent):
    """Places roses, bids what it can turn over itself, and otherwise passes."""

    def select_move(self, game_state):
        board = game_state.board
        me = game_state.get_cur_player()
        if board.phase == GamePhase.placing:
            own = board.get_table().get_player(me)
            bet = Move(bet=len(own)) if own else None
            if Card.skull not in own and bet is not None and game_state.is_valid_move(bet):
                return bet
            if board.has_card(me, Card.rose):
                return Move(place=Card.rose)
            return game_state.legal_moves()[-1]
        if board.phase == GamePhase.betting:
            raised = Move(bet=board.top_bet[1] + 1)
            own = board.get_table().get_player(me)
            if Card.skull not in own and board.top_bet[1] < len(own):
                if game_state.is_valid_move(raised):
                    return raised
            return Move.pass_bet()
        for move in game_state.legal_moves():
            if not game_state.apply_move(move).is_over():
                return move
        return game_state.legal_moves()[0]
