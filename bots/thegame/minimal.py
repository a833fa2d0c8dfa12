"""Minimal offers its lowest or highest card to the nearest pile, even where it does not fit."""

from matchbox.games.thegame import minimal_distance_strategy

BOT = minimal_distance_strategy
