"""Measures the site with a full database beside an almost empty one: `make bench-site`."""
