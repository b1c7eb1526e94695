"""Evidence audits: sessions, pages and their log."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from webstrata.db.types import UtcDateTime

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _text(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.Text(), nullable=True)


def _time(name: str, *, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, UtcDateTime(), nullable=nullable)


def _word(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.String(length=16), nullable=False)


def _session_key(table: str) -> tuple[sa.Column[object], sa.ForeignKeyConstraint]:
    return sa.Column("session_id", sa.String(length=36), nullable=False), sa.ForeignKeyConstraint(
        ["session_id"], ["audit_sessions.id"], name=op.f(f"fk_{table}_session_id"), ondelete="CASCADE"
    )


def _index(table: str, *columns: str) -> None:
    op.create_index(op.f(f"ix_{table}_{'_'.join(columns)}"), table, [*columns], unique=False)


def upgrade() -> None:
    _create_sessions()
    _create_pages()
    _create_logs()


def _create_sessions() -> None:
    op.create_table(
        "audit_sessions",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        _word("status"),
        _time("created_at", nullable=False),
        _text("final_url"),
        _word("mode"),
        _word("retention_policy"),
        sa.Column("attempts", sa.Integer(), nullable=False),
        _text("error_summary"),
        _word("crawl_policy_version"),
        sa.Column("config_snapshot", _JSON, nullable=False),
        sa.Column("low_confidence", sa.Boolean(), server_default=sa.false(), nullable=False),
        _text("pdp_url"),
        _time("started_at"),
        _time("finished_at"),
        sa.Column("manifest_sha256", sa.String(length=64), nullable=True),
        _time("next_run_at", nullable=False),
        _text("lease_owner"),
        sa.Column("lease_token", sa.String(length=32), nullable=True),
        _time("lease_expires_at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_sessions")),
    )
    _index("audit_sessions", "status", "next_run_at", "created_at")
    _index("audit_sessions", "domain", "lease_expires_at")
    _index("audit_sessions", "created_at")


def _create_pages() -> None:
    op.create_table(
        "audit_pages",
        sa.Column("id", sa.String(length=36), nullable=False),
        _word("page_type"),
        _word("viewport"),
        _word("status"),
        _text("url"),
        _text("final_url"),
        sa.Column("http_status", sa.Integer(), nullable=True),
        _text("error"),
        sa.Column("load_timings", _JSON, nullable=False),
        sa.Column("low_confidence_reasons", _JSON, nullable=False),
        *_session_key("audit_pages"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_pages")),
        sa.UniqueConstraint(
            "session_id", "page_type", "viewport", name=op.f("uq_audit_pages_session_id_page_type_viewport")
        ),
    )


def _create_logs() -> None:
    op.create_table(
        "crawl_logs",
        sa.Column("id", _BIG_ID, nullable=False),
        _word("level"),
        _word("event_type"),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("details", _JSON, nullable=False),
        _time("timestamp", nullable=False),
        *_session_key("crawl_logs"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crawl_logs")),
    )
    _index("crawl_logs", "session_id", "id")


def downgrade() -> None:
    for table in ("crawl_logs", "audit_pages", "audit_sessions"):
        op.drop_table(table)
