"""Change token: a value that differs after every commit of any process; caches compare it.

On SQLite it is a connection's count of the commits of all others (https://sqlite.org/pragma.html#pragma_data_version);
the connection is used for nothing else, so that every commit counts. PostgreSQL's snapshot lists the visible
transactions: two readers of the same snapshot saw the same. Both also change for commits that no reader would notice,
and never miss one.
"""

from threading import Lock

from sqlalchemy import PoolProxiedConnection, event

from webstrata.db.engine import Database

_QUESTIONS = {"sqlite": "PRAGMA data_version", "postgresql": "SELECT pg_current_snapshot()::text"}


class Revision:
    """Reads the change token of a database, over a connection of its own."""

    def __init__(self, database: Database) -> None:
        """Prepare; nothing is opened yet."""
        self._database = database
        self._question = _QUESTIONS[database.url.get_backend_name()]
        # A separate connection, which need not wait when all connections of the pool are busy.
        self._pool = database.engine.pool.recreate()
        self._asking = Lock()
        self._connection: PoolProxiedConnection | None = None
        self._opened = 0
        event.listen(database.engine, "engine_disposed", lambda _engine: self.close())

    @property
    def is_instant(self) -> bool:
        """Return whether reading the token needs no round trip to a server, as on SQLite."""
        return self._database.is_sqlite

    def now(self) -> str | None:
        """Return the current change token; None when the database cannot be reached."""
        with self._asking:
            try:
                return self._read()
            except self._database.engine.dialect.loaded_dbapi.Error:
                self._let_go()
                return None

    def close(self) -> None:
        """Close the connection, as when the database is disposed of; the next call opens a new one."""
        with self._asking:
            self._let_go()

    def _read(self) -> str:
        if self._connection is None:
            self._connection = self._reopen()
        cursor = self._connection.cursor()
        cursor.execute(self._question)
        found = cursor.fetchone()
        assert found is not None
        # SQLite counts separately for each connection, so counts of two connections must not be compared.
        return f"{self._opened} {found[0]}"

    def _reopen(self) -> PoolProxiedConnection:
        """Open a connection outside of any transaction, inside of which the token would not change."""
        connection = self._pool.connect()
        self._opened += 1
        if not self._database.is_sqlite:
            driver = connection.driver_connection
            assert driver is not None
            driver.autocommit = True
        return connection

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.invalidate()
            self._connection = None
