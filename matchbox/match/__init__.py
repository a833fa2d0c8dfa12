"""How a match is played and proved. Knows the Game contract; knows no game by name."""
