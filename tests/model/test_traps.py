from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import UsageError
from webstrata.model.crawl.traps import QueryCombinations, TrapGuard, TrapLimits, without_session_id
from webstrata.model.urls import parse_url

TODAY = date(2026, 3, 15)
SITE = "https://example.org"

ORDINARY = [
    "/",
    "/index.html",
    "/news/1998/05/03/flood-in-the-valley.html",
    "/1851/09/18/archives/first-edition.html",
    "/2026/03/15/today/",
    "/lccn/sn83030214/1905-01-01/ed-1/seq-1/",
    "/releases/2031/01/",
    "/events/2009/05/spring-conference",
    "/history/events/1914/07/28/",
    "/council/agendas/1987/11/09/agenda.pdf",
    "/calendar/2026/04/",
    "/calendar/month/2030-12",
    "/gallery/4821/12/",
    "/gallery/2140/11/",
    "/plan-2021-2031/targets-for-2050/",
    "/strategy/2050/",
    "/products/2099-12",
    "/list?page=2",
    "/list?page=20000",
    "/films?year=1939&page=3",
    "/cars?year=1965",
    "/archive?year=1999&month=12",
    "/newspaper?date=1905-01-01",
    "/departures?time=203105",
    "/photo?id=2031050312",
    "/events?id=3456789012",
    "/shoes?color=red&size=42",
    "/shoes?color=red&color=blue&size=42&sort=price&order=asc&page=3",
    "/find?f[]=a&f[]=b&f[]=c&f[]=d&f[]=e",
    "/search?q=two+words&lang=en&from=2024-01-01&to=2024-12-31",
    "/a.jpg?w=300&h=200&fit=crop&auto=format&q=75&s=0123456789abcdef0123456789abcdef",
    "/docs/manual/3.2/en/reference/library/io/streams/text/reading/lines/buffered.html",
    "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t",
    "/en/about/en/team",
    "/store/000/000/000/012/original.jpg",
    "/store/0/0/0/0/0/1.jpg",
    "/tiles/3/3/3.png",
    "/wiki/Talk:Talk/Talk",
    "/web/2020/https://example.com//a//",
    "/index.php?option=com_content&view=article&id=74&Itemid=36",
    "/viewtopic.php?f=3&t=1234&start=15",
    "/section?sid=12",
    "/conference?session_id=45",
    "/login?next=%2Faccount%3Ftab%3Dorders",
    "/a;v=1.2/b",
    "/(draft)/x",
]

TRAPS = [
    ("/a/b/a/b/a/b", "goes round in 'a/b'"),
    ("/x/a/b/a/b/a/b/index.html", "goes round in 'a/b'"),
    ("/a/b/c/a/b/c/a/b/c/", "goes round in 'a/b/c'"),
    ("/img/img/img/img/logo.png", "repeats 'img' 4 times"),
    ("/img/a/img/b/img/c/img/", "repeats 'img' 4 times"),
    ("/0/0/0/0/0/0/0/x", "repeats '0' 7 times"),
    ("/" + "/".join(map(str, range(21))), "more than 20 segments"),
    ("/list?" + "&".join(f"p{n}=1" for n in range(21)), "more than 20 parameters"),
    ("/list?a=1&page=2&page=2&page=2&page=2", "repeats 'page=2' 4 times"),
    ("/login?next=%2Flogin%3Fnext%3D%252Flogin%253Fnext%253D%25252F", "an address in an address in an address"),
    ("/calendar/2031/04/", "dated 2031-04, more than 5 years ahead"),
    ("/calendar/2031/4", "dated 2031-04"),
    ("/kalender/monat/2099-12", "dated 2099-12"),
    ("/events/2040-01/", "dated 2040-01"),
    ("/day/2033/01/31/", "dated 2033-01"),
    ("/page?day=2033-01-31", "dated 2033-01"),
    ("/page?month=2033-01", "dated 2033-01"),
    ("/page?date=20330131", "dated 2033-01"),
    ("/page?ym=203301", "dated 2033-01"),
    ("/page?day=2033%2F01%2F31", "dated 2033-01"),
    ("/page?year=2033&month=1", "dated 2033-01"),
    ("/page?tx_cal[year]=2033&tx_cal[month]=1", "dated 2033-01"),
    ("/calendar/view.php?view=month&time=1988150400", "dated 2033-01"),
    ("/calendar/1990/01/", "calendar of 1990-01, more than 30 years ago"),
    ("/page?tribe-bar-date=1990-01-01", "calendar of 1990-01"),
    ("/page;jsessionid=1A2B3C", "path holds a session id"),
    ("/shop/(S(lit3py55t21z5v55vlm25s55))/orders.aspx", "path holds a session id"),
    ("/page?id=1&PHPSESSID=abc", "its phpsessid is a session id"),
    ("/page?JSESSIONID=1A2B", "its jsessionid is a session id"),
    ("/page?sid=0123456789abcdef0123456789abcdef", "its sid is a session id"),
]


def guard(**limits: int) -> TrapGuard:
    return TrapGuard(TODAY, TrapLimits(**limits))


@pytest.mark.parametrize("path", ORDINARY)
def test_an_ordinary_address_passes(path: str) -> None:
    href = parse_url(SITE + path).href
    assert guard().verdict(href) is None
    assert without_session_id(href) == href


@pytest.mark.parametrize(("path", "reason"), TRAPS, ids=[path[:40] for path, _ in TRAPS])
def test_a_trap_is_refused_with_its_reason(path: str, reason: str) -> None:
    assert reason in str(guard().verdict(parse_url(SITE + path).href))


