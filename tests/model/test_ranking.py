import pytest

from webstrata.model.search.ranking import Facts, Ranking, Score, best_scored, depth_of, match_scores, scores, url_cost
from webstrata.model.search.relevance import Relevance
from webstrata.model.search.terms import FEW_TERMS


def ranked(*facts: Facts, phrase: tuple[str, ...] = ("flu",), relevance: float = 1.0) -> list[Score]:
    found = dict(enumerate(facts))
    return [*scores(dict.fromkeys(found, relevance), found, [phrase]).values()]


def test_the_text_counts_as_a_share_of_the_best() -> None:
    assert scores({1: 8.0, 2: 2.0}, {}, [("flu",)]) == {1: Score(1.0), 2: Score(0.25)}
    assert scores({1: 0.0}, {}, []) == {1: Score(0.0)}
    assert scores({}, {}, []) == {}


def test_a_title_that_is_the_phrase_beats_one_that_holds_it_and_that_one_with_the_words_apart() -> None:
    exact, holding, apart, other = ranked(
        Facts(" flu season ", 0, 0),
        Facts(" the flu season of this year ", 0, 0),
        Facts(" season of the flu ", 0, 0),
        Facts(" cold season ", 0, 0),
        phrase=("flu", "season"),
    )
    assert exact.title > holding.title > apart.title > other.title == 0


def test_a_word_is_not_found_in_the_middle_of_another() -> None:
    (score,) = ranked(Facts(" influenza flus ", 0, 0))
    assert score.title == 0


def test_links_lift_a_page_and_depth_lowers_it() -> None:
    plain, linked, famous, deep, deepest, abyss = ranked(
        *(Facts("  ", links, depth) for links, depth in ((0, 0), (10, 0), (10**9, 0), (0, 2), (0, 6), (0, 60)))
    )
    assert plain.total < linked.total < famous.total <= plain.total + 0.15
    assert plain.total > deep.total > deepest.total == abyss.total


def test_the_first_version_goes_by_the_text_alone() -> None:
    facts = {1: Facts(" flu ", 100, 0)}
    assert scores({1: 1.0}, facts, [("flu",)], Ranking.V1) == {1: Score(1.0)}
    assert [url_cost(kind, Ranking.V1) for kind in range(3)] == [0, 0, 0]
    assert 0 == url_cost(0) < url_cost(1) < url_cost(2)


@pytest.mark.parametrize(
    ("group", "depth"),
    [
        ("https://example.org/", 0),
        ("https://example.org", 0),
        ("https://example.org/a", 1),
        ("https://example.org/a/b/", 2),
        ("https://example.org/a?b=/c/d", 1),
    ],
)
def test_depth_is_counted_in_steps(group: str, depth: int) -> None:
    assert depth_of(group) == depth


def test_the_best_are_chosen_the_same_way_every_time() -> None:
    by_id = {number: Score(float(number % 5)) for number in range(20)}
    best, least = best_scored(by_id, 4)
    assert set(best) == {4, 9, 14, 19}
    assert all(score.total < least for number, score in by_id.items() if number not in best)
    assert best_scored(by_id, 100) == (list(by_id), float("-inf"))


def test_all_words_come_first_in_short_questions_and_in_long_ones_only_where_the_text_matches_as_well() -> None:
    whole = Relevance(words=0.5, nearness=0.0, held=frozenset({0, 1}), is_whole=True)
    found = {1: whole, 2: Relevance(words=1.0, nearness=0.0, held=frozenset({0})), 3: whole._replace(words=0.98)}
    known = dict.fromkeys(found, Facts("", 0, 0))

    def order(terms: int) -> list[int]:
        scored = match_scores(found, known, (), terms=terms)
        return sorted(scored, key=lambda document: -scored[document].total)

    assert order(FEW_TERMS) == [3, 1, 2]
    assert order(FEW_TERMS + 1) == [3, 2, 1]
