"""Plays experiments: plans of matchbox.lab, in several processes that have boxes of their own."""
