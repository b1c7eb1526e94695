"""Audits of shops with what real ones have: walls of every kind, gates, odd links, and pages that never rest."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from tests.audit.shops import odd
from tests.audit.shops.shops import Shop
from tests.audit.test_session import Audited, make_app, queue
from tests.support.web_server import serving
from webstrata.jobs.auditing.loop import run_audits

COMPLETED: dict[Callable[[], Shop], str | None] = {
    odd.framed_wall: "Dismissed a popup: Continuer sans accepter",
    odd.shadow_wall: "Dismissed a popup: Deny all",
    odd.late_overlay: "Dismissed a popup: ×",
    odd.age_gate: "Dismissed a popup: Yes",
    odd.region_picker: "Dismissed a popup: Stay on this site",
    odd.order_form: None,
    odd.single_page: None,
    odd.clicked_cards: None,
    odd.tracked_links: None,
    odd.moving_home: None,
    odd.never_idle: None,
    odd.windows: None,
    odd.foreign_paths: None,
    odd.endless_grid: None,
    odd.moved_home: None,
}
NEVER_OPENED = ("/too-young", "/us/", "/checkout", "/order", "/payment", "/subscribe")


@pytest.mark.soak
@pytest.mark.timeout(400)
def test_odd_shops_are_audited_as_others(tmp_path: Path) -> None:
    app = make_app(tmp_path, audit_concurrency=4)
    with ExitStack() as stack:
        servers = {shop: stack.enter_context(serving()) for shop in (*COMPLETED, odd.captcha, odd.reloading)}
        for shop, server in servers.items():
            server.answers.update(shop())
        ids = {shop: queue(app, server) for shop, server in servers.items()}
        asyncio.run(run_audits(app.audit_parts(), app.audit_browser(), threading.Event(), timedelta(0)))
    found = {shop: Audited(app, audit_id) for shop, audit_id in ids.items()}
    for shop, popup in COMPLETED.items():
        assert (shop.__name__, found[shop].audit.error_summary) == (shop.__name__, None)
        assert found[shop].audit.status == "completed"
        popups = found[shop].messages("popup")
        assert popups.count(popup) == 4 if popup else not popups, shop.__name__
        assert not [path for path in servers[shop].paths() if path.startswith(NEVER_OPENED)], shop.__name__
    assert found[odd.captcha].audit.error_summary == "Bot-block"
    restless = found[odd.reloading]
    assert restless.audit.status.is_final
    assert all(page.error is None or "again and again" in page.error for page in restless.pages)
    app.close()
