"""Celery, in two halves that share no code: the arena plays matches, the ledger records them."""
