"""Sending by mail and chat through apprise, in a separate process."""

import asyncio
import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass

from webstrata.errors import DeliveryError, MissingExtraError, UsageError
from webstrata.fetch.guard import Network
from webstrata.model.notifications.messages import Notification, text_of, title_of
from webstrata.model.notifications.values import TargetAddress

_PROGRAM = "webstrata.notifications.apprise_process"
_STARTING_SECONDS = 20.0
"""Additional time for importing apprise, which takes some seconds on a busy machine."""


@dataclass(frozen=True)
class AppriseSender:
    """Sends messages through apprise."""

    allowed_networks: tuple[Network, ...]
    timeout: float
    site: str

    async def send(self, address: TargetAddress, message: Notification) -> None:
        """Send a message; DeliveryError when it was not accepted."""
        require_apprise()
        request = {
            "address": address.address,
            "title": title_of(message),
            "text": f"{text_of(message, self.site)}\n\nEvent id: {message.key}",
            "networks": [str(network) for network in self.allowed_networks],
        }
        await asyncio.to_thread(self._run, json.dumps(request))

    def _run(self, request: str) -> None:
        try:
            ended = subprocess.run(  # noqa: S603 - this program itself
                [sys.executable, "-m", _PROGRAM],
                input=request,
                capture_output=True,
                text=True,
                timeout=self.timeout + _STARTING_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise DeliveryError("the service did not respond in time") from None
        try:
            result = json.loads(ended.stdout)
        except ValueError:
            raise DeliveryError(f"apprise failed with exit status {ended.returncode}") from None
        if result["error"] is not None:
            raise DeliveryError(result["error"], is_final=result["is_final"])


def require_apprise() -> None:
    """Raise MissingExtraError unless apprise is installed."""
    if importlib.util.find_spec("apprise") is None:
        raise MissingExtraError("sending notifications by mail or chat", "notify")


def check_apprise_address(address: TargetAddress) -> None:
    """Raise UsageError when apprise cannot read an address."""
    require_apprise()
    import apprise

    if apprise.Apprise.instantiate(address.address) is None:
        scheme = address.shown.partition(":")[0]
        raise UsageError(f"the {scheme}:// address is incomplete or wrong; its form is in apprise's documentation")
