"""Ratings, pairings and standings: functions over rows. Knows no game, bot or database.

Modules here say `import scipy` and use names such as `scipy.special.ndtr`. In this way scipy loads
each of its parts when it is first used. A process that estimates nothing, such as a web server,
starts a quarter of a second sooner.
"""
