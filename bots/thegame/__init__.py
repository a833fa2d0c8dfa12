"""Shipped players of The Game."""
