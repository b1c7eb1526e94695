"""Notifications as a user of the program gets them: archived, subscribed, changed, notified, and killed meanwhile."""

import json
import signal
import threading
from collections import Counter
from pathlib import Path

from tests.notifications.conftest import dose
from tests.notifications.receiver import Receiver
from tests.support.program import Program
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer


def test_a_kill_during_the_delivery_loses_nothing_and_repeats_only_what_has_the_same_id(
    tmp_path: Path, web_server: WebServer, receiver: Receiver
) -> None:
    program = Program(tmp_path / "data", {"WEBSTRATA_PER_HOST_DELAY": "0"})
    menu = "".join(f"<a href=/{name}>{name}</a>" for name in "abc")
    web_server.answers["/"] = Answer(f"<title>Home</title><p>All pages: {menu}</p>".encode())
    set_doses(web_server, "200 mg")
    assert program.run("archive", web_server.url()).returncode == 0
    (source,) = json.loads(program.run("sources", "--json").stdout)
    hook = f"{receiver.origin}/secret"
    made = program.run("subscribe", hook, "--source", source["code"], "--each")
    assert made.returncode == 0, made.stderr
    set_doses(web_server, "400 mg")
    may_respond = threading.Event()
    receiver.respond = lambda path: 204 if may_respond.wait(60) else 500
    with program.started("archive", web_server.url()) as archiving:
        wait_until(receiver.arrived.is_set, "the first notification arrives", 60)
        archiving.signal(signal.SIGKILL)
        archiving.ended()
    may_respond.set()
    again = program.run("worker", "--once")
    assert again.returncode == 0, again.stderr
    wait_until(lambda: len(receiver.received) == 4, "the request that was killed ends")
    keys = Counter(receiver.keys("/secret"))
    assert sorted(keys.values()) == [1, 1, 2]
    assert {one.headers["webhook-id"] for one in receiver.received} == set(keys)
    shown = program.run("notify-targets", "--json").stdout + made.stdout + again.stderr + archiving.output
    assert "/secret" not in shown
    assert json.loads(program.run("notify", "--json").stdout)["delivered"] == 0


def set_doses(server: WebServer, amount: str) -> None:
    for name in "abc":
        server.answers[f"/{name}"] = Answer(dose(amount).replace("Fever", f"Fever {name}").encode())
