"""One folder per game. Games do not know each other; a new game is a new folder and changes no
other file."""
