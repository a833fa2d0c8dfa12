"""The tests: units by room, contracts, attacks, integration, and a person's way from end to end."""
