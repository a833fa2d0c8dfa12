"""The actions of the platform: each file is a use case that changes rows in a session. No web."""
