"""A mirror that is killed, behind a network that breaks."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from itertools import count
from pathlib import Path

from wts_client import NotFound

from .mirror import listed
from .service import Proxy, connect


class Mirror(unittest.TestCase):
    def test_survives_kill_9(self) -> None:
        client = connect(self)
        trees = client.workflow("trees")
        stop = threading.Event()

        def write() -> None:
            for number in count():
                if stop.is_set():
                    return
                name = f"T-{number % 15}"
                if number % 7 == 6:
                    try:
                        trees.delete(name)
                    except NotFound:
                        pass
                else:
                    risk = ("Low", "High", None)[number % 3]
                    trees.save({"Tree ID": name, "Name": f"tree {number}", "Risk": risk})

        writer = threading.Thread(target=write)
        with tempfile.TemporaryDirectory() as folder, Proxy("unanswered", "503", "cut", share=0.2) as proxy:
            file = Path(folder, "kept.json")
            command = [sys.executable, "-m", "tests.mirror", str(file)]

            def kept(key: str) -> object:
                return json.loads(file.read_text())[key] if file.exists() else None

            def start() -> subprocess.Popen[bytes]:
                return subprocess.Popen(command, env={**os.environ, "WTS_URL": proxy.url})

            mirror = start()
            writer.start()
            try:
                for _ in range(4):
                    before = kept("cursor")
                    self.wait(lambda: kept("cursor") != before)
                    mirror.kill()
                    mirror.wait()
                    mirror = start()
                stop.set()
                writer.join()
                there = listed(client)
                self.assertGreater(len(there), 5)
                self.wait(lambda: kept("tasks") == there)
            finally:
                stop.set()
                mirror.kill()
                mirror.wait()

    def wait(self, is_so: Callable[[], bool], seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not is_so():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
