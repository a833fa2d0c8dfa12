"""The actions of the platform: each file holds a use case that changes rows, and knows no web."""
