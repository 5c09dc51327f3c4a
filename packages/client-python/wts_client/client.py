"""Where everything begins: the tasks of a workflow, and the feed of all that happens."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import cast

from .batch import Batch
from .errors import CursorExpired, NotFound, PreconditionFailed, TooManyRequests, Unavailable, ValidationError, WtsError
from .shapes import Event, Execution, Row, Synced, SyncSummary, Task
from .transport import Answer, Transport
from .values import to_path, to_query

#: Seconds for which the service holds an answer at most.
_LONGEST_WAIT = 25


class Client(Transport):
    """A workspace, by the address of the service and a key."""

    def workflow(self, workflow_id: str) -> Workflow:
        """One of its workflows."""
        return Workflow(self, workflow_id)

    @property
    def events(self) -> Events:
        """The feed of all that happens."""
        return Events(self)


class Workflow:
    """The tasks of a workflow, and what is done with them."""

    def __init__(self, transport: Transport, workflow_id: str) -> None:
        self._transport = transport
        self._path = "/api/v1/workflows" + to_path(workflow_id)

    def get(self, unique_id: str) -> Task:
        """The task. NotFound where there is none."""
        return _task(self._transport.request("GET", self._at(unique_id)))

    def save(
        self, values: Mapping[str, object], *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> Task:
        """
        Creates the task, or updates the one of this Unique ID; what `values` leave out stays. With the `etag` of what
        was read as `if_match`, or `"*"`, it updates only: PreconditionFailed where the task is another by now, or not
        there. With an `idempotency_key` of your own the call is done once, also when your program begins anew.
        """
        return self._write("POST", values, {"If-Match": if_match}, idempotency_key)

    def create(self, values: Mapping[str, object], *, idempotency_key: str | None = None) -> Task:
        """Creates the task. PreconditionFailed where there is one of this Unique ID."""
        return self._write("POST", values, {"If-None-Match": "*"}, idempotency_key)

    def update(self, values: Mapping[str, object], *, if_match: str | None = None) -> Task:
        """Updates the task of this Unique ID. NotFound where there is none; with `if_match` PreconditionFailed."""
        # A PUT that was carried out would be refused when it is repeated with the version that it has ended.
        return self._write("PUT" if if_match is None else "POST", values, {"If-Match": if_match})

    def delete(self, unique_id: str, *, if_match: str | None = None) -> None:
        """Deletes the task for ever. NotFound where there is none."""
        try:
            self._transport.request("DELETE", self._at(unique_id), headers={"If-Match": if_match})
        except (NotFound, PreconditionFailed) as error:
            # An earlier try, whose answer was lost, may have deleted it.
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
        The tasks that meet the filters (`{"Stage": ["New", "Open"], "Amount[gte]": 100}`), read page by page.
        `active` leaves out those in an end stage; `sort` names keys, `-` before one means downwards.
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
        dry_run: bool = False,
        atomic: bool = False,
        query: Mapping[str, object] | None = None,
    ) -> Iterator[Row]:
        """
        Saves each row as `save` would, and says what became of each, in order. Rows are taken and sent while results
        are read, so there may be any number. Unavailable where the connection breaks: with Unique IDs send all again.
        `dry_run` writes nothing; `atomic` all or nothing, ValidationError says in its `body` what was wrong.
        """
        asked = {name: True for name, is_asked in (("_dry_run", dry_run), ("_atomic", atomic)) if is_asked}
        return Batch(self._transport, self._path + "/tasks/batch", {**asked, **(query or {})}, rows).results()

    def sync(
        self,
        rows: Iterable[Mapping[str, object]],
        filters: Mapping[str, object],
        *,
        expect: int | None = None,
        dry_run: bool = False,
        atomic: bool = False,
    ) -> Synced:
        """
        Saves each row, then deletes what the filters find and no row names, if that is as many tasks as `expect` says:
        else none, and `summary["errors"]` tells why. A dry run, of 10,000 rows at most, writes nothing and tells the
        number; it needs no `expect`. `atomic`: all or nothing, PreconditionFailed where the number is another. Unavailable
        where the connection breaks: begin anew with a dry run.
        """
        query = {"_sync": to_query(filters), **({} if expect is None else {"_expect": expect})}
        told = list(self.batch(rows, dry_run=dry_run, atomic=atomic, query=query))
        # The last line is no row.
        if not told or "deleted" not in told[-1]:
            raise Unavailable(f"The batch was cut: {len(told)} rows were answered, and nothing was said of deletions")
        summary = {"found": None, "would_delete": [], "errors": {}, **told.pop()}
        return Synced(told, cast(SyncSummary, summary))

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
        Performs an action, and waits so many seconds for its end. NotPossible says what is not met, ValidationError
        what is wrong with `fields`; an execution that began and failed is an answer.
        """
        named = {"performed_by": performed_by, "fields": fields}
        body = {"task_id": unique_id, "action_id": action, **{k: v for k, v in named.items() if v is not None}}
        end = time.monotonic() + wait
        execution = self._execution("POST", "/executions", wait, body, _keyed(idempotency_key))
        while execution["status"] == "Pending" and (left := end - time.monotonic()) > 0:
            execution = self._execution("GET", "/executions" + to_path(execution["id"]), left)
            # A service that is stopping answers at once.
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
    """The feed of the workspace. A cursor is a place in it; `""` is before its oldest event."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def now(self) -> str:
        """A cursor behind all that has happened."""
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
        Every event behind a cursor (or `"now"`), for ever, each with the cursor to keep once it is done with. Who goes
        on from it misses nothing, but up to `limit` events may come again: a cursor stands between pages. Each filter
        means any of its values; `tasks` are ids as a Task URL ends with. While the service is away it tries again,
        and `on_away` is told of each try that failed. CursorExpired says that events behind the cursor are no longer
        kept, or that it is none of this feed; other refusals are raised too.
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
    """How a request asks to be held for so many seconds, and its deadline."""
    held = max(0, min(math.ceil(wait), _LONGEST_WAIT))
    return {"Prefer": f"wait={held}"} if held else {}, transport.deadline + held


def _keyed(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Idempotency-Key": key}


def _task(answer: Answer) -> Task:
    task = Task(answer.json())
    task.etag, task.event_id = answer.headers.get("ETag"), answer.headers.get("Event-Id")
    return task
