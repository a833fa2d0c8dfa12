"""Plays experiments: plans of matchbox.lab, in several processes, each with a box of its own."""
