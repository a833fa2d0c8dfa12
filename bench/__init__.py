"""Measures isolated play against plain loops."""
