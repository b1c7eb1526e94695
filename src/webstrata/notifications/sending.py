"""Sending one message to one target: a signed webhook, or through apprise."""

import json
from dataclasses import dataclass
from datetime import datetime

from webstrata.errors import BlockedAddressError, DeliveryError, FetchError
from webstrata.fetch.posting import Poster
from webstrata.model.notifications.messages import Notification, body_of
from webstrata.model.notifications.values import TargetAddress, TargetKind
from webstrata.notifications.apprise_sending import AppriseSender
from webstrata.notifications.signing import signed_headers


@dataclass(frozen=True)
class Sender:
    """Sends messages to targets."""

    poster: Poster
    apprise: AppriseSender
    site: str
    """The address that links in messages begin with."""
    user_agent: str

    async def send(self, address: TargetAddress, secret: str | None, message: Notification, now: datetime) -> None:
        """Send a message; DeliveryError when the receiver did not accept it."""
        if address.kind is TargetKind.WEBHOOK:
            await self._post(address, secret or "", message, now)
        else:
            await self.apprise.send(address, message)

    async def _post(self, address: TargetAddress, secret: str, message: Notification, now: datetime) -> None:
        body = json.dumps(body_of(message, self.site), ensure_ascii=False).encode()
        headers = {
            "User-Agent": self.user_agent,
            "Content-Type": "application/json",
            **signed_headers(secret, message.key, now, body),
        }
        try:
            response = await self.poster.post(address.address, body, headers)
        except BlockedAddressError as error:
            raise DeliveryError(str(error), is_final=True) from error
        except FetchError as error:
            raise DeliveryError(str(error)) from error
        if response.status // 100 != 2:
            raise DeliveryError(_refusal(response.status))


def _refusal(status: int) -> str:
    follows = ", and redirects are not followed" if status // 100 == 3 else ""
    return f"the receiver responded with status {status}{follows}"
