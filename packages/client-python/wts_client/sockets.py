"""Ways to read answers: until a deadline, or while the request is still being sent."""

from __future__ import annotations

import io
import selectors
import socket
import ssl
import time
from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any


class Deadline:
    """The time by which a whole call must have ended."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The remaining seconds. Raises TimeoutError after the deadline."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the deadline of the call has passed")
        return left

    def allows(self, pause: float) -> bool:
        """Whether a pause of so many seconds ends before the deadline."""
        return time.monotonic() + pause < self._end


class _Reader(io.RawIOBase):
    """Replaces the socket of an HTTPResponse."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__()
        self._sock = sock
        # `_raw` keeps the socket open until the answer is read, even if the connection releases the socket.
        self._raw = sock.makefile("rb", buffering=0)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._raw.close()
        super().close()


class DeadlineReader(_Reader):
    """Reads an answer until the deadline, even if the answer arrives slowly."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        super().__init__(sock)
        self._deadline = deadline

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(self._deadline.left())
        return self._raw.readinto(buffer)  # type: ignore[attr-defined, no-any-return]


class Duplex(_Reader):
    """Reads an answer. Sends pieces of the request while nothing can be read."""

    def __init__(self, sock: socket.socket, pieces: Iterator[bytes], idle: float) -> None:
        super().__init__(sock)
        self._pieces = pieces
        self._unsent = memoryview(b"")
        self._idle = idle
        self._is_sending = True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(0)
        while True:
            wanted = selectors.EVENT_READ
            try:
                read: int | None = self._raw.readinto(buffer)  # type: ignore[attr-defined]
                if read is not None:
                    return read
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLWantWriteError:
                wanted |= selectors.EVENT_WRITE
            if not self._has_unsent():
                self._wait(wanted)
            elif not self._send():
                self._wait(wanted | selectors.EVENT_WRITE)

    def _has_unsent(self) -> bool:
        if not self._unsent and self._is_sending:
            piece = next(self._pieces, None)
            self._is_sending = piece is not None
            self._unsent = memoryview(piece or b"")
        return len(self._unsent) > 0

    def _send(self) -> bool:
        """Sends as many bytes as possible. Returns False if the caller must wait for the socket."""
        try:
            self._unsent = self._unsent[self._sock.send(self._unsent) :]
        except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            return False
        except (BrokenPipeError, ConnectionResetError):
            # The service has stopped reading. Its answer, with the reason, may already have arrived.
            self._unsent, self._is_sending = memoryview(b""), False
        return True

    def _wait(self, events: int) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._sock, events)
            if not selector.select(self._idle):
                raise TimeoutError(f"nothing was sent or taken for {self._idle:g} s")


def answer_of(reader: _Reader, method: str | None) -> HTTPResponse:
    """The answer from this reader."""
    return HTTPResponse(reader, method=method)  # type: ignore[arg-type]
