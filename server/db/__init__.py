"""The database: tables, sessions, migrations. Only services and queries come here."""
