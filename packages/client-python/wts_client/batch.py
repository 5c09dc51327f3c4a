"""Batches of tasks. A batch sends rows while it reads answers, on one connection and in one thread."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPResponse
from itertools import chain

from .errors import Unavailable
from .shapes import Row
from .sockets import Deadline, Duplex, answer_of
from .transport import Transport, checked, read
from .values import from_json, to_json

#: A piece ends with the row that reaches this many bytes, or with the first row after this many seconds.
_PIECE_BYTES, _PIECE_SECONDS = 16_384, 0.1
#: A batch fails after this many seconds without a byte in either direction.
_IDLE = 60.0


class Batch:
    """One batch. Reads each row once, just before the row is sent."""

    def __init__(
        self, transport: Transport, path: str, query: Mapping[str, object], rows: Iterable[Mapping[str, object]]
    ) -> None:
        self._transport = transport
        self._target = transport.target(path, query)
        self._sent = 0
        self._pieces = self._chunks(iter(rows))
        # The sent pieces, for a retry. Until the service begins to answer, it may refuse the whole batch.
        self._kept: list[bytes] = []
        self._is_begun = False

    def results(self) -> Iterator[Row]:
        """Yields the outcome of each row, in order. Raises Unavailable if the connection breaks before the end."""
        limit = Deadline(self._transport.deadline)
        connection, response = self._transport.retried(lambda: self._begin(limit), limit)
        answered = 0
        with closing(connection), closing(response):
            try:
                for line in _lines(response):
                    answered += 1
                    yield from_json(line)
            except (OSError, HTTPException) as error:
                raise self._cut(answered, error) from error
        if answered < self._sent:
            raise self._cut(answered)

    def _cut(self, answered: int, error: Exception | None = None) -> Unavailable:
        # The batch is not repeated, because rows without Unique IDs might be written twice.
        why = "" if error is None else f": {error or type(error).__name__}"
        return Unavailable(f"The batch was cut: the service answered {answered} of {self._sent} sent rows{why}")

    def _begin(self, limit: Deadline) -> tuple[HTTPConnection, HTTPResponse]:
        connection = self._transport.connect(limit)
        pieces = chain(list(self._kept), self._pieces)
        connection.response_class = lambda sock, **_: answer_of(Duplex(sock, pieces, _IDLE), "POST")  # type: ignore
        headers = {"Content-Type": "application/x-ndjson", "Transfer-Encoding": "chunked"}
        try:
            connection.putrequest("POST", self._target)
            for name, value in self._transport.headers(headers).items():
                connection.putheader(name, value)
            connection.endheaders()
            response = connection.getresponse()
            if response.status != 200:
                checked(read(response))
        except (OSError, HTTPException) as error:
            connection.close()
            raise self._cut(0, error) from error
        except BaseException:
            connection.close()
            raise
        self._is_begun = True
        self._kept.clear()
        return connection, response

    def _chunks(self, rows: Iterator[Mapping[str, object]]) -> Iterator[bytes]:
        """Rows as HTTP chunks of several rows each; the last chunk is empty."""
        for piece in chain(self._gathered(rows), [b""]):
            chunk = b"%x\r\n%b\r\n" % (len(piece), piece)
            if not self._is_begun:
                self._kept.append(chunk)
            yield chunk

    def _gathered(self, rows: Iterator[Mapping[str, object]]) -> Iterator[bytes]:
        piece = bytearray()
        begun = time.monotonic()
        for row in rows:
            piece += to_json(row) + b"\n"
            self._sent += 1
            if len(piece) >= _PIECE_BYTES or time.monotonic() - begun > _PIECE_SECONDS:
                yield bytes(piece)
                piece.clear()
                begun = time.monotonic()
        if piece:
            yield bytes(piece)


def _lines(response: HTTPResponse) -> Iterator[bytes]:
    rest = b""
    while some := response.read1(65_536):
        *whole, rest = (rest + some).split(b"\n")
        yield from whole
    if rest:
        yield rest
