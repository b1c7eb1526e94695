from webstrata.model.list_totals import MOST_COUNTED, is_capped
from webstrata.web.list_pages import count_pages, total_words

LONG = MOST_COUNTED + 1


def test_a_total_is_exact_to_a_limit_and_says_when_there_are_more() -> None:
    assert not is_capped(MOST_COUNTED)
    assert is_capped(LONG)
    assert total_words(2, "change") == "2 changes"
    assert total_words(LONG, "change") == "more than 10,000 changes"


def test_a_list_that_is_not_counted_has_a_next_page_after_every_full_one() -> None:
    assert count_pages(total=61, size=30, here=1, shown=30) == 3
    assert count_pages(total=LONG, size=50, here=1, shown=50) == 201
    assert count_pages(total=LONG, size=50, here=300, shown=50) == 301
    assert count_pages(total=LONG, size=50, here=300, shown=49) == 300
