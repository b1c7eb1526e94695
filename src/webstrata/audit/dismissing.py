"""Popups of an audited page: dismissed by their own controls; a layer that still blocks the page is hidden."""

from typing import TYPE_CHECKING, Any

from webstrata.audit.page_scripts import CONTROLS, DOM_QUIET, HIDE_OVERLAYS
from webstrata.audit.policy import PopupPolicy
from webstrata.audit.popups import ControlPlace, PopupControl, choose_dismissal
from webstrata.audit.session_log import SessionLog
from webstrata.model.auditing.sessions import AuditEventType

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, Frame, Page

_CLICK_MS = 1_000
_AFTER_CLICK = (0.3, 2.0)
"""Seconds for which the DOM is quiet after a click, and how long that is waited for."""

_MAX_FRAMES = 10


async def dismiss_popups(page: "Page", policy: PopupPolicy, number: int, log: SessionLog) -> int:
    """Dismiss the popups of a page in one pass, and return how many there were."""
    clicked = 0
    while clicked < policy.clicks_per_pass and await _dismiss_one(page, number, log):
        clicked += 1
    return clicked


async def hide_overlays(page: "Page", policy: PopupPolicy, log: SessionLog) -> None:
    """Hide the fixed layers that still cover a page."""
    hidden = await page.evaluate(HIDE_OVERLAYS, policy.overlay_share)
    if hidden:
        await log.warning(AuditEventType.POPUP, "Hid overlays that blocked the page", overlays=hidden)


async def _dismiss_one(page: "Page", number: int, log: SessionLog) -> bool:
    """Click the control that dismisses a popup in one of the page's frames; return whether there was one."""
    from playwright.async_api import Error

    for frame in page.frames[:_MAX_FRAMES]:
        try:
            if await _dismiss_in(page, frame, number, log):
                return True
        except Error as error:
            reason = error.message.partition("\n")[0]
            await log.warning(AuditEventType.POPUP, "A popup could not be dismissed", reason=reason)
    return False


async def _dismiss_in(page: "Page", frame: "Frame", number: int, log: SessionLog) -> bool:
    found = await frame.evaluate_handle(CONTROLS, frame is not page.main_frame)
    try:
        controls = await (await found.get_property("controls")).json_value()
        chosen = choose_dismissal([_control(one) for one in controls])
        if chosen is None:
            return False
        elements = await found.get_property("elements")
        element = (await elements.get_property(str(chosen.position))).as_element()
        assert element is not None
        address = page.url
        await _click(element)
    finally:
        await found.dispose()
    await log.info(
        AuditEventType.POPUP, f"Dismissed a popup: {chosen.label}", kind=chosen.kind.value, popup_pass=number
    )
    await _settle(page, address, log)
    return True


async def _click(element: "ElementHandle") -> None:
    """Click a control; one that another layer covers is clicked by a script."""
    from playwright.async_api import TimeoutError as SlowError

    try:
        await element.click(timeout=_CLICK_MS)
    except SlowError:
        await element.dispatch_event("click")


async def _settle(page: "Page", address: str, log: SessionLog) -> None:
    """Wait for what a click changes; a click that left the page is undone."""
    await page.evaluate(DOM_QUIET, list(_AFTER_CLICK))
    if page.url.partition("#")[0] != address.partition("#")[0]:
        await log.warning(AuditEventType.POPUP, "The click left the page: going back", url=page.url)
        await page.goto(address, wait_until="load")


def _control(found: dict[str, Any]) -> PopupControl:
    return PopupControl(**found | {"place": ControlPlace(found["place"])})
