"""What the service shows. Answers may have more keys than are named here; all are kept."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypedDict


class Task(dict[str, Any]):
    """A task by the names of its keys. Numbers are texts, so that none is rounded."""

    #: The version, for `if_match`; None of tasks in lists.
    etag: str | None = None
    #: The last event of the write that answered this task.
    event_id: str | None = None


class _Row(TypedDict):
    row: int
    status: Literal["created", "updated", "unchanged", "deleted", "error"]
    unique_id: str | None


class Row(_Row, total=False):
    """What became of a row of a batch; rows count from 1. `errors` stands where `status` is `error`."""

    errors: dict[str, list[str]]


class SyncSummary(TypedDict):
    """What became of the tasks that a sync names in no row."""

    deleted: int
    #: How many the filter has found that no row names; None where that cannot be told.
    found: int | None
    #: Of a dry run: the first 100 of their Unique IDs.
    would_delete: list[str]
    #: Why none was deleted; empty where all is well.
    errors: dict[str, list[str]]


class Synced(NamedTuple):
    """What became of each row, in order, and of what is in none of them."""

    rows: list[Row]
    summary: SyncSummary


class _Execution(TypedDict):
    id: str
    status: Literal["Pending", "Success", "Fail"]


class Execution(_Execution, total=False):
    """How an action that was begun stands. `errors` stands where `status` is `Fail`."""

    errors: list[str]


class Event(TypedDict):
    """Something that happened, as the feed and webhooks tell it."""

    id: str
    type: str
    timestamp: str
    data: dict[str, Any]
