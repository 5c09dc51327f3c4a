"""The service that tests run against, and a proxy that fails as networks do."""

from __future__ import annotations

import os
import random
import threading
import unittest
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from wts_client import Client

URL, KEY = os.environ["WTS_URL"], os.environ["WTS_KEY"]


def connect(case: unittest.TestCase, url: str = URL, deadline: float = 60) -> Client:
    client = Client(url, KEY, deadline=deadline)
    case.addCleanup(client.close)
    return client


class Proxy:
    """Hands on requests, or fails in one of these ways: `head`, `half`, `unanswered`, `cut`, or a status."""

    def __init__(self, *faults: str, share: float = 0.5) -> None:
        self.seen: Counter[str] = Counter()
        self.share = share
        proxy = self
        service = urlsplit(URL)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:
                pass

            def hand_on(self) -> None:
                fault = random.choice(faults) if random.random() < proxy.share else "none"
                proxy.seen[fault] += 1
                self.close_connection = fault != "none"
                if fault == "head":
                    return
                body = b"".join(self.pieces())
                if fault.isdigit():
                    self.answer(int(fault), {"Retry-After": "0"}, b"")
                    return
                target = HTTPConnection(service.hostname or "", service.port)
                target.putrequest(self.command, self.path, skip_host=True)
                for name, value in self.headers.items():
                    if name not in ("Content-Length", "Transfer-Encoding"):
                        target.putheader(name, value)
                if body:
                    target.putheader("Content-Length", str(len(body)))
                target.endheaders(body[: len(body) // 2] if fault == "half" else body)
                if fault == "half":
                    target.close()
                    return
                answer = target.getresponse()
                content = answer.read()
                target.close()
                if fault != "unanswered":
                    headers = {n: v for n, v in answer.getheaders() if n not in ("Transfer-Encoding", "Connection")}
                    self.answer(answer.status, headers, content, len(content) // 2 if fault == "cut" else None)

            def pieces(self) -> Iterator[bytes]:
                if self.headers.get("Transfer-Encoding") != "chunked":
                    yield self.rfile.read(int(self.headers.get("Content-Length", 0)))
                    return
                while size := int(self.rfile.readline(), 16):
                    yield self.rfile.read(size)
                    self.rfile.readline()

            def answer(self, status: int, headers: dict[str, str], content: bytes, sent: int | None = None) -> None:
                self.send_response(status)
                connection = "close" if self.close_connection else "keep-alive"
                own = {"Content-Length": str(len(content)), "Connection": connection}
                for name, value in {**headers, **own}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content[:sent])

            do_GET = do_POST = do_PUT = do_DELETE = hand_on

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Proxy:
        threading.Thread(target=self._server.serve_forever, args=(0.01,)).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
