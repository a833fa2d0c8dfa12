"""Celery, in two halves that may not meet: arena plays, ledger keeps the books."""
