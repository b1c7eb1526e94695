from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from webstrata.model.archive import SnapshotView
from webstrata.web.timeline import MAX_TICKS, Change, changes_of, draw_strip, spread

START = datetime(2024, 1, 1, tzinfo=UTC)


def capture(id: int, day: float, content_hash: str | None = "a") -> SnapshotView:
    return SnapshotView(
        id=id,
        url="https://health.example/",
        normalized_url_group="https://health.example/",
        title="Health",
        snippet=None,
        language="en",
        captured_at=START + timedelta(days=day),
        mime_type="text/html",
        status_code=200,
        content_hash=content_hash,
        source_code="health",
        source_name="Health",
        job_id=1,
        job_name="health",
    )


def test_a_capture_is_compared_with_the_one_before() -> None:
    captures = [capture(n, n, content) for n, content in enumerate(["a", "a", "b", None, "b"])]
    assert changes_of(captures) == [Change.FIRST, Change.SAME, Change.CHANGED, Change.UNKNOWN, Change.UNKNOWN]


def test_ticks_are_tall_where_there_is_something_new() -> None:
    captures = [capture(1, 0, "a"), capture(2, 1, "a"), capture(3, 2, "b")]
    strip = draw_strip(captures, captures[1])
    assert [tick.is_tall for tick in strip.ticks] == [False, False, True], "the first has none before it"
    assert [tick.is_current for tick in strip.ticks] == [False, True, False]
    assert (strip.captures, strip.changes) == (3, 1)
    assert (strip.older, strip.newer) == (captures[0], captures[2])


def test_the_ends_of_the_timeline_lead_nowhere() -> None:
    captures = [capture(1, 0), capture(2, 1)]
    assert draw_strip(captures, captures[0]).older is None
    assert draw_strip(captures, captures[1]).newer is None


def test_a_capture_that_its_page_does_not_list_stands_alone() -> None:
    strip = draw_strip([capture(1, 0)], capture(9, 3))
    assert [tick.snapshot.id for tick in strip.ticks] == [9]
    assert (strip.older, strip.newer) == (None, None)


def test_places_are_in_proportion_to_time() -> None:
    first, middle, last = spread([0, 25, 100], gap=1)
    assert (middle - first) / (last - first) == 0.25


def test_captures_of_the_same_moment_lie_side_by_side_in_the_middle() -> None:
    assert spread([7, 7, 7], gap=4) == [46, 50, 54]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=MAX_TICKS).map(sorted))
def test_ticks_never_touch_nor_leave_the_strip(moments: list[int]) -> None:
    captures = [capture(n, moment / 86_400) for n, moment in enumerate(moments)]
    strip = draw_strip(captures, captures[0])
    places = [tick.left for tick in strip.ticks]
    assert all(after - before >= strip.gap - 0.02 for before, after in pairwise(places))
    assert min(places) >= 2.9
    assert max(places) <= 97.1


def test_of_very_many_captures_those_around_the_current_one_are_drawn() -> None:
    captures = [capture(n, n) for n in range(1_000)]
    strip = draw_strip(captures, captures[700])
    assert len(strip.ticks) == MAX_TICKS
    assert strip.left_out == 1_000 - MAX_TICKS
    assert strip.ticks[0].snapshot.id < 700 < strip.ticks[-1].snapshot.id
    assert draw_strip(captures, captures[999]).ticks[-1].snapshot.id == 999
    assert draw_strip(captures, captures[0]).ticks[0].snapshot.id == 0


def test_ticks_that_would_touch_make_the_strip_wider_than_a_phone() -> None:
    assert draw_strip([capture(n, n) for n in range(28)], capture(0, 0)).width == "100%"
    assert int(draw_strip([capture(n, n) for n in range(100)], capture(0, 0)).width) > 1_000
