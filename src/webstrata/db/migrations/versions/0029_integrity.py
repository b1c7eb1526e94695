"""Integrity checks with what they found; indexes of the redirects of a job and of withheld records."""

import sqlalchemy as sa
from alembic import op

from webstrata.db.types import UtcDateTime

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_REDIRECTS = sa.text("status_code IN (301, 302, 303, 307, 308)")


def upgrade() -> None:
    op.create_table(
        "integrity_checks",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("trigger", sa.String(length=16), nullable=False),
        sa.Column("began_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("position", sa.Text(), nullable=False),
        sa.Column("files", sa.BigInteger(), nullable=False),
        sa.Column("records", sa.BigInteger(), nullable=False),
        sa.Column("bytes_read", sa.BigInteger(), nullable=False),
        sa.Column("problem_count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_integrity_checks")),
    )
    op.create_table(
        "integrity_findings",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("check_id", _BIG_ID, nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("byte_offset", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["check_id"], ["integrity_checks.id"], name=op.f("fk_integrity_findings_check_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_integrity_findings")),
    )
    op.create_index(op.f("ix_integrity_findings_check_id"), "integrity_findings", ["check_id"], unique=False)
    op.create_index(
        "ix_captures_redirects", "captures", ["job_id", "id"], sqlite_where=_REDIRECTS, postgresql_where=_REDIRECTS
    )
    op.create_index(
        op.f("ix_tombstones_warc_offset_captured_at"), "tombstones", ["warc_offset", "captured_at"], unique=False
    )


def downgrade() -> None:
    op.drop_index(op.f("ix_tombstones_warc_offset_captured_at"), "tombstones")
    op.drop_index("ix_captures_redirects", "captures")
    op.drop_table("integrity_findings")
    op.drop_table("integrity_checks")
