from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from webstrata.storage.combined_log import Statistics
from webstrata.web.jobs.plot import HEIGHT, ROWS, WIDTH, Plot, PlotLine, draw_plot

NOON = datetime(2024, 5, 3, 12, tzinfo=UTC)


def seen(minute: float, crawled: int = 0, pending: int = 0, failed: int = 0) -> Statistics:
    return Statistics(NOON + timedelta(minutes=minute), crawled, crawled + pending + failed, pending, failed)


def drawn(statistics: Sequence[Statistics]) -> Plot:
    plot = draw_plot(statistics)
    assert plot is not None
    return plot


def line(plot: Plot, kind: str) -> PlotLine:
    (found,) = [line for line in plot.lines if line.kind == kind]
    return found


def places(found: PlotLine) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (point.split(",") for point in found.points.split())]


@pytest.mark.parametrize("statistics", [[], [seen(0, 5)], [seen(0, 5), seen(0, 6)]])
def test_what_has_no_length_in_time_is_not_drawn(statistics: list[Statistics]) -> None:
    assert draw_plot(statistics) is None


def test_lines_go_from_edge_to_edge_and_the_highest_value_to_the_top() -> None:
    plot = drawn([seen(0, 0, 40), seen(1, 10, 30), seen(4, 40)])
    crawled = places(line(plot, "crawled"))
    assert [x for x, _ in crawled] == [0, WIDTH / 4, WIDTH]
    assert crawled[0][1] == HEIGHT - 1
    assert crawled[-1][1] == 1
    assert places(line(plot, "pending"))[0][1] == 1
    assert plot.highest == 40
    assert (plot.begins, plot.ends) == (NOON, NOON + timedelta(minutes=4))


def test_attempts_after_the_first_are_marked_where_they_begin() -> None:
    began = [NOON - timedelta(seconds=1), NOON + timedelta(minutes=1), NOON + timedelta(minutes=9)]
    plot = draw_plot([seen(0, 0, 40), seen(2, 10, 30), seen(4, 40)], began)
    assert plot is not None
    assert plot.marks == (WIDTH // 4,)
    assert drawn([seen(0), seen(1)]).marks == ()


def test_a_level_stretch_needs_no_points_of_its_own() -> None:
    plot = drawn([seen(minute, minute) for minute in range(50)])
    assert len(places(line(plot, "crawled"))) == 50
    assert len(places(line(plot, "failed"))) == 2


def test_a_crawl_without_captures_is_a_flat_line() -> None:
    plot = drawn([seen(0), seen(9)])
    assert plot.highest == 0
    assert {y for _, y in places(line(plot, "crawled"))} == {HEIGHT - 1}


def test_moments_that_a_log_reports_out_of_order_are_put_in_order() -> None:
    plot = drawn([seen(3, 30), seen(0, 1)])
    assert plot.begins == NOON
    assert line(plot, "crawled").last == 30


def test_the_picture_is_reported_in_words_and_in_a_short_table() -> None:
    plot = drawn([seen(minute, 100 * minute, 3_000 - 100 * minute, 7) for minute in range(31)])
    assert plot.summary == "3,000 pages crawled within 30\u00a0min, 7 failed, 0 waiting at the end."
    assert len(plot.rows) == ROWS
    assert (plot.rows[0].crawled, plot.rows[-1].crawled) == (0, 3_000)
    assert [row.crawled for row in plot.rows] == sorted(row.crawled for row in plot.rows)
