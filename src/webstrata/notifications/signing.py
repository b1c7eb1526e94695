"""Signatures of webhooks, as Standard Webhooks (https://www.standardwebhooks.com) defines them."""

import base64
import binascii
import hashlib
import hmac
from datetime import datetime

from webstrata.errors import DeliveryError

_PREFIX = "whsec_"


def signed_headers(secret: str, message_id: str, now: datetime, body: bytes) -> dict[str, str]:
    """Return the headers with which a receiver checks a message's id, origin and age."""
    timestamp = str(int(now.timestamp()))
    signed = b".".join((message_id.encode(), timestamp.encode(), body))
    digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode('ascii')}",
    }


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        raise DeliveryError("the signing secret is damaged; make a new one", is_final=True) from None
