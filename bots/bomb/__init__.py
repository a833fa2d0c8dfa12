"""Shipped players of Bomb."""
