"""Experiments over many games, as pure functions: plans, counts, statistics and tables."""
