"""The deals of a match packed into its row, and the lists of a result packed with zlib."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterator
from hashlib import shake_256
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

AT_ONCE: Final = 500
SEED: Final = 16
"""The bytes of a seed."""
LISTS: Final = ("bouts", "moves", "notes", "diagnostics", "printed", "logs")
TEXT: Final = sa.String(32)
DATA: Final = sa.LargeBinary()
DEAL: Final = sa.table("deal", sa.column("seed", TEXT), sa.column("created_at", sa.BigInteger()))
MATCH_DEAL: Final = sa.table(
    "match_deal",
    sa.column("match_id", TEXT),
    sa.column("position", sa.Integer()),
    sa.column("seed", TEXT),
)
MATCH: Final = sa.table(
    "match",
    sa.column("id", TEXT),
    sa.column("created_at", sa.BigInteger()),
    sa.column("first_deal", DATA),
    sa.column("deal_count", sa.Integer()),
    sa.column("other_deals", DATA),
)
RESULT: Final = sa.table(
    "result",
    sa.column("match_id", TEXT),
    sa.column("seeds", DATA),
    *(sa.column(name, sa.JSON()) for name in LISTS),
)
PACKED: Final = sa.table(
    "result", sa.column("match_id", TEXT), *(sa.column(f"{name}_new", DATA) for name in LISTS)
)
PLAIN: Final = sa.table(
    "result", sa.column("match_id", TEXT), *(sa.column(name, DATA) for name in LISTS)
)
UNPACKED: Final = sa.table(
    "result", sa.column("match_id", TEXT), *(sa.column(f"{name}_new", sa.JSON()) for name in LISTS)
)


def upgrade() -> None:
    """Goes to this schema, and packs the present rows."""
    for column in (
        sa.Column("first_deal", sa.LargeBinary(), nullable=False, server_default=""),
        sa.Column("deal_count", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("other_deals", sa.LargeBinary(), nullable=False, server_default=""),
    ):
        op.add_column("match", column)
    _pack_deals()
    op.create_index("ix_match_first_deal_state", "match", ["first_deal", "state"])
    op.drop_table("match_deal")
    op.drop_table("deal")
    for name in LISTS:
        column = sa.Column(f"{name}_new", sa.LargeBinary(), nullable=False, server_default="")
        op.add_column("result", column)
    _rewrite(RESULT, PACKED, _pack)
    _put_in_place("seeds")


def downgrade() -> None:
    """Goes back one step."""
    op.add_column("result", sa.Column("seeds", sa.LargeBinary(), nullable=True))
    for name in LISTS:
        column = sa.Column(f"{name}_new", sa.JSON(), nullable=False, server_default="[]")
        op.add_column("result", column)
    _rewrite(PLAIN, UNPACKED, _unpack)
    _put_in_place()
    op.create_table(
        "deal",
        sa.Column("seed", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("seed", name=op.f("pk_deal")),
    )
    op.create_table(
        "match_deal",
        sa.Column("match_id", TEXT, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("seed", TEXT, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_match_deal_match_id")),
        sa.ForeignKeyConstraint(["seed"], ["deal.seed"], name=op.f("fk_match_deal_seed")),
        sa.PrimaryKeyConstraint("match_id", "position", name=op.f("pk_match_deal")),
    )
    op.create_index("ix_match_deal_seed", "match_deal", ["seed"])
    _unpack_deals()
    op.drop_index("ix_match_first_deal_state", "match")
    for name in ("other_deals", "deal_count", "first_deal"):
        op.drop_column("match", name)


def _parts(*columns: sa.ColumnElement[Any]) -> Iterator[list[Any]]:
    """The rows of a table whose first column is its key, in that order, some at a time."""
    after, key = "", columns[0]
    books = op.get_bind()
    query = sa.select(*columns).order_by(key).limit(AT_ONCE)
    while part := books.execute(query.where(key > after)).all():
        yield list(part)
        after = part[-1][0]


def _pack_deals() -> None:
    books = op.get_bind()
    fill = MATCH.update().where(MATCH.c.id == sa.bindparam("of"))
    fill = fill.values(
        first_deal=sa.bindparam("first"),
        deal_count=sa.bindparam("count"),
        other_deals=sa.bindparam("others"),
    )
    for part in _parts(MATCH.c.id):
        ids = [name for (name,) in part]
        seeds: defaultdict[str, bytes] = defaultdict(bytes)
        kept = sa.select(RESULT.c.match_id, RESULT.c.seeds)
        kept = kept.where(RESULT.c.match_id.in_(ids), RESULT.c.seeds.is_not(None))
        seeds |= dict(books.execute(kept).all())
        dealt = sa.select(MATCH_DEAL.c.match_id, MATCH_DEAL.c.seed)
        dealt = dealt.where(MATCH_DEAL.c.match_id.in_(ids))
        order = (MATCH_DEAL.c.match_id, MATCH_DEAL.c.position)
        for match, seed in books.execute(dealt.order_by(*order)):
            seeds[match] += bytes.fromhex(seed)
        books.execute(fill, [_columns(name, seeds[name]) for name in ids])


def _columns(match: str, seeds: bytes) -> dict[str, Any]:
    first, others = seeds[:SEED], seeds[SEED:]
    follow = others == shake_256(first).digest(len(seeds))[SEED:]
    count = len(seeds) // SEED
    return {"of": match, "first": first, "count": count, "others": b"" if follow else others}


def _unpack_deals() -> None:
    books, known = op.get_bind(), sa.select(DEAL.c.seed)
    c = MATCH.c
    for part in _parts(c.id, c.created_at, c.first_deal, c.deal_count, c.other_deals):
        seeds = {name: _seeds(*packed) for name, _, *packed in part}
        made = {seed: at for name, at, *_ in part for seed in seeds[name]}
        for few in _few(list(made)):
            there = set(books.scalars(known.where(DEAL.c.seed.in_(few))))
            fresh = [{"seed": one, "created_at": made[one]} for one in few if one not in there]
            if fresh:
                books.execute(DEAL.insert(), fresh)
        rows = [
            {"match_id": name, "position": at, "seed": seed}
            for name, own in seeds.items()
            for at, seed in enumerate(own)
        ]
        if rows:
            books.execute(MATCH_DEAL.insert(), rows)


def _seeds(first: bytes, count: int, others: bytes) -> list[str]:
    whole = first + (others or shake_256(first).digest(SEED * count)[SEED:])
    return [whole[at : at + SEED].hex() for at in range(0, SEED * count, SEED)]


def _few(seeds: list[str]) -> Iterator[list[str]]:
    return (seeds[at : at + AT_ONCE] for at in range(0, len(seeds), AT_ONCE))


def _rewrite(old: sa.TableClause, new: sa.TableClause, change: Any) -> None:
    """Fills each list's new column from its old one."""
    fill = new.update().where(new.c.match_id == sa.bindparam("of"))
    fill = fill.values({f"{name}_new": sa.bindparam(name) for name in LISTS})
    for part in _parts(old.c.match_id, *(old.c[name] for name in LISTS)):
        rows = [
            {"of": match, **{name: change(one) for name, one in zip(LISTS, lists, strict=True)}}
            for match, *lists in part
        ]
        op.get_bind().execute(fill, rows)


def _put_in_place(*more: str) -> None:
    """Replaces the old columns by the new ones, and drops the other columns given."""
    with op.batch_alter_table("result") as table:
        for name in (*LISTS, *more):
            table.drop_column(name)
    for name in LISTS:
        op.execute(f"ALTER TABLE result RENAME COLUMN {name}_new TO {name}")


def _pack(value: list[Any]) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(value), 3) if value else b""


def _unpack(data: bytes) -> list[Any]:
    return msgspec.msgpack.decode(zlib.decompress(data)) if data else []
