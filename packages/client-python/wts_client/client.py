"""The entry point: the tasks of a workflow, and the feed of events."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import cast

from .batch import Batch
from .errors import CursorExpired, NotFound, PreconditionFailed, TooManyRequests, Unavailable, ValidationError, WtsError
from .shapes import Event, Execution, Row, Task
from .transport import Answer, Transport
from .values import to_path

#: The most seconds that the service waits before an answer.
_LONGEST_WAIT = 25


class Client(Transport):
    """A workspace, given the address of the service and a key."""

    def workflow(self, workflow_id: str) -> Workflow:
        """The workflow with this id."""
        return Workflow(self, workflow_id)

    @property
    def events(self) -> Events:
        """The feed of events."""
        return Events(self)


class Workflow:
    """The tasks of a workflow, with their operations."""

    def __init__(self, transport: Transport, workflow_id: str) -> None:
        self._transport = transport
        self._path = "/api/v1/workflows" + to_path(workflow_id)

    def get(self, unique_id: str) -> Task:
        """The task with this Unique ID. Raises NotFound if the task does not exist."""
        return _task(self._transport.request("GET", self._at(unique_id)))

    def save(
        self, values: Mapping[str, object], *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> Task:
        """
        Creates the task, or updates the given values of the task with this Unique ID. With `if_match` (the `etag` of
        the task, or `"*"`), only updates, and raises PreconditionFailed if the task has changed or does not exist.
        With your own `idempotency_key`, the call is carried out once, even if your program restarts.
        """
        return self._write("POST", values, {"If-Match": if_match}, idempotency_key)

    def create(self, values: Mapping[str, object], *, idempotency_key: str | None = None) -> Task:
        """Creates the task. Raises PreconditionFailed if a task with this Unique ID exists."""
        return self._write("POST", values, {"If-None-Match": "*"}, idempotency_key)

    def update(self, values: Mapping[str, object], *, if_match: str | None = None) -> Task:
        """
        Updates the task with this Unique ID. Without `if_match`, raises NotFound if the task does not exist. With
        `if_match`, raises PreconditionFailed if the task does not exist or has another version.
        """
        # The service would refuse a repeated PUT with a version, because the first try changes the version.
        return self._write("PUT" if if_match is None else "POST", values, {"If-Match": if_match})

    def delete(self, unique_id: str, *, if_match: str | None = None) -> None:
        """Deletes the task. Raises NotFound if the task does not exist."""
        try:
            self._transport.request("DELETE", self._at(unique_id), headers={"If-Match": if_match})
        except (NotFound, PreconditionFailed) as error:
            # An earlier try, whose answer was lost, may have deleted the task.
            if not error.is_repeated or (error.status == 412 and self._has(unique_id)):
                raise

    def list(
        self,
        filters: Mapping[str, object] | None = None,
        *,
        active: bool = False,
        sort: Sequence[str] = (),
        fields: Sequence[str] = (),
        page_size: int = 500,
    ) -> Iterator[Task]:
        """
        The tasks that match the filters (`{"Stage": ["New", "Open"], "Amount[gte]": 100}`), read page by page.
        `active` leaves out tasks in an end stage. `sort` is a list of keys; a `-` before a key sorts descending.
        """
        query: dict[str, object] = {"_limit": page_size, **(filters or {})}
        query.update({name: ",".join(keys) for name, keys in (("_sort", sort), ("_fields", fields)) if keys})
        while True:
            answer = self._transport.request("GET", self._path + ("/tasks/active" if active else "/tasks"), query=query)
            yield from map(Task, answer.json())
            query["_after"] = answer.next()
            if query["_after"] is None:
                return

    def batch(
        self,
        rows: Iterable[Mapping[str, object]],
        *,
        query: Mapping[str, object] | None = None,
    ) -> Iterator[Row]:
        """
        Saves each row like `save`, or deletes a task (`{"_delete": True, …}`). Yields the outcome of each row, in
        order. Rows are read and sent while outcomes arrive, so the number of rows is not limited. Raises Unavailable
        if the connection breaks. Rows with Unique IDs can then be sent again.
        """
        return Batch(self._transport, self._path + "/tasks/batch", query or {}, rows).results()

    def act(
        self,
        unique_id: str,
        action: str,
        *,
        wait: float = 0,
        performed_by: str | None = None,
        fields: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
    ) -> Execution:
        """
        Performs an action, and waits at most `wait` seconds for the end of the execution. Raises NotPossible if the
        action cannot start, and ValidationError if the request is wrong. Returns failed executions, too.
        """
        named = {"performed_by": performed_by, "fields": fields}
        body = {"task_id": unique_id, "action_id": action, **{k: v for k, v in named.items() if v is not None}}
        end = time.monotonic() + wait
        execution = self._execution("POST", "/executions", wait, body, _keyed(idempotency_key))
        while execution["status"] == "Pending" and (left := end - time.monotonic()) > 0:
            execution = self._execution("GET", "/executions" + to_path(execution["id"]), left)
            # A stopping service answers without waiting.
            time.sleep(0.1 if execution["status"] == "Pending" else 0)
        return execution

    def _at(self, unique_id: str) -> str:
        return self._path + to_path("tasks", unique_id)

    def _has(self, unique_id: str) -> bool:
        try:
            return bool(self.get(unique_id))
        except NotFound:
            return False

    def _write(
        self, method: str, values: Mapping[str, object], headers: Mapping[str, str | None], key: str | None = None
    ) -> Task:
        sent = {**headers, **_keyed(key)}
        return _task(self._transport.request(method, self._path + "/tasks", body=values, headers=sent))

    def _execution(
        self, method: str, path: str, wait: float, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Execution:
        preferred, deadline = _patience(self._transport, wait)
        sent = {**preferred, **(headers or {})}
        answer = self._transport.request(method, self._path + path, body=body, headers=sent, deadline=deadline)
        return cast(Execution, {"errors": [], **answer.json()})


class Events:
    """The feed of the workspace. A cursor is a position in the feed; `""` is before the oldest event."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def now(self) -> str:
        """A cursor after all events so far."""
        return self._page({"_after": "now"}, 0).next() or ""

    def follow(
        self,
        after: str = "",
        *,
        types: Sequence[str] = (),
        workflows: Sequence[str] = (),
        tasks: Sequence[str] = (),
        fields: Sequence[str] = (),
        limit: int = 100,
        on_away: Callable[[WtsError], object] | None = None,
    ) -> Iterator[tuple[Event, str]]:
        """
        Yields every event after a cursor (or `"now"`), without end. Each event comes with the cursor to store after
        the event is processed. Following from a stored cursor misses no event, but repeats up to `limit` events,
        because cursors are between pages. A filter matches any of its values; `tasks` are the ids in Task URLs. While
        the service is unavailable, tries again and calls `on_away` for each failed try. Raises CursorExpired if events
        after the cursor are no longer stored, or if the cursor is not of this feed. Raises other refusals, too.
        """
        filters = {"type": types, "workflow": workflows, "task": tasks, "field": fields}
        query: dict[str, object] = {**filters, "_limit": limit}
        cursor = after
        while True:
            try:
                cursor = self._page({"_after": "now"}, 0, on_away).next() or "" if cursor == "now" else cursor
                page = self._page({**query, **({"_after": cursor} if cursor else {})}, _LONGEST_WAIT, on_away)
            except (Unavailable, TooManyRequests) as error:
                time.sleep(random.uniform(0, 2) + error.retry_after)
                continue
            except (CursorExpired, ValidationError) as error:
                if isinstance(error, ValidationError) and "_after" not in error.errors:
                    raise
                expired = CursorExpired(str(error))
                expired.__dict__.update(error.__dict__, resync=self.now)
                raise expired from error
            behind, events = page.next() or cursor, page.json()
            for at, event in enumerate(events, 1):
                yield event, behind if at == len(events) else cursor
            cursor = behind

    def _page(
        self, query: Mapping[str, object], wait: int, on_away: Callable[[WtsError], object] | None = None
    ) -> Answer:
        preferred, deadline = _patience(self._transport, wait)
        return self._transport.request(
            "GET", "/api/v1/events", query=query, headers=preferred, deadline=deadline, on_away=on_away
        )


def _patience(transport: Transport, wait: float) -> tuple[dict[str, str], float]:
    """The header that asks the service to wait so many seconds, and the deadline of the request."""
    held = max(0, min(math.ceil(wait), _LONGEST_WAIT))
    return {"Prefer": f"wait={held}"} if held else {}, transport.deadline + held


def _keyed(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Idempotency-Key": key}


def _task(answer: Answer) -> Task:
    task = Task(answer.json())
    task.etag = answer.headers.get("ETag")
    return task
