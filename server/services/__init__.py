"""The actions of the platform: each file is one use case, with a session in and rows changed. No web."""
