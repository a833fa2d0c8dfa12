"""Learning offline: scripts that compute the tables in shipped bots. `make learn`."""
