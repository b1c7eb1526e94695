from webstrata.crawl.tally import CrawlProgress
from webstrata.db.engine import Database
from webstrata.db.operations import operations
from webstrata.db.operations.operations import Operation
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.jobs.progress.permit_waits import WRITTEN_EVERY, PermitWaits
from webstrata.model.crawl.run_reports import CrawlReport

PROGRESS = CrawlProgress(FrontierCounts(), CrawlReport())


def written(database: Database) -> tuple[int, int]:
    with database.read() as session:
        counted = operations.counted(session)
    return counted[Operation.HOST_TURN_WAITS], counted[Operation.HOST_TURN_WAIT_MS]


def test_waits_are_written_now_and_then_and_the_rest_at_the_end(database: Database) -> None:
    now, seen = [0.0], list[CrawlProgress]()
    with PermitWaits(database, clock=lambda: now[0]) as waits:
        watch = waits.reporting(seen.append)
        for seconds in (1.5, 0.25, 0.0):
            waits.add_wait(seconds)
        watch(PROGRESS)
        assert written(database) == (0, 0)
        now[0] = WRITTEN_EVERY
        watch(PROGRESS)
        assert written(database) == (2, 1750)
        waits.add_wait(2.0)
    assert written(database) == (3, 3750)
    assert seen == [PROGRESS, PROGRESS]


def test_a_database_that_is_away_costs_the_numbers_and_not_the_crawl() -> None:
    away = Database("postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
    ended = False
    with PermitWaits(away) as waits:
        waits.add_wait(1.0)
        ended = True
    away.dispose()
    assert ended
