"""The data that the service returns. An answer may have more keys than its type. No key is lost."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class Task(dict[str, Any]):
    """A task as a mapping of its keys. Numbers are texts, so that no number is rounded."""

    #: The version, for `if_match`; None for tasks in lists.
    etag: str | None = None


class _Row(TypedDict):
    row: int
    status: Literal["created", "updated", "unchanged", "deleted", "error"]
    unique_id: str | None


class Row(_Row, total=False):
    """The outcome of a row of a batch. The first row has the number 1. `errors` is present if `status` is `error`."""

    errors: dict[str, list[str]]


class _Execution(TypedDict):
    id: str
    status: Literal["Pending", "Success", "Fail"]


class Execution(_Execution, total=False):
    """The state of an execution. `errors` is empty unless `status` is `Fail`."""

    errors: list[str]


class Event(TypedDict):
    """An event as the feed and webhooks send it."""

    id: str
    type: str
    timestamp: str
    data: dict[str, Any]
