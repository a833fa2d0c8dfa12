"""Measures the site on full books beside almost empty ones: `make bench-site`."""
