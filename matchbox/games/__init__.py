"""One folder per game. Games do not know each other; adding one changes no other file."""
