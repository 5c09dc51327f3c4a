"""The refusals of the service, and failures to reach it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class WtsError(Exception):
    """A call was refused, or could not be made."""

    #: 0 without an answer.
    status: int = 0
    #: The id of the request in the log of the service.
    request_id: str | None = None
    #: The parsed answer; None if it is no JSON.
    body: Any = None
    #: Seconds after which the service asks to try again.
    retry_after: float = 0
    #: Whether an earlier try of the same call was cut off, and may have been carried out.
    is_repeated: bool = False


class NotFound(WtsError):
    """404: it does not exist, or the key does not know it."""


class ValidationError(WtsError):
    """422: the input is invalid."""

    #: Messages by the name of the field or parameter; those of no field are under `base`.
    errors: dict[str, list[str]]


class NotPossible(WtsError):
    """422: the action cannot be performed now."""

    #: The unmet requirements, in sentences.
    unmet: list[str]


class Conflict(WtsError):
    """409: another request, or a change meanwhile, prevents it."""


class PreconditionFailed(WtsError):
    """412: the task has another version, exists, or does not exist."""


class TooManyRequests(WtsError):
    """429 until the deadline."""


class Unavailable(WtsError):
    """408, 5xx or no answer at all until the deadline."""


class CursorExpired(WtsError):
    """410: events after the cursor are no longer kept. 422: it is no cursor of this feed."""

    #: Returns a cursor of now. List all tasks after you have it, and then follow from it, so that nothing is missed.
    resync: Callable[[], str]


class WebhookInvalid(Exception):
    """A webhook that the service did not send, or not recently."""


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
    if status == 422 and isinstance(errors, list):
        error = NotPossible("; ".join(errors))
        error.unmet = errors
    elif status == 422:
        named = errors if isinstance(errors, dict) else {"base": [said]}
        error = ValidationError(_joined(named))
        error.errors = named
    else:
        error = (Unavailable if status >= 500 else _KINDS.get(status, WtsError))(said)
    error.status, error.body = status, body
    return error


def _joined(errors: dict[str, list[str]]) -> str:
    return "; ".join(f"{name} {'; '.join(texts)}" for name, texts in errors.items())
