from matchbox.games.war import terminal
from matchbox.games.war.terminal import LoserTotals, WinnerTotals, deal, game, play

# check the deal
player1, player2 = deal()
print(len(player1), len(player2))
print(sum(player1), sum(player2), sum(player1) + sum(player2))

# one game with its transcript
initial1, initial2, final1, final2, winner = play()

# twenty games
for i in range(20):
    game()

print(len(WinnerTotals), len(LoserTotals), terminal.count_draws)
for row in WinnerTotals:
    print(row)
finals = [final for letter, player, initial, final in WinnerTotals]
print(min(finals), sum(finals) / len(finals), max(finals))
