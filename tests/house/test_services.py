import psycopg
from playwright.sync_api import Page
from redis import Redis

from tests.support.postgres import PostgresServer


def test_postgresql_is_real_and_has_what_search_needs(empty_postgres_url: str) -> None:
    with psycopg.connect(empty_postgres_url) as connection:
        assert connection.info.server_version >= 180000
        connection.execute("CREATE EXTENSION pg_trgm")
        connection.execute("CREATE EXTENSION unaccent")
        assert connection.execute("SELECT lower(unaccent('ÉTÉ'))").fetchone() == ("ete",)


def test_every_test_gets_its_own_postgresql_database(postgres_server: PostgresServer) -> None:
    names = [postgres_server.create(), postgres_server.create()]
    with psycopg.connect(postgres_server.url(names[0])) as connection:
        connection.execute("CREATE TABLE mine (id integer)")
    with psycopg.connect(postgres_server.url(names[1])) as connection:
        assert connection.execute("SELECT to_regclass('mine')").fetchone() == (None,)
    for name in names:
        postgres_server.drop(name)


def test_a_migrated_database_has_tables_on_each_kind(database_url: str) -> None:
    from webstrata.db.engine import Database
    from webstrata.db.migrate import current, head

    database = Database(database_url)
    assert current(database) == head()
    database.dispose()


def test_redis_is_real_and_empty(redis_url: str) -> None:
    with Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        client.set("left", "behind")


def test_redis_is_emptied_between_tests(redis_url: str) -> None:
    with Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0


def test_the_browser_shows_a_page(page: Page) -> None:
    page.set_content("<title>Reading room</title><p id=p></p><script>p.textContent = 6 * 7</script>")
    assert (page.title(), page.locator("#p").inner_text()) == ("Reading room", "42")
