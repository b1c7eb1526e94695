import secrets
from collections import Counter
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.runs import Archive
from tests.support.web_server import Answer, Request, WebServer, page
from webstrata.crawl.scope import CrawlScope
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.crawl.tasks import Link, TaskType
from webstrata.model.crawl.traps import TrapGuard, TrapLimits, without_session_id

SITE = "https://example.org"
RULES = ScopeRules.of([f"{SITE}/"], deny_paths=("/private/",))


def scope(max_depth: int = 3, **limits: int) -> CrawlScope:
    return CrawlScope(RULES, max_depth, TrapGuard(date(2026, 3, 15), TrapLimits(**limits)))


def followed(a_scope: CrawlScope, *paths: str) -> list[str]:
    return [link.url.removeprefix(SITE) for link in a_scope.admit_links([Link(SITE + path) for path in paths], 1)]


@pytest.mark.parametrize(("depth", "follows"), [(1, True), (3, True), (4, False)])
def test_links_are_followed_down_to_the_greatest_depth(depth: int, follows: bool) -> None:
    link = Link(f"{SITE}/a")
    assert scope().admit_links([link], depth) == ((link,) if follows else ())


def test_only_links_within_the_rules_and_outside_traps_are_followed_and_in_order() -> None:
    links = [Link(f"{SITE}/b", TaskType.MEDIA), Link("https://other.example/"), Link(f"{SITE}/private/x")]
    links += [Link(f"{SITE}/x/x/x/x/"), Link(f"{SITE}/a")]
    assert scope().admit_links(links, 1) == (links[0], links[-1])


def test_a_session_is_taken_out_and_the_kind_of_link_stays() -> None:
    with_session = Link(f"{SITE}/a?PHPSESSID=1&b=2", TaskType.MEDIA)
    for _ in range(2):
        assert scope().admit_links([with_session], 1) == (Link(f"{SITE}/a?b=2", TaskType.MEDIA),)


def test_what_was_followed_before_a_trap_closed_is_followed_again_and_nothing_else() -> None:
    watch = scope(max_combinations=50)
    filters = [f"/shoes?color={a}&size={b}" for a in range(10) for b in range(10)]
    first = followed(watch, *filters)
    assert 50 <= len(first) < len(filters)
    assert followed(watch, *filters) == first
    assert followed(watch, "/shoes?color=new&size=new", "/boots?color=1&size=2") == ["/boots?color=1&size=2"]


paths = st.lists(
    st.sampled_from(
        ["a", "b", "private", "calendar", "2040", "01", "", ";jsessionid=1", "(S(lit3py55t21z5v55vlm25s55))"]
    ),
    max_size=7,
).map(lambda parts: "/" + "/".join(parts))
queries = st.lists(st.sampled_from(["a=1", "a=2", "b=1", "sid=1", "phpsessid=x", "year=2050&month=1"]), max_size=4)


@given(st.lists(st.builds("{}?{}".format, paths, queries.map("&".join)) | paths, max_size=20))
def test_a_remembered_decision_is_the_one_that_would_be_made(addresses: list[str]) -> None:
    watch, fresh = scope(), TrapGuard(date(2026, 3, 15))
    for address in addresses * 2:
        url = without_session_id(SITE + address)
        expected = [url.removeprefix(SITE)] if RULES.admits(url) and fresh.verdict(url) is None else []
        assert followed(watch, address) == expected


def test_a_site_with_a_new_session_in_every_response_is_crawled_to_its_end(
    archive: Archive, web_server: WebServer
) -> None:
    real = [f"/page/{n}" for n in range(8)]

    def answer(_request: Request) -> Answer:
        session = secrets.token_hex(4)
        return page("A page", *(f"{path}?visit={session}&lang=en" for path in real))

    web_server.answers["/"] = answer
    web_server.answers |= {f"{path}?lang=en": page("The page itself") for path in real}
    web_server.otherwise = answer
    end = archive.crawl(web_server.url(), max_pages=5_000)
    asked = Counter(path.partition("?")[0] for path in web_server.pages())
    assert (end.limit, end.counts.pending) == (None, 0)
    assert {f"{path}?lang=en" for path in real} <= set(web_server.pages())
    assert max(asked.values()) < 50
