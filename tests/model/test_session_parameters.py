"""Which parameters are taken for those of sessions, by the links of page after page."""

from collections.abc import Callable, Iterable

import pytest

from webstrata.model.crawl.session_parameters import SessionParameters

SITE = "https://example.org"
PAGES = [f"/{name}" for name in ("", "about", "news", "contact", "shop?item=1", "shop?item=2")]

Linking = Callable[[str], Iterable[str]]


class Tokens:
    """Makes up values that never come twice."""

    def __init__(self) -> None:
        self.given = 0

    def __call__(self) -> str:
        self.given += 1
        return f"a{self.given:x}f9"


def with_value(path: str, name: str, value: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}{name}={value}"


def crawled(links_of: Linking, max_renewals: int = 10, max_chain: int = 100) -> list[str]:
    """Return the addresses that a crawl of a site asks for, in order, until there is nothing left or too many were."""
    sessions, most = SessionParameters(max_renewals, max_chain), 3_000
    queue, known = ["/"], {"/"}
    for address in queue:
        links = [SITE + link for link in links_of(address)]
        sessions.learn(SITE + address, links)
        for link in map(sessions.without, links):
            if (path := link.removeprefix(SITE)) not in known and len(queue) < most:
                known.add(path)
                queue.append(path)
    return queue


def test_a_site_that_renews_a_parameter_on_every_link_is_fetched_a_few_times_over() -> None:
    token = Tokens()

    def links_of(_address: str) -> list[str]:
        value = token()
        return [with_value(page, "sid", value) for page in PAGES]

    fetched = crawled(links_of)
    assert len(fetched) < 13 * len(PAGES)
    assert set(PAGES) <= set(fetched)


def test_each_link_may_have_a_new_value_of_its_own() -> None:
    token = Tokens()
    fetched = crawled(lambda _address: [with_value(page, "nonce", token()) for page in PAGES] + ["/plain", "/help"])
    assert len(fetched) < 15 * len(PAGES)


def test_a_path_that_leads_to_itself_with_a_new_value_ends() -> None:
    token = Tokens()
    fetched = crawled(lambda _address: [f"/page?sid={token()}", "/", "/about"])
    assert len(fetched) < 110
    assert "/page" in fetched


def test_pages_without_a_session_that_begin_one_are_noticed() -> None:
    token = Tokens()
    sessions = SessionParameters(max_renewals=10, max_chain=100)
    for number in range(20):
        value = token()
        links = [SITE + with_value(page, "s", value) for page in PAGES]
        sessions.learn(f"{SITE}/article/{number}", links)
    assert sessions.without(f"{SITE}/shop?item=1&s=zz9x") == f"{SITE}/shop?item=1"
    assert sessions.without("https://other.example/shop?item=1&s=zz9x") == "https://other.example/shop?item=1&s=zz9x"


def paged(address: str) -> list[str]:
    number = int(address.partition("page=")[2] or 0)
    return ["/", f"/list?page={number + 1}"] if number < 500 else ["/"]


def catalogue(address: str) -> list[str]:
    """Lists of twenty products with codes for ids, each with a page, its reviews and a link to the next."""
    if "id=" in address:
        code = address.partition("id=x")[2].removesuffix("q")
        return ["/", f"/reviews?id=x{code}q", f"/item?id=x{min(int(code) + 1, 999)}q", "/list?page=0"]
    number = int(address.partition("page=")[2] or 0)
    items = [f"/item?id=x{20 * number + n}q" for n in range(20)]
    return [*items, f"/list?page={number + 1}"] if number < 50 else []


def comments(address: str) -> list[str]:
    """Articles whose comments and print version are told by a code, among the ordinary links of a page."""
    if address == "/":
        return [f"/article/{n}" for n in range(300)]
    if not address.startswith("/article/"):
        return ["/"]
    code = f"p{address.rpartition('/')[2]}z7"
    return ["/", "/about", "/news", "/contact", f"/comments?post={code}", f"/print?post={code}"]


@pytest.mark.parametrize(("links_of", "at_least"), [(paged, 500), (catalogue, 2_000), (comments, 900)])
def test_pages_lists_and_codes_are_followed_to_their_end(links_of: Linking, at_least: int) -> None:
    never = 1_000_000
    assert crawled(links_of) == crawled(links_of, max_renewals=never, max_chain=never)
    assert at_least < len(crawled(links_of)) < 3_000


def test_what_is_remembered_stays_within_its_room() -> None:
    token = Tokens()
    sessions = SessionParameters(max_renewals=10, max_chain=100, room=500)
    for number in range(2_000):
        sessions.learn(f"{SITE}/", [f"{SITE}/list?p{number % 7}={token()}"])
        assert sum(parameter.size for parameter in sessions._parameters.values()) == sessions._kept <= 500
