"""The web, and the only holder of the database. It never runs a bot."""
