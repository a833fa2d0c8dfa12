"""Shipped players of the creature duel."""
