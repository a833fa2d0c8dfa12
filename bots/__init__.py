"""Shipped players: each file is exactly what a user could upload."""
