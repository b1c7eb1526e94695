"""An index for copies of withheld records, which have the same id and time in another file."""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_RECORDS = "ix_tombstones_captured_at_warc_record_id"
_PLACES = "ix_tombstones_warc_offset_captured_at"
_FILL = """
UPDATE tombstones SET warc_record_id = (
    SELECT min(c.warc_record_id) FROM warc_files w JOIN captures c ON c.warc_file_id = w.id
    WHERE (w.path = tombstones.warc_filename OR w.path LIKE '%/' || tombstones.warc_filename)
    AND c.warc_offset = tombstones.warc_offset AND c.url = tombstones.url
) WHERE warc_record_id IS NULL
"""


def upgrade() -> None:
    """Look tombstones up by time and record, and give those that have none the id of their record."""
    op.execute(_FILL)
    op.create_index(_RECORDS, "tombstones", ["captured_at", "warc_record_id"])
    op.drop_index(_PLACES, "tombstones")


def downgrade() -> None:
    """Look tombstones up by offset and time again."""
    op.create_index(_PLACES, "tombstones", ["warc_offset", "captured_at"])
    op.drop_index(_RECORDS, "tombstones")
