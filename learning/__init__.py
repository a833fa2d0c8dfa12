"""Learning offline: scripts that work out what shipped bots know by heart. `make learn`."""
