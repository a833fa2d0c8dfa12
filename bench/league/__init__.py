"""The promises of the league, tried on bots of known strength: `make league-bench`."""
