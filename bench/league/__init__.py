"""Tests the promises of the league on bots of known strength: `make league-bench`."""
