"""The actions of the platform: each file holds a use case that changes rows, and knows no web.

An action takes a writer's session, the account that acts, and the names of the things that it
changes. Actions that do slow work outside of a transaction take a Context instead of a session:
`logins.log_in`, `logins.change_password`, `operations.recompute_season` and
`operations.recompute_league`.
"""
