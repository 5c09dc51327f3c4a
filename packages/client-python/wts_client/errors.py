"""What the service refuses, and what keeps a call from reaching it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class WtsError(Exception):
    """A call that was refused, or could not be made."""

    #: 0 where no answer came.
    status: int = 0
    #: What the log of the service calls the request.
    request_id: str | None = None
    #: The answer, parsed; None where it is no JSON.
    body: Any = None
    #: Seconds after which the service asks to be tried again.
    retry_after: float = 0
    #: Whether an earlier try of the same call was cut off, and may have been carried out.
    is_repeated: bool = False


class NotFound(WtsError):
    """404: there is no such thing, or the key does not know it."""


class ValidationError(WtsError):
    """422: what was sent is wrong."""

    #: Messages by the name of the field or parameter; what belongs to none stands under `base`.
    errors: dict[str, list[str]]


class NotPossible(WtsError):
    """422: the action cannot be performed now."""

    #: What is not met, in sentences.
    unmet: list[str]


class Conflict(WtsError):
    """409: another request, or what happened meanwhile, stands in the way."""


class PreconditionFailed(WtsError):
    """412: the task has another version, is there, or is not there."""


class TooManyRequests(WtsError):
    """429, until the deadline."""


class Unavailable(WtsError):
    """408, 5xx or no answer at all, until the deadline."""


class CursorExpired(WtsError):
    """410: what stood behind the cursor is no longer kept. 422: it is no cursor of this feed."""

    #: Gives a cursor of now. List all tasks after it came, then follow from it: so nothing is missed.
    resync: Callable[[], str]


class WebhookInvalid(Exception):
    """A webhook that the service has not sent, or not lately."""


_KINDS: dict[int, type[WtsError]] = {
    404: NotFound,
    408: Unavailable,
    409: Conflict,
    410: CursorExpired,
    412: PreconditionFailed,
    429: TooManyRequests,
}


def error_of(status: int, body: Any) -> WtsError:
    """The error that an answer means."""
    known = body if isinstance(body, dict) else {}
    said, errors = str(known.get("detail") or f"The service answered {status}."), known.get("errors")
    error: WtsError
    if status == 422 and isinstance(errors, list):
        error = NotPossible("; ".join(errors))
        error.unmet = errors
    elif status == 422:
        # An atomic batch names its rows, each with errors of its own.
        rows = [f"row {row['row']}: {_joined(row['errors'])}" for row in body] if isinstance(body, list) else [said]
        named = errors if isinstance(errors, dict) else {"base": rows}
        error = ValidationError(_joined(named))
        error.errors = named
    else:
        error = (Unavailable if status >= 500 else _KINDS.get(status, WtsError))(said)
    error.status, error.body = status, body
    return error


def _joined(errors: dict[str, list[str]]) -> str:
    return "; ".join(f"{name} {'; '.join(texts)}" for name, texts in errors.items())
