"""The comparison of revisions, which works without alembic."""

from pathlib import Path

from alembic.script import ScriptDirectory

from server.db import migrations
from server.db.session import Database


def test_it_knows_the_revisions_that_alembic_finds() -> None:
    steps = ScriptDirectory.from_config(migrations.configuration())
    assert migrations.head() == steps.get_current_head()
    found = [step.revision for step in steps.walk_revisions()]
    assert all(map(migrations.knows, found))
    assert not migrations.knows("9999")


def test_a_database_has_no_revision_until_it_is_upgraded(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'new.db'}")
    with database.connect() as connection:
        assert migrations.revision(connection) is None
        migrations.upgrade(connection, "0007")
        assert migrations.revision(connection) == "0007"
        migrations.upgrade(connection)
        assert migrations.revision(connection) == migrations.head()
    database.close()
