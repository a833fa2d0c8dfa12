"""Learning offline: scripts that work out the tables that shipped bots contain. `make learn`."""
