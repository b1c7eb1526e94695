"""Dismisses the popups of an audited page with their own controls, and hides layers that still block the page."""

from typing import TYPE_CHECKING, Any

from webstrata.audit.navigation_hold import hold_on_page
from webstrata.audit.page_scripts import CONTROLS, DOM_QUIET, HIDE_OVERLAYS, IS_OVERLAY_FRAME, MARK_CLICKED
from webstrata.audit.policy import PopupPolicy
from webstrata.audit.popups import ControlPlace, Dismissal, PopupControl, choose_dismissal, plain_label
from webstrata.audit.session_log import SessionLog
from webstrata.model.auditing.sessions import AuditEventType

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, Frame, Page

_CLICK_MS = 1_000
_AFTER_CLICK = (0.3, 2.0)
"""How many seconds the DOM must be quiet after a click, and the longest wait for that."""

_MAX_FRAMES = 10
_LOAD_MS = 5_000


class PopupDismissal:
    """Dismisses the popups of one page; a control that tried to leave the page is not clicked again."""

    def __init__(self, page: "Page", policy: PopupPolicy, log: SessionLog) -> None:
        """Prepare for a page."""
        self._page = page
        self._policy = policy
        self._log = log
        self._pass = 0
        self._refused: set[str] = set()

    async def run_pass(self) -> None:
        """Dismiss the popups that are open, as long as the policy allows for another pass."""
        if self._pass >= self._policy.passes:
            return
        self._pass += 1
        for _ in range(self._policy.clicks_per_pass):
            if not await self._dismiss_one():
                return

    async def hide_overlays(self) -> None:
        """Hide the fixed layers that still cover the page."""
        hidden = await self._page.evaluate(HIDE_OVERLAYS, self._policy.overlay_share)
        if hidden:
            await self._log.warning(AuditEventType.POPUP, "Hid overlays that blocked the page", overlays=hidden)

    async def _dismiss_one(self) -> bool:
        """Click the control that dismisses a popup in one of the page's frames; return whether there was one."""
        from playwright.async_api import Error

        for frame in self._page.frames[:_MAX_FRAMES]:
            try:
                if await self._dismiss_in(frame):
                    return True
            except Error as error:
                reason = error.message.partition("\n")[0]
                await self._log.warning(AuditEventType.POPUP, "A popup could not be dismissed", reason=reason)
        return False

    async def _dismiss_in(self, frame: "Frame") -> bool:
        is_framed = frame is not self._page.main_frame
        if is_framed and not await _is_popup(frame):
            return False
        found = await frame.evaluate_handle(CONTROLS, [is_framed, self._pass])
        try:
            controls = [_control(one) for one in await (await found.get_property("controls")).json_value()]
            chosen = choose_dismissal(controls, self._refused)
            if chosen is None:
                return False
            elements = await found.get_property("elements")
            element = (await elements.get_property(str(chosen.position))).as_element()
            assert element is not None
            await self._click(element, chosen)
        finally:
            await found.dispose()
        return True

    async def _click(self, element: "ElementHandle", chosen: Dismissal) -> None:
        """Click a control with navigation blocked, and wait until the page is quiet."""
        await element.evaluate(MARK_CLICKED, self._pass)
        address = self._page.url
        async with hold_on_page(self._page) as left_for:
            await _press(element)
            await self._wait_until_quiet()
        if left_for:
            self._refused.add(plain_label(chosen.label))
            message = f"The click would have left the page: {chosen.label}"
            await self._log.warning(AuditEventType.POPUP, message, kind=chosen.kind.value, url=left_for[0])
            return
        await self._log.info(
            AuditEventType.POPUP, f"Dismissed a popup: {chosen.label}", kind=chosen.kind.value, popup_pass=self._pass
        )
        if self._page.url.partition("#")[0] != address.partition("#")[0]:
            self._refused.add(plain_label(chosen.label))
            await self._log.warning(AuditEventType.POPUP, "The click left the page: going back", url=self._page.url)
            await self._page.goto(address, wait_until="load")

    async def _wait_until_quiet(self) -> None:
        """Wait until the DOM is quiet, even if the page reloads itself."""
        from playwright.async_api import Error

        try:
            await self._page.evaluate(DOM_QUIET, list(_AFTER_CLICK))
        except Error:
            await self._page.wait_for_load_state("load", timeout=_LOAD_MS)


async def _is_popup(frame: "Frame") -> bool:
    """Return whether a frame or one of its ancestors is a popup."""
    at: Frame | None = frame
    while at is not None and at.parent_frame is not None:
        if await (await at.frame_element()).evaluate(IS_OVERLAY_FRAME):
            return True
        at = at.parent_frame
    return False


async def _press(element: "ElementHandle") -> None:
    """Click a control; one that another layer covers is clicked by a script."""
    from playwright.async_api import TimeoutError as SlowError

    try:
        await element.click(timeout=_CLICK_MS, no_wait_after=True)
    except SlowError:
        await element.dispatch_event("click")


def _control(found: dict[str, Any]) -> PopupControl:
    return PopupControl(**found | {"place": ControlPlace(found["place"])})
