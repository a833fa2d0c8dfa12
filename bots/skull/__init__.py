"""Shipped players of Skull."""
