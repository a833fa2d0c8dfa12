"""The comparison of revisions, which works without alembic."""

from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

from server.db import migrations
from server.db.session import Database


def test_it_knows_the_revisions_that_alembic_finds() -> None:
    steps = ScriptDirectory.from_config(migrations.configuration())
    assert migrations.head() == steps.get_current_head()
    found = [step.revision for step in steps.walk_revisions()]
    assert all(map(migrations.knows, found))
    assert not migrations.knows("9999")


def test_the_place_of_the_steps_may_have_a_percent_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "__file__", "/a%41 b%/__init__.py")
    assert migrations.configuration().get_main_option("script_location") == "/a%41 b%"


def test_a_database_has_no_revision_until_it_is_upgraded(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'new.db'}")
    with database.connect() as connection:
        assert migrations.revision(connection) is None
        migrations.upgrade(connection, "0007")
        assert migrations.revision(connection) == "0007"
        migrations.upgrade(connection)
        assert migrations.revision(connection) == migrations.head()
    database.close()


def test_lessons_whose_output_was_removed_before_say_so_in_a_column(tmp_path: Path) -> None:
    logs = {"(removed after 30 days)": 30, "(removed after x days)": None, "aha": None, "": None}
    engine = create_engine(f"sqlite:///{tmp_path / 'old.db'}")
    config = migrations.configuration()
    insert = (
        "INSERT INTO lesson (season_id, version_id, round, state, played, records, fault, log,"
        " created_at, attempt, platform_faults, trouble)"
        " VALUES (1, 1, :round, 'learned', '[]', 0, '', :log, 1, 0, 0, '')"
    )
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0051")
        for number, log in enumerate(logs):
            connection.execute(text(insert), {"round": number, "log": log})
        command.upgrade(config, "0052")
        found = connection.execute(text("SELECT log, log_days FROM lesson")).all()
    assert {row.log: row.log_days for row in found} == logs
