from itertools import product
from simulation import simulate_game, minimal_distance_strategy, random_strategy, trick_strategy

strategies = {
    'random': random_strategy,
    'minimal': minimal_distance_strategy,
    'trick': trick_strategy,
}
rows = []
for repeat in range(2):
    for num_players, name in product(range(1, 8), strategies):
        rows.append((num_players, name, simulate_game(num_players, strategies[name])))

for row in rows:
    print(*row, sep='\t')
