"""The actions of the platform: each file holds a use case that changes rows, and knows no web.

An action takes a writer's session, the account that acts, and the names of the things that it
changes. Actions that do slow work outside of a transaction take a Context instead of a session, such as
`logins.log_in`, or `acting`, which opens a transaction and reads the account again, such as
`accounts.create_user`. See `accounts.Acting`.
"""
