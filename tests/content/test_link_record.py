"""The links of a page, packed and unpacked."""

from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.html import PageLinks
from webstrata.content.link_record import LinkRecord, unpacked
from webstrata.content.robots_meta import RobotsDirectives
from webstrata.model.crawl.tasks import Link, TaskType

header = st.none() | st.text(st.characters(max_codepoint=255))
links = st.builds(
    Link,
    st.text(st.characters(min_codepoint=33)).map(lambda rest: f"https://example.org/{rest}"),
    st.sampled_from(TaskType),
    st.booleans(),
)
records = st.builds(
    LinkRecord,
    st.builds(
        PageLinks,
        st.lists(links).map(tuple),
        st.builds(RobotsDirectives, st.booleans(), st.booleans(), st.booleans()),
    ),
    header,
    header,
    st.just("tester"),
)


@given(records)
def test_what_was_packed_is_unpacked(record: LinkRecord) -> None:
    packed = record.packed()
    assert packed is not None
    assert unpacked(packed, "tester") == record
    assert unpacked(packed, "another") is None, "pages may ask something else of another robot"


def test_the_links_of_a_site_take_few_bytes() -> None:
    found = tuple(Link(f"https://www.example.org/en/health/topic-{n * 7919 % 1000}.html") for n in range(40))
    packed = LinkRecord(PageLinks(found), "text/html; charset=utf-8", None, "tester").packed()
    assert packed is not None
    assert len(packed) < sum(len(link.url) for link in found) / 2


def test_a_list_without_end_is_not_stored() -> None:
    found = tuple(Link(f"https://example.org/{n}") for n in range(100_000))
    assert LinkRecord(PageLinks(found), None, None, "tester").packed() is None
