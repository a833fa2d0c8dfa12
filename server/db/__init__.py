"""The database: tables, sessions, migrations. Only services and queries use it."""
