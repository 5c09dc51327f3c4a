"""The refusals of the service, and failures to reach it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any


class WtsError(Exception):
    """A call was refused, or could not be made."""

    #: 0 without an answer.
    status: int = 0
    #: The id of the request in the log of the service.
    request_id: str | None = None
    #: The parsed answer; None if the answer is not JSON.
    body: Any = None
    #: The seconds to wait before the next try, from `Retry-After`.
    retry_after: float = 0
    #: Whether an earlier try of the same call broke off, and may have been carried out.
    is_repeated: bool = False


class NotFound(WtsError):
    """404: the object does not exist, or the key cannot see it."""


class ValidationError(WtsError):
    """422: the input is invalid."""

    #: Messages by the name of the field or parameter. Messages without a field are under `base`.
    errors: dict[str, list[str]]


class NotPossible(WtsError):
    """422: the action cannot be performed now."""

    #: The unmet requirements, in sentences.
    unmet: list[str]


class Conflict(WtsError):
    """409: the request is in conflict with another request or with a change."""


class PreconditionFailed(WtsError):
    """412: the task does not meet the condition in `If-Match` or `If-None-Match`."""


class TooManyRequests(WtsError):
    """429: the key has sent too many requests. Raised when no time remains for another try."""


class Unavailable(WtsError):
    """408, 5xx or no answer, after the last try."""


class CursorExpired(WtsError):
    """410: events after the cursor are no longer stored. 422: the cursor is not of this feed."""

    #: Returns a cursor for the end of the feed. To miss no change, list all tasks, and then follow from the cursor.
    resync: Callable[[], str]


class WebhookInvalid(Exception):
    """The service did not sign this webhook, or the webhook is too old or from the future."""


_KINDS: dict[int, type[WtsError]] = {
    404: NotFound,
    408: Unavailable,
    409: Conflict,
    410: CursorExpired,
    412: PreconditionFailed,
    429: TooManyRequests,
}


def error_of(status: int, body: Any) -> WtsError:
    """The error for an answer."""
    known = body if isinstance(body, dict) else {}
    said, errors = str(known.get("detail") or f"The service answered {status}."), known.get("errors")
    error: WtsError
    if status == 422 and isinstance(errors, list) and not all(map(_OF_REQUEST.search, errors)):
        error = NotPossible("; ".join(errors))
        error.unmet = errors
    elif status == 422:
        named = errors if isinstance(errors, dict) else {"base": errors or [said]}
        error = ValidationError(_joined(named))
        error.errors = named
    else:
        error = (Unavailable if status >= 500 else _KINDS.get(status, WtsError))(said)
    error.status, error.body = status, body
    return error


#: Matches messages about a wrong request. Unmet requirements have the same shape in the answer.
_OF_REQUEST = re.compile(
    "^((task_id|action_id) is (not a text|required)|performed_by is (not a user of this workspace|another user: .*))$"
    "| is not a key of an execution"
)


def _joined(errors: dict[str, list[str]]) -> str:
    return "; ".join(f"{name} {'; '.join(texts)}" for name, texts in errors.items())
