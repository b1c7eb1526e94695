"""From a watch to the receiver of its notifications."""

from pathlib import Path

from tests.index.jobs import SITE
from tests.notifications.conftest import LOOPBACK, Deliver, Run, dose
from tests.notifications.receiver import Receiver
from webstrata.db.engine import Database
from webstrata.fetch.guard import NetworkGuard
from webstrata.jobs.watching.watch_commands import WatchCommands
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
    WatchCommands(database, tmp_path).remove(watch.id)
    run({"/a": dose("800 mg"), "/b": dose("800 mg")})
    assert deliver().deliver_due().delivered == 0
