"""Words of titles and addresses marked as such in PostgreSQL's index: documents need not be looked at for them."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_BATCH = 2_000
_LONGEST = 2_045

# A list of words says where each stands: A in the title, B in the address, D in the text. Put together anew, the parts
# no longer touch each other, and what stands in title and address comes a second time with a sign before it.
_MARKED = sa.text(
    """
UPDATE documents SET search_vector =
    CAST(concat_ws(' ', CAST(ts_filter(search_vector, '{a}') AS text), (
        SELECT string_agg('''=' || lexeme || ''':' || array_to_string(positions, 'A,') || 'A', ' ')
        FROM unnest(ts_filter(search_vector, '{a}')) WHERE octet_length(lexeme) <= :longest)) AS tsvector)
    || CAST(concat_ws(' ', CAST(ts_filter(search_vector, '{b}') AS text), (
        SELECT string_agg('''@' || lexeme || ''':' || array_to_string(positions, 'B,') || 'B', ' ')
        FROM unnest(ts_filter(search_vector, '{b}')) WHERE octet_length(lexeme) <= :longest)) AS tsvector)
    || ts_filter(search_vector, '{c,d}')
WHERE id > :last AND id <= :upto
"""
).bindparams(longest=_LONGEST)
_UNMARKED = sa.text(
    """
UPDATE documents SET search_vector = ts_delete(search_vector, ARRAY(
    SELECT lexeme FROM unnest(ts_filter(search_vector, '{a,b}')) WHERE left(lexeme, 1) IN ('=', '@')))
WHERE id > :last AND id <= :upto
"""
)


def upgrade() -> None:
    """Mark the words of what is there."""
    _rewrite(_MARKED)


def downgrade() -> None:
    """Take the marks away."""
    _rewrite(_UNMARKED)


def _rewrite(statement: sa.TextClause) -> None:
    """Write all lists of words anew, some at a time; the index is made again at the end, which is faster by far."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        return
    op.drop_index("ix_documents_search_vector", "documents")
    top = connection.scalar(sa.text("SELECT coalesce(max(id), 0) FROM documents"))
    for last in range(0, top, _BATCH):
        connection.execute(statement, {"last": last, "upto": last + _BATCH})
    op.create_index("ix_documents_search_vector", "documents", ["search_vector"], postgresql_using="gin")
