from tests.support.linked import Arrival, LinkedArchive, group
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.db.replay.page_links import CapturedLinks, links_of


def links(database: Database, snapshot_id: int, most: int = 200) -> CapturedLinks:
    with database.read() as session:
        of = catalog.snapshot(session, snapshot_id)
        assert of is not None
        return links_of(session, of, most=most)


def named(found: CapturedLinks) -> dict[str, int | None]:
    """Return the capture of each page that is linked to, in the order of the list."""
    return {link.address: link.capture.id if link.capture else None for link in found.shown}


def test_each_link_has_the_good_capture_closest_in_time(database: Database) -> None:
    archive = LinkedArchive(database)
    early, late, other, _failed, front, again = archive.add(
        Arrival("b", day=1),
        Arrival("b", day=9),
        Arrival("c", day=7, source="other"),
        Arrival("d", day=6, status=404),
        Arrival("a", "bcdx", day=6),
        Arrival("a", "bcdx", day=3),
    )
    closest = {group("b"): late, group("c"): other, group("d"): None, group("x"): None}
    assert [*named(links(database, front)).items()] == [*closest.items()], "archived ones come first"
    assert named(links(database, again)) == closest | {group("b"): early}, "links that are shared are found too"
    assert links(database, early) == CapturedLinks((), 0)
    some = links(database, front, most=1)
    assert (len(some.shown), some.total) == (1, 4)


def test_captures_of_the_hidden_source_are_shown_beside_its_own_alone(database: Database) -> None:
    archive = LinkedArchive(database)
    hidden, own, public = archive.add(
        Arrival("b", source="test"), Arrival("a", "b", source="test"), Arrival("c", "b", source="hc")
    )
    assert named(links(database, own)) == {group("b"): hidden}
    assert named(links(database, public)) == {group("b"): None}
