"""Mana: tapped lands give it, and creatures cost it."""

from __future__ import annotations


class Mana:
    """An amount of mana."""

    def __init__(self, amount: int = 0) -> None:
        self.amount = amount

    def __str__(self) -> str:
        return f"{self.amount} mana"

    __repr__ = __str__
