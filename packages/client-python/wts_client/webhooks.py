"""Received webhooks (Standard Webhooks 1.0.0)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Iterable, Mapping
from typing import cast

from .errors import WebhookInvalid
from .shapes import Event
from .values import from_json


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], secrets: str | Iterable[str], *, tolerance: float = 300
) -> Event:
    """
    Returns the event of a webhook. Raises WebhookInvalid if a header is missing, if none of the secrets (`whsec_…`) has
    signed the raw body, or if the webhook was sent more than `tolerance` seconds before or after now. Headers may have
    any case.
    """
    known = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, sent, signatures = (known[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as error:
        raise WebhookInvalid(f"The header {error.args[0]} is missing") from None
    if not sent.isdecimal() or abs(time.time() - int(sent)) > tolerance:
        raise WebhookInvalid("The webhook was not sent lately")
    content = body.encode() if isinstance(body, str) else body
    signed = b"%b.%b.%b" % (message_id.encode(), sent.encode(), content)
    given = [each[3:].encode() for each in signatures.split() if each.startswith("v1,")]
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        due = base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
        if any(hmac.compare_digest(due, each) for each in given):
            return cast(Event, from_json(content))
    raise WebhookInvalid("None of the secrets has signed the webhook")
