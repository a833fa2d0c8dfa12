"""The league: formats and schedules, lessons, comparisons, notices, and the audit log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Goes to this schema."""
    _make_memory()
    _make_audit()
    _make_invitation()
    _make_notice()
    _make_webhook()
    _make_delivery()
    _make_verification()
    _make_comparison()
    _make_lesson()
    _widen_entry()
    _widen_league()
    _widen_match()
    _widen_match_seat()
    _widen_season()
    _widen_standing()
    _widen_user()
    _widen_version()


def downgrade() -> None:
    """Goes back one step."""
    _narrow_version()
    _narrow_user()
    _narrow_standing()
    _narrow_season()
    _narrow_match_seat()
    _narrow_match()
    _narrow_league()
    _narrow_entry()
    op.drop_table("lesson")
    op.drop_table("comparison")
    op.drop_table("verification")
    op.drop_table("delivery")
    op.drop_table("webhook")
    op.drop_table("notice")
    op.drop_table("invitation")
    op.drop_table("audit")
    op.drop_table("memory")


def _make_memory() -> None:
    op.create_table(
        "memory",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_memory")),
    )


def _make_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(length=32), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["user.id"], name=op.f("fk_audit_actor_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_subject"), "audit", ["subject"])


def _make_invitation() -> None:
    op.create_table(
        "invitation",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"], name=op.f("fk_invitation_league_id")),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_invitation_user_id")),
        sa.PrimaryKeyConstraint("league_id", "user_id", name=op.f("pk_invitation")),
    )


def _make_notice() -> None:
    op.create_table(
        "notice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("text", sa.String(length=1000), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("read_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_notice_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice")),
    )
    op.create_index(op.f("ix_notice_user_id_id"), "notice", ["user_id", "id"])


