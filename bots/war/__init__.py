"""Shipped players of Addition War."""
