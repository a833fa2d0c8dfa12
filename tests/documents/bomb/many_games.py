from matchbox.games.bomb import *

players = [SimplePlayer, ScaredPlayer, MediumPlayer]
N = 20
wins = {}
for i in range(3):
    for j in range(3):
        wins[i, j] = 0
        for game in range(N):
            if play_game(players[i](), players[j](), print_details=False) == 0:
                wins[i, j] += 1

for i in range(3):
    for j in range(i):
        both = 100 * (wins[i, j] + N - wins[j, i]) / (2 * N)
        print(players[i]().name(), both, players[j]().name(), 100 - both)