def _make_webhook() -> None:
    op.create_table(
        "webhook",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.String(length=500), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("arrived_at", sa.BigInteger(), nullable=True),
        sa.Column("disabled_at", sa.BigInteger(), nullable=True),
        sa.Column("trouble", sa.String(length=500), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_webhook_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
    )
    op.create_index(op.f("ix_webhook_user_id"), "webhook", ["user_id"])


def _make_delivery() -> None:
    op.create_table(
        "delivery",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("notice_id", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["notice_id"], ["notice.id"], name=op.f("fk_delivery_notice_id")),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhook.id"], name=op.f("fk_delivery_webhook_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delivery")),
    )
    op.create_index(op.f("ix_delivery_due_at"), "delivery", ["due_at"])
    op.create_index(op.f("ix_delivery_notice_id"), "delivery", ["notice_id"])


def _make_verification() -> None:
    op.create_table(
        "verification",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("out_of", sa.Integer(), nullable=False),
        sa.Column("same", sa.Integer(), nullable=False),
        sa.Column("different", sa.JSON(), nullable=False),
        sa.Column("unrepeatable", sa.JSON(), nullable=False),
        sa.Column("replayed_only", sa.JSON(), nullable=False),
        sa.Column("lessons", sa.JSON(), nullable=False),
        sa.Column("standing", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["user.id"], name=op.f("fk_verification_actor_id")),
        sa.ForeignKeyConstraint(
            ["season_id"], ["season.id"], name=op.f("fk_verification_season_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verification")),
    )
    op.create_index(op.f("ix_verification_season_id"), "verification", ["season_id"])


def _make_comparison() -> None:
    op.create_table(
        "comparison",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("challenger_id", sa.Integer(), nullable=False),
        sa.Column("defender_id", sa.Integer(), nullable=False),
        sa.Column("field", sa.JSON(), nullable=False),
        sa.Column("bounds", sa.JSON(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("most", sa.Integer(), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["challenger_id"], ["version.id"], name=op.f("fk_comparison_challenger_id")
        ),
        sa.ForeignKeyConstraint(
            ["defender_id"], ["version.id"], name=op.f("fk_comparison_defender_id")
        ),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"], name=op.f("fk_comparison_league_id")),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], name=op.f("fk_comparison_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comparison")),
    )
    op.create_index(
        op.f("ix_comparison_owner_id_created_at"), "comparison", ["owner_id", "created_at"]
    )
    op.create_index(op.f("ix_comparison_state"), "comparison", ["state"])


def _make_lesson() -> None:
    op.create_table(
        "lesson",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("platform_faults", sa.Integer(), nullable=False),
        sa.Column("trouble", sa.String(length=500), nullable=False),
        sa.Column("played", sa.JSON(), nullable=False),
        sa.Column("before", sa.String(length=64), nullable=True),
        sa.Column("after", sa.String(length=64), nullable=True),
        sa.Column("records", sa.Integer(), nullable=False),
        sa.Column("fault", sa.String(length=500), nullable=False),
        sa.Column("log", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["after"], ["memory.digest"], name=op.f("fk_lesson_after")),
        sa.ForeignKeyConstraint(["before"], ["memory.digest"], name=op.f("fk_lesson_before")),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_lesson_season_id")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_lesson_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lesson")),
        sa.UniqueConstraint(
            "season_id", "round", "version_id", name=op.f("uq_lesson_season_id_round_version_id")
        ),
    )
    op.create_index(op.f("ix_lesson_state_deadline"), "lesson", ["state", "deadline"])
    op.create_index(op.f("ix_lesson_version_id"), "lesson", ["version_id"])


def _widen_entry() -> None:
    op.add_column(
        "entry",
        sa.Column("out", sa.String(length=16), nullable=False, server_default=sa.text("''")),
    )
    op.add_column("entry", sa.Column("out_at", sa.BigInteger(), nullable=True))
    op.add_column(
        "entry",
        sa.Column("out_why", sa.String(length=500), nullable=False, server_default=sa.text("''")),
    )
    op.add_column("entry", sa.Column("rank", sa.Integer(), nullable=True))


def _widen_league() -> None:
    op.add_column(
        "league",
        sa.Column("format_of_play", sa.JSON(), nullable=False, server_default=sa.text("'{}'")),
    )
    op.add_column(
        "league", sa.Column("admission", sa.JSON(), nullable=False, server_default=sa.text("'{}'"))
    )
    op.add_column(
        "league", sa.Column("schedule", sa.JSON(), nullable=False, server_default=sa.text("'{}'"))
    )


def _widen_match() -> None:
    op.add_column("match", sa.Column("comparison_id", sa.Integer(), nullable=True))
    op.add_column(
        "match", sa.Column("round", sa.Integer(), nullable=False, server_default=sa.text("0"))
    )
    op.add_column("match", sa.Column("replaces", sa.String(length=32), nullable=True))
    op.add_column(
        "match",
        sa.Column("void_why", sa.String(length=500), nullable=False, server_default=sa.text("''")),
    )
    op.create_index(op.f("ix_match_comparison_id"), "match", ["comparison_id"])
    op.create_index(op.f("ix_match_replaces"), "match", ["replaces"])


def _widen_match_seat() -> None:
    op.add_column("match_seat", sa.Column("memory", sa.String(length=64), nullable=True))


def _widen_season() -> None:
    op.add_column(
        "season",
        sa.Column("format_of_play", sa.JSON(), nullable=False, server_default=sa.text("'{}'")),
    )
    op.add_column(
        "season", sa.Column("edition", sa.Integer(), nullable=False, server_default=sa.text("1"))
    )
    op.add_column(
        "season", sa.Column("division", sa.Integer(), nullable=False, server_default=sa.text("1"))
    )
    op.add_column(
        "season", sa.Column("round", sa.Integer(), nullable=False, server_default=sa.text("0"))
    )
    for name in ("rounds", "places"):
        op.add_column(
            "season", sa.Column(name, sa.JSON(), nullable=False, server_default=sa.text("'[]'"))
        )
    op.add_column("season", sa.Column("starts_at", sa.BigInteger(), nullable=True))
    op.add_column(
        "season", sa.Column("told", sa.Integer(), nullable=False, server_default=sa.text("0"))
    )
    op.execute("UPDATE season SET told = 1 WHERE state IN ('running', 'paused')")
    op.execute("UPDATE season SET told = -1 WHERE state IN ('finished', 'cancelled')")
    op.add_column(
        "season",
        sa.Column("trouble", sa.String(length=500), nullable=False, server_default=sa.text("''")),
    )


def _widen_standing() -> None:
    op.add_column(
        "standing", sa.Column("facts", sa.JSON(), nullable=False, server_default=sa.text("'{}'"))
    )


def _widen_user() -> None:
    op.add_column("user", sa.Column("email", sa.String(length=254), nullable=True))
    op.add_column("user", sa.Column("email_asked", sa.String(length=254), nullable=True))
    op.add_column("user", sa.Column("email_asked_at", sa.BigInteger(), nullable=True))
    op.add_column(
        "user", sa.Column("shares", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def _widen_version() -> None:
    op.add_column("version", sa.Column("learns", sa.Boolean(), nullable=True))
    for name in ("rated_matches", "rated_bouts", "forfeits"):
        op.add_column(
            "version", sa.Column(name, sa.Integer(), nullable=False, server_default=sa.text("0"))
        )
    op.add_column("version", sa.Column("counted_from", sa.BigInteger(), nullable=True))


def _narrow_version() -> None:
    for name in ("counted_from", "forfeits", "rated_bouts", "rated_matches"):
        op.drop_column("version", name)
    op.drop_column("version", "learns")


def _narrow_user() -> None:
    op.drop_column("user", "shares")
    op.drop_column("user", "email_asked_at")
    op.drop_column("user", "email_asked")
    op.drop_column("user", "email")


def _narrow_standing() -> None:
    op.drop_column("standing", "facts")


def _narrow_season() -> None:
    op.drop_column("season", "trouble")
    op.drop_column("season", "told")
    op.drop_column("season", "starts_at")
    op.drop_column("season", "places")
    op.drop_column("season", "rounds")
    op.drop_column("season", "round")
    op.drop_column("season", "division")
    op.drop_column("season", "edition")
    op.drop_column("season", "format_of_play")


def _narrow_match_seat() -> None:
    op.drop_column("match_seat", "memory")


def _narrow_match() -> None:
    op.drop_index(op.f("ix_match_replaces"), "match")
    op.drop_index(op.f("ix_match_comparison_id"), "match")
    op.drop_column("match", "void_why")
    op.drop_column("match", "replaces")
    op.drop_column("match", "round")
    op.drop_column("match", "comparison_id")


def _narrow_league() -> None:
    op.drop_column("league", "schedule")
    op.drop_column("league", "admission")
    op.drop_column("league", "format_of_play")


def _narrow_entry() -> None:
    op.drop_column("entry", "rank")
    op.drop_column("entry", "out_why")
    op.drop_column("entry", "out_at")
    op.drop_column("entry", "out")
