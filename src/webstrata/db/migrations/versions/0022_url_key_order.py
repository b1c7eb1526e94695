"""URL keys in byte order on PostgreSQL, as on SQLite: ranges of them are prefixes, hosts and domains."""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        # The table stays as it is; PostgreSQL builds the index on the column again.
        op.execute('ALTER TABLE captures ALTER COLUMN url_key TYPE text COLLATE "C"')


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute('ALTER TABLE captures ALTER COLUMN url_key TYPE text COLLATE "default"')
