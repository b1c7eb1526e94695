"""From a watch to the receiver of its notifications."""

from pathlib import Path

from tests.index.jobs import SITE
from tests.notifications.conftest import LOOPBACK, Deliver, Run, dose
from tests.notifications.receiver import Receiver
from webstrata.db.engine import Database
from webstrata.fetch.guard import NetworkGuard
from webstrata.jobs.watching.watch_commands import WatchCommands
from webstrata.model.changes.values import SIGNIFICANT
from webstrata.model.watching.watches import WatchRequest


def test_a_receiver_is_notified_of_edits_of_a_watched_page_and_of_no_others(
    database: Database, run: Run, receiver: Receiver, deliver: Deliver, tmp_path: Path
) -> None:
    # The first captures of the fixture are from now on, so that they are later than the watch.
    run({"/a": dose("100 mg"), "/b": dose("100 mg")})
    request = WatchRequest(f"{SITE}/a", select="main p")
    watch, (made,) = WatchCommands(database, tmp_path).add_notifying(
        request, [f"{receiver.origin}/hook"], NetworkGuard(LOOPBACK)
    )
    assert made.subject.watch_id == watch.id
    run({"/a": dose("200 mg"), "/b": dose("200 mg")})
    run({"/a": dose("400 mg"), "/b": dose("400 mg")})
    run({"/a": dose("400 mg").replace("Fever</h1>", "Fever and pain</h1>"), "/b": dose("400 mg")})
    deliver().deliver_due()
    (digest,) = receiver.accepted("/hook")
    assert [one["url"].rpartition("/")[2] for one in digest.json["data"]["changes"]] == ["a"]
    (change,) = digest.json["data"]["changes"]
    assert (change["changeType"], change["reasons"]) == ("updated", ["a dose changed: 200 mg → 400 mg"])
    WatchCommands(database, tmp_path).remove(watch.id)
    run({"/a": dose("800 mg"), "/b": dose("800 mg")})
    assert deliver().deliver_due().delivered == 0


def test_a_watch_of_a_part_notifies_of_that_part_only(
    database: Database, run: Run, receiver: Receiver, deliver: Deliver, tmp_path: Path
) -> None:
    def page(amount: str, checked: str) -> dict[str, str]:
        return {"/a": dose(amount) + f"<footer><p id=checked>Last updated: {checked}</p></footer>"}

    run(page("100 mg", "2026-01-01"))
    request = WatchRequest(f"{SITE}/a", select="#checked")
    watches = WatchCommands(database, tmp_path)
    watches.add_notifying(request, [f"{receiver.origin}/hook"], NetworkGuard(LOOPBACK))
    run(page("100 mg", "2026-01-01"))
    run(page("200 mg", "2026-01-01"))
    run(page("200 mg", "2026-01-02"))
    run(page("400 mg", "2026-01-03"))
    deliver().deliver_due()
    found = [one for message in receiver.accepted("/hook") for one in message.json["data"]["changes"]]
    assert [(one["changeType"], one["significance"]) for one in found] == [("updated", SIGNIFICANT)] * 2
    assert not any("mg" in reason for one in found for reason in one["reasons"])
