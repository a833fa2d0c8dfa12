from matchbox.games.war import terminal
from matchbox.games.war.terminal import LoserTotals, WinnerTotals, deal, game, play

# check the deal
player1, player2 = deal()
print(len(player1), len(player2))
print(sum(player1), sum(player2), sum(player1) + sum(player2))

# one game with its transcript
initial1, initial2, final1, final2, winner = play()

# twenty games with their deals
for i in range(20):
    Deal2 = deal()
    print(Deal2[0], Deal2[1])
    GameWinner, GameLoser, GameDraws = game()

print(len(GameWinner), len(GameLoser), GameDraws, terminal.count_draws)
for row in GameWinner:
    print(row)
finals = [final for letter, player, initial, final in GameWinner]
print(min(finals), sum(finals) / len(finals), max(finals))

# won from the lower initial total
lower = 0
for j in range(len(GameWinner)):
    if GameWinner[j][2] < GameLoser[j][2]:
        print(GameWinner[j][2], GameLoser[j][2])
        lower += 1
print(lower / len(GameWinner))
