"""Ratings, pairings and standings: functions over rows. Knows no game, bot or database."""
