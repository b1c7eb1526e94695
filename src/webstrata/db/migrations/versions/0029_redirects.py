"""An index of the redirects of a job: pages that lead elsewhere now are looked for when a job was indexed."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0023"
branch_labels = None
depends_on = None

_REDIRECTS = sa.text("status_code IN (301, 302, 303, 307, 308)")


def upgrade() -> None:
    op.create_index(
        "ix_captures_redirects",
        "captures",
        ["job_id", "id"],
        sqlite_where=_REDIRECTS,
        postgresql_where=_REDIRECTS,
    )


def downgrade() -> None:
    op.drop_index("ix_captures_redirects", "captures")
