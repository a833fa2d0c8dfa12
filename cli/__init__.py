"""The `matchbox` command: thin, above all other rooms, and imported lazily so it starts fast."""
