"""Requests and their retries."""

from __future__ import annotations

import random
import secrets
import ssl
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from .errors import TooManyRequests, Unavailable, WtsError, error_of
from .sockets import Deadline, DeadlineReader, answer_of
from .values import from_json, to_json, to_query

#: Temporary refusals; 502 and 504 come from proxies while the service restarts.
_RETRIED = frozenset({408, 429, 502, 503, 504})
#: A pause between two tries is `Retry-After` and a random time. These are the longest random times, in seconds, of the
#: first pause and of every pause.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 5.0

_Made = TypeVar("_Made")
_Self = TypeVar("_Self", bound="Transport")


@dataclass(frozen=True)
class Answer:
    """An answer of the service."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The parsed body; None without a body."""
        return from_json(self.body) if self.body else None

    def next(self) -> str | None:
        """The cursor of the next page; None on the last page."""
        link, _, relation = self.headers.get("Link", "").partition(">")
        if 'rel="next"' not in relation:
            return None
        return parse_qs(urlsplit(link.lstrip("<")).query)["_after"][0]


class Transport:
    """A service, given its address and a key. Threads may share a Transport."""

    def __init__(
        self, url: str, key: str, *, deadline: float = 30.0, context: ssl.SSLContext | None = None
    ) -> None:
        """`deadline` limits each call with all tries, in seconds. `context` can contain your own certificates."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not the address of a service")
        if parts.path.rstrip("/").endswith("/api/v1"):
            raise ValueError(f"{url!r}: write the address without /api/v1")
        self.deadline = deadline
        self._base = parts.path.rstrip("/")
        self._headers = {"Authorization": f"Bearer {key}"}
        self._connect: Callable[..., HTTPConnection] = (
            partial(HTTPConnection, parts.hostname, parts.port)
            if parts.scheme == "http"
            else partial(HTTPSConnection, parts.hostname, parts.port, context=context)
        )
        self._idle: deque[HTTPConnection] = deque()

    def close(self) -> None:
        """Closes idle connections. The next request opens a new connection."""
        while self._idle:
            self._idle.pop().close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: object = None,
        headers: Mapping[str, str | None] | None = None,
        deadline: float | None = None,
        on_away: Callable[[WtsError], object] | None = None,
    ) -> Answer:
        """
        Sends any request of the API (`"/api/v1/workflows"`), with tries until the deadline. A POST gets its own
        `Idempotency-Key` unless `headers` contains one. A header with the value None is not sent. `on_away` is called
        for each try that fails with Unavailable or TooManyRequests.
        """
        content = None if body is None else to_json(body)
        own = {"Idempotency-Key": secrets.token_hex(16) if method == "POST" else None}
        own["Content-Type"] = None if content is None else "application/json"
        sent, target = self.headers({**own, **(headers or {})}), self.target(path, query)
        limit = Deadline(self.deadline if deadline is None else deadline)
        return self.retried(lambda: self._try(method, target, content, sent, limit), limit, on_away)

    def target(self, path: str, query: Mapping[str, object] | None) -> str:
        """The path and query of a request."""
        if not path.startswith("/"):
            raise ValueError(f"{path!r}: a path begins with /")
        return f"{self._base}{path}?{to_query(query)}" if query else f"{self._base}{path}"

    def headers(self, others: Mapping[str, str | None]) -> dict[str, str]:
        """The headers of a request."""
        return {**self._headers, **{name: value for name, value in others.items() if value is not None}}

    def connect(self, limit: Deadline) -> HTTPConnection:
        """Opens a connection."""
        connection = self._connect(timeout=limit.left())
        connection.connect()
        return connection

    def retried(
        self, attempt: Callable[[], _Made], limit: Deadline, on_away: Callable[[WtsError], object] | None = None
    ) -> _Made:
        """
        The result of an attempt. While the network or service is unavailable, repeats the attempt until the deadline.
        """
        is_repeated, most = False, _FIRST_PAUSE
        while True:
            failure: WtsError
            try:
                return attempt()
            except ssl.SSLCertVerificationError:
                raise
            except (OSError, HTTPException) as error:
                failure = lost(error)
                is_retried = True
            except WtsError as error:
                failure = error
                # The service may still be carrying out an earlier try of this call.
                said = error.body.get("type") if isinstance(error.body, dict) else None
                is_early = is_repeated and said == "idempotency-key-in-use"
                is_retried = error.status in _RETRIED or is_early
            failure.is_repeated = is_repeated
            is_repeated = is_repeated or failure.status == 0
            if on_away and isinstance(failure, (Unavailable, TooManyRequests)):
                on_away(failure)
            pause = failure.retry_after + random.uniform(0, most)
            if not is_retried or not limit.allows(pause):
                raise failure
            time.sleep(pause)
            most = min(_LONGEST_PAUSE, most * 2)

    def _try(
        self, method: str, target: str, content: bytes | None, headers: dict[str, str], limit: Deadline
    ) -> Answer:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self.connect(limit)
        try:
            connection.sock.settimeout(limit.left())
            # If the service has stopped reading, its answer with the reason may already have arrived.
            with suppress(BrokenPipeError):
                connection.request(method, target, content, headers)
            response_class: Any = lambda sock, **_: answer_of(DeadlineReader(sock, limit), method)  # noqa: E731
            connection.response_class = response_class
            with connection.getresponse() as response:
                answer, is_kept = read(response), not response.will_close
        except BaseException:
            connection.close()
            # If one connection has broken, idle connections are usually broken, too.
            self.close()
            raise
        if is_kept:
            self._idle.append(connection)
        return checked(answer)


def read(response: HTTPResponse) -> Answer:
    """Reads a whole answer."""
    return Answer(response.status, response.headers, response.read())


def checked(answer: Answer) -> Answer:
    """Returns a successful answer. Raises the error of any other answer."""
    if answer.status < 300:
        return answer
    try:
        body = answer.json()
    except ValueError:
        body = None
    error = error_of(answer.status, body)
    error.request_id = answer.headers.get("X-Request-Id")
    error.retry_after = _seconds(answer.headers.get("Retry-After", ""))
    raise error


def lost(error: Exception) -> Unavailable:
    """The error for a missing answer: a connection could not be opened, or a connection broke."""
    failure = Unavailable(f"No answer came: {error or type(error).__name__}")
    failure.__cause__ = error
    return failure


def _seconds(retry_after: str) -> float:
    """The seconds of a `Retry-After`, which is a number or a date. 0 for any other text."""
    if retry_after.isdecimal():
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return 0
