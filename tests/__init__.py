"""The tests: units by room, contracts, attacks, integration, and whole ways from end to end."""