@pytest.mark.parametrize(
    ("limit", "loose", "path"),
    [
        ("max_segments", 22, "/" + "/".join(map(str, range(21)))),
        ("max_repeats", 4, "/img/img/img/img/logo.png"),
        ("max_parameters", 21, "/list?" + "&".join(f"p{n}=1" for n in range(21))),
        ("future_years", 6, "/calendar/2031/04/"),
        ("past_years", 40, "/calendar/1990/01/"),
    ],
)
def test_a_limit_decides_what_is_a_trap(limit: str, loose: int, path: str) -> None:
    assert guard().verdict(SITE + path) is not None
    assert guard(**{limit: loose}).verdict(SITE + path) is None


def test_a_calendar_is_walked_for_some_years_and_no_further() -> None:
    watch = guard()
    months = [f"{year}/{month:02}" for year in range(1980, 2045) for month in range(1, 13)]
    walked = [month for month in months if watch.verdict(f"{SITE}/calendar/{month}/") is None]
    assert (walked[0], walked[-1]) == ("1996/03", "2031/03")
    assert len(walked) == 35 * 12 + 1


def test_filters_that_are_combined_without_end_are_stopped() -> None:
    watch = guard(max_combinations=100)
    combined = [f"{SITE}/shoes?color={a}&size={b}&brand={c}" for a in range(10) for b in range(10) for c in range(10)]
    verdicts = [watch.verdict(href) for href in combined]
    assert verdicts.index("its path has too many combinations of parameters") == 100
    assert verdicts[:100] == [None] * 100
    assert None not in verdicts[100:]
    assert watch.verdict(f"{SITE}/boots?color=1&size=2") is None
    assert watch.verdict("https://example.com/shoes?color=1&size=2") is None
    assert watch.verdict(f"{SITE}/shoes?page=2") is None


@pytest.mark.parametrize(
    "query",
    [
        "id={0}",
        "option=content&view=article&id={0}",
        "f={1}&t={0}",
        "t={1}&start={2}",
        "title=page{1}&action=history{2}",
    ],
)
def test_a_site_that_numbers_its_pages_in_queries_is_not_stopped(query: str) -> None:
    watch = guard(max_combinations=100)
    queries = (query.format(n, n // 6, n % 6) for n in range(5_000))
    assert {watch.verdict(f"{SITE}/index.php?{each}") for each in queries} == {None}


def test_what_an_earlier_run_let_pass_counts() -> None:
    combined = [f"{SITE}/shoes?color={a}&size={b}" for a in range(12) for b in range(12)]
    whole, resumed = guard(max_combinations=100), guard(max_combinations=100)
    passed = [href for href in combined if whole.verdict(href) is None]
    resumed.remember(passed[:60])
    assert [href for href in combined if resumed.verdict(href) is None] == passed
    assert len(passed) == 100


def test_the_same_address_is_judged_the_same_again() -> None:
    watch = guard(max_combinations=100)
    combined = [f"{SITE}/shoes?color={a}&size={b}" for a in range(12) for b in range(12)]
    assert [watch.verdict(href) for href in combined] == [watch.verdict(href) for href in combined]


def test_counting_queries_stays_within_its_room() -> None:
    counting = QueryCombinations(limit=100, room=1_000, most_paths=50)
    for n in range(20_000):
        counting.explodes(f"/path/{n % 200}", [("a", str(n)), ("b", str(n % 7)), (f"c{n}", "x")])
        assert sum(variety.size for variety in counting._paths.values()) == counting._kept <= 1_000
        assert len(counting._paths) <= 50


def test_a_path_of_numbered_pages_takes_no_room_once_it_is_known_as_one() -> None:
    counting = QueryCombinations(limit=100)
    assert not any(counting.explodes("/", [("id", str(n)), ("view", "page")]) for n in range(1_000))
    assert counting._kept == 0


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        ("/page;jsessionid=1A2B3C?x=1", "/page?x=1"),
        ("/page?PHPSESSID=abc", "/page"),
        ("/page?a=1&PHPSESSID=abc&b=2", "/page?a=1&b=2"),
        ("/shop/(S(lit3py55t21z5v55vlm25s55))/orders.aspx", "/shop/orders.aspx"),
        ("/page?sid=12", "/page?sid=12"),
    ],
)
def test_a_session_id_is_taken_out_of_an_address(path: str, clean: str) -> None:
    assert without_session_id(SITE + path) == SITE + clean


@given(
    st.lists(
        st.sampled_from(["a", "b", "2031", "05", "events", "calendar", "", ";jsessionid=1"]) | st.text(max_size=5)
    ),
    st.lists(st.tuples(st.sampled_from(["sid", "year", "month", "date", "time", "phpsessid", "x[y]"]), st.text())),
)
def test_every_address_is_judged_and_cleaned_without_an_error(parts: list[str], pairs: list[tuple[str, str]]) -> None:
    query = "&".join(f"{name}={value}" for name, value in pairs)
    try:
        href = parse_url(f"{SITE}/{'/'.join(parts)}?{query}").href
    except UsageError:
        return
    verdict = guard().verdict(href)
    clean = without_session_id(href)
    assert without_session_id(clean) == clean
    assert "session id" not in (guard().verdict(clean) or "")
    assert "session id" not in (verdict or "") or clean != href


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=6), st.integers(0, 3))
def test_a_path_that_goes_round_is_refused_wherever_it_begins(cycle: list[str], before: int) -> None:
    path = [f"p{n}" for n in range(before)] + cycle * 3
    assert guard().verdict(f"{SITE}/{'/'.join(path)}/end.html") is not None
