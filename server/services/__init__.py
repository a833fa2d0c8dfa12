"""What the platform does: one file a use case, a session in, rows changed. No web here."""
