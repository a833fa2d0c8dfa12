"""Plays matches in boxes. Has no database and never reaches the server's code."""
