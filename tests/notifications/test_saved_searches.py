"""From a saved search to the receiver of its notifications, and its feed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.index.jobs import SITE, crawled_job
from tests.notifications.conftest import LOOPBACK, Deliver, Run, compute, dose
from tests.notifications.receiver import Receiver
from tests.support.fetched import fetched
from tests.web.conftest import make_app
from webstrata.db.engine import Database
from webstrata.errors import NotFoundError, UsageError
from webstrata.fetch.guard import NetworkGuard
from webstrata.jobs.watching.saved_search_commands import SavedSearchCommands
from webstrata.notifications.subscribing import SubjectRequest, subscribe_to
from webstrata.site import create_site

GUARD = NetworkGuard(LOOPBACK)


def changed_paths(receiver: Receiver, hook: str = "/hook") -> list[list[str]]:
    """Return what each message was about, the paths of the changed pages in order."""
    return [
        sorted(one["url"].rpartition("/")[2] for one in message.json["data"]["changes"])
        for message in receiver.accepted(hook)
    ]


def test_a_receiver_is_notified_of_captures_that_match_once_each(
    database: Database, run: Run, receiver: Receiver, deliver: Deliver, tmp_path: Path
) -> None:
    saved = SavedSearchCommands(database, tmp_path).add("Paracetamol", {"q": "paracetamol"})
    wanted = SubjectRequest(search="Paracetamol")
    made = subscribe_to(database, tmp_path, f"{receiver.origin}/hook", wanted, guard=GUARD)
    assert made.subject.saved_search_id == saved.id
    other = dose("5 g").replace("ibuprofen", "paracetamol")
    run({"/a": dose("200 mg"), "/b": other})
    deliver().deliver_due()
    assert changed_paths(receiver) == [["b"]], "a page that is new and matches, also in the first run of its source"

    run({"/a": dose("400 mg"), "/b": other})
    run({"/a": dose("400 mg").replace("ibuprofen", "paracetamol"), "/b": other.replace("5 g", "9 g")})
    run({"/a": dose("400 mg"), "/b": other.replace("5 g", "9 g")})
    deliver().deliver_due()
    assert changed_paths(receiver) == [["b"], ["a", "b"]], "unchanged pages and those that match no more are no matches"
    first, second = receiver.accepted("/hook")
    assert (first.json["type"], first.json["subscription"]["savedSearchId"]) == ("digest", saved.id)
    assert first.headers["webhook-id"] != second.headers["webhook-id"]

    SavedSearchCommands(database, tmp_path).remove("Paracetamol")
    run({"/b": other.replace("5 g", "1 g")})
    assert deliver().deliver_due().delivered == 0


def test_the_feed_of_a_saved_search_has_new_and_changed_captures_however_many_others_match(
    database: Database, run: Run, tmp_path: Path
) -> None:
    saved = SavedSearchCommands(database, tmp_path).add("Fever & <b>pain</b>", {"q": "ibuprofen fever"})
    run({"/a": dose("200 mg")})
    job = run({"/a": dose("400 mg")})
    again = crawled_job(database, tmp_path)
    later = datetime.now(UTC) + timedelta(days=1, seconds=1)
    again.add_warc([fetched(f"{SITE}/a", dose("400 mg"), at=later)], "same-day.warc.gz")
    assert again.index() == 0
    compute(again)
    for number in range(4):
        # A comment makes other bytes and another hash of a page that no reader sees as changed.
        run({"/a": f"{dose('400 mg')}<!-- {number} -->", "/other": "<title>Other</title><p>Nothing of that.</p>"})
    client = TestClient(create_site(make_app(database, job.root)))
    items = client.get(f"/api/saved-searches/{saved.id}/feed.json").json()["items"]
    assert [one["title"].partition(":")[0] for one in items] == ["Changed", "New page"]
    assert datetime.fromisoformat(items[0]["date_published"]) > datetime.fromisoformat(items[1]["date_published"])
    rss = client.get(f"/api/saved-searches/{saved.id}/rss").text
    assert "<b>" not in rss
    assert "Fever &amp; &lt;b&gt;" in rss


MATCHES: dict[str, tuple[dict[str, str], set[str]]] = {
    "word": ({"q": "ibuprofen"}, {"a"}),
    "form": ({"q": "tablets"}, {"c"}),
    "both": ({"q": "ibuprofen tablets"}, set()),
    "misspelt": ({"q": "ibuprofn"}, set()),
    "phrase": ({"q": '"every 6 hours"'}, {"a"}),
    "either": ({"q": "ibuprofen OR tablet"}, {"a", "c"}),
    "signs": ({"q": "!!!"}, set()),
    "address": ({"q": f"{SITE}/c"}, {"c"}),
    "html": ({"type": "html"}, {"a", "c"}),
    "pdf": ({"type": "pdf"}, set()),
}


def test_all_words_of_a_saved_search_count_in_any_form_and_nothing_is_guessed(
    database: Database, run: Run, receiver: Receiver, deliver: Deliver, tmp_path: Path
) -> None:
    orders = SavedSearchCommands(database, tmp_path)
    for name, (parameters, _) in MATCHES.items():
        orders.add(name, parameters)
        hook = f"{receiver.origin}/{name}"
        subscribe_to(database, tmp_path, hook, SubjectRequest(search=name), guard=GUARD)
    job = run({"/a": dose("200 mg"), "/c": "<title>Box</title><main><p>Take one tablet after each meal.</p></main>"})
    deliver().deliver_due()
    found = {name: {path for paths in changed_paths(receiver, f"/{name}") for path in paths} for name in MATCHES}
    assert found == {name: expected for name, (_, expected) in MATCHES.items()}
    client = TestClient(create_site(make_app(database, job.root)))
    for number, (name, paths) in enumerate(found.items(), 1):
        items = client.get(f"/api/saved-searches/{number}/feed.json").json()["items"]
        assert len(items) == len(paths), f"the feed and the notifications of {name} agree"


def test_a_subscription_is_about_exactly_one_thing_that_exists(database: Database, tmp_path: Path) -> None:
    for wanted, error in (
        (SubjectRequest(), UsageError),
        (SubjectRequest(watch=1, search="It"), UsageError),
        (SubjectRequest(search="It"), NotFoundError),
        (SubjectRequest(watch=7), NotFoundError),
        (SubjectRequest(source="none"), NotFoundError),
    ):
        with pytest.raises(error):
            subscribe_to(database, tmp_path, "https://hooks.example/x", wanted, guard=GUARD)
