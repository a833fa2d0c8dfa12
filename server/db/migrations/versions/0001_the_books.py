"""The tables that every later step starts from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    _make_bundle()
    _make_deal()
    _make_event()
    _make_league()
    _make_outbox()
    _make_setting()
    _make_standing()
    _make_user()
    _make_bot()
    _make_season()
    _make_token()
    _make_match()
    _make_version()
    _make_entry()
    _make_match_deal()
    _make_match_seat()
    _make_rating()
    _make_result()


def downgrade() -> None:
    """Goes back to an empty database."""
    for table in reversed(
        [
            "bundle",
            "deal",
            "event",
            "league",
            "outbox",
            "setting",
            "standing",
            "user",
            "bot",
            "season",
            "token",
            "match",
            "version",
            "entry",
            "match_deal",
            "match_seat",
            "rating",
            "result",
        ]
    ):
        op.drop_table(table)


def _make_bundle() -> None:
    op.create_table(
        "bundle",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_bundle")),
    )


def _make_deal() -> None:
    op.create_table(
        "deal",
        sa.Column("seed", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("seed", name=op.f("pk_deal")),
    )


def _make_event() -> None:
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sqlite_autoincrement=True,
    )


def _make_league() -> None:
    op.create_table(
        "league",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("rules", sa.String(length=16), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("continuous", sa.Boolean(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_league")),
        sa.UniqueConstraint("name", name=op.f("uq_league_name")),
    )
    op.create_index(op.f("ix_league_game"), "league", ["game"])


def _make_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task", sa.String(length=32), nullable=False),
        sa.Column("message", sa.JSON(), nullable=False),
        sa.Column("taken_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )


def _make_setting() -> None:
    op.create_table(
        "setting",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_setting")),
    )


def _make_standing() -> None:
    op.create_table(
        "standing",
        sa.Column("scope", sa.String(length=32), nullable=False),
        sa.Column("rows_digest", sa.String(length=64), nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("field", sa.String(length=64), nullable=False),
        sa.Column("computed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("scope", name=op.f("pk_standing")),
    )
    op.create_index(op.f("ix_standing_computed_at"), "standing", ["computed_at"])


def _make_user() -> None:
    op.create_table(
        "user",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("password", sa.String(length=200), nullable=True),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user")),
        sa.UniqueConstraint("name", name=op.f("uq_user_name")),
    )


def _make_bot() -> None:
    op.create_table(
        "bot",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("retired_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], name=op.f("fk_bot_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bot")),
        sa.UniqueConstraint("owner_id", "name", name=op.f("uq_bot_owner_id_name")),
    )
    op.create_index(op.f("ix_bot_game"), "bot", ["game"])
    op.create_index(op.f("ix_bot_name"), "bot", ["name"])


def _make_season() -> None:
    op.create_table(
        "season",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("cycles", sa.Integer(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"], name=op.f("fk_season_league_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_season")),
        sa.UniqueConstraint("name", name=op.f("uq_season_name")),
        sa.UniqueConstraint("seed", name=op.f("uq_season_seed")),
    )
    op.create_index(op.f("ix_season_league_id"), "season", ["league_id"])
    op.create_index(op.f("ix_season_state"), "season", ["state"])


def _make_token() -> None:
    op.create_table(
        "token",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_token_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("digest", name=op.f("uq_token_digest")),
    )
    op.create_index(op.f("ix_token_user_id"), "token", ["user_id"])


def _make_match() -> None:
    op.create_table(
        "match",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("why", sa.String(length=16), nullable=False),
        sa.Column("rules", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("platform_faults", sa.Integer(), nullable=False),
        sa.Column("trouble", sa.String(length=500), nullable=False),
        sa.Column("limits", sa.JSON(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("attempt >= 0", name=op.f("ck_match_attempt")),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"], name=op.f("fk_match_league_id")),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_match_season_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match")),
    )
    op.create_index(op.f("ix_match_created_at_number_id"), "match", ["created_at", "number", "id"])
    op.create_index(
        op.f("ix_match_league_id_season_id_state_number"),
        "match",
        ["league_id", "season_id", "state", "number"],
    )
    op.create_index(op.f("ix_match_season_id_state"), "match", ["season_id", "state"])
    op.create_index(op.f("ix_match_state_deadline"), "match", ["state", "deadline"])


def _make_version() -> None:
    op.create_table(
        "version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("class_name", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("platform_faults", sa.Integer(), nullable=False),
        sa.Column("trouble", sa.String(length=500), nullable=False),
        sa.Column("report", sa.JSON(), nullable=True),
        sa.Column("unrepeatable", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_version_bot_id")),
        sa.ForeignKeyConstraint(["digest"], ["bundle.digest"], name=op.f("fk_version_digest")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_version")),
        sa.UniqueConstraint(
            "bot_id", "digest", "class_name", name=op.f("uq_version_bot_id_digest_class_name")
        ),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_version_bot_id_number")),
    )
    op.create_index(op.f("ix_version_created_at"), "version", ["created_at"])
    op.create_index(op.f("ix_version_digest"), "version", ["digest"])
    op.create_index(op.f("ix_version_state_deadline"), "version", ["state", "deadline"])


def _make_entry() -> None:
    op.create_table(
        "entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_entry_bot_id")),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_entry_season_id")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_entry_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entry")),
        sa.UniqueConstraint("season_id", "bot_id", name=op.f("uq_entry_season_id_bot_id")),
    )


def _make_match_deal() -> None:
    op.create_table(
        "match_deal",
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("seed", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_match_deal_match_id")),
        sa.ForeignKeyConstraint(["seed"], ["deal.seed"], name=op.f("fk_match_deal_seed")),
        sa.PrimaryKeyConstraint("match_id", "position", name=op.f("pk_match_deal")),
    )
    op.create_index(op.f("ix_match_deal_seed"), "match_deal", ["seed"])


def _make_match_seat() -> None:
    op.create_table(
        "match_seat",
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_match_seat_match_id")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["version.id"], name=op.f("fk_match_seat_version_id")
        ),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_match_seat")),
    )
    op.create_index(op.f("ix_match_seat_version_id"), "match_seat", ["version_id"])


def _make_rating() -> None:
    op.create_table(
        "rating",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"], name=op.f("fk_rating_league_id")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_rating_version_id")),
        sa.PrimaryKeyConstraint("league_id", "version_id", name=op.f("pk_rating")),
    )


def _make_result() -> None:
    op.create_table(
        "result",
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.Column("bouts", sa.JSON(), nullable=False),
        sa.Column("notes", sa.JSON(), nullable=False),
        sa.Column("logs", sa.JSON(), nullable=False),
        sa.Column("cpu_ms", sa.JSON(), nullable=False),
        sa.Column("box", sa.String(length=32), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_result_match_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_result")),
    )
