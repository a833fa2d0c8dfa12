"""The actions of the platform: each file holds a use case that changes rows, and knows no web.

An action takes a writer's session, the account that acts, and the names of the things that it
changes. An action that does slow work outside of a transaction takes no session, but a Context, as
`logins.log_in` does, or a function `acting`, which opens a transaction and reads the account again,
as `accounts.create_user` does; see `accounts.Acting`.
"""
