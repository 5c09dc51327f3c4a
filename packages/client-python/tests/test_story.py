"""What a system does with the service all day, in order."""

import socket
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import islice

from wts_client import (
    Client,
    Conflict,
    CursorExpired,
    NotFound,
    NotPossible,
    PreconditionFailed,
    Unavailable,
    ValidationError,
    WtsError,
)

from .service import KEY, URL, Proxy, connect

LONG = "12345678901234567890123456789012345678"


class Story(unittest.TestCase):
    def setUp(self) -> None:
        self.client = connect(self)
        self.vendors = self.client.workflow("vendors")

    def test_saves_and_reads(self) -> None:
        made = self.vendors.save({"Vendor ID": "S-1", "Vendor Name": "Åse & Söhne 🌲", "Amount": Decimal(LONG)})
        self.assertEqual(made["Amount"], LONG)
        seen = datetime(2027, 1, 5, 10, 0, 0, 123_999)
        with self.assertRaisesRegex(ValueError, "has no time zone"):
            self.vendors.save({"Vendor ID": "S-1", "Seen": seen})
        seen = seen.replace(tzinfo=timezone(timedelta(hours=1)))
        changes = {"Due": date(2027, 2, 28), "Seen": seen, "constructor": "kept", "Name/é?#": "x"}
        again = self.vendors.save({"Vendor ID": "S-1", **changes})
        self.assertEqual((again["Due"], again["Seen"]), ("2027-02-28", "2027-01-05T09:00:00.123Z"))
        self.assertEqual(len(list(self.vendors.list({"Vendor ID": "S-1", "Seen[lte]": seen}))), 1)
        read = self.vendors.get("S-1")
        self.assertEqual(read, again)
        self.assertEqual((read["Vendor Name"], read["constructor"]), ("Åse & Söhne 🌲", "kept"))
        # What was read is sent back as it is, and changes nothing.
        self.assertEqual(self.vendors.save(read).etag, read.etag)
        self.assertEqual(self.vendors.save({"Vendor ID": "S-1", "Amount": Decimal("1E+3")})["Amount"], "1000")

    def test_names_in_paths_are_encoded(self) -> None:
        name = "a/b ?#%2F+é"
        self.vendors.save({"Vendor ID": name, "Vendor Name": "Odd"})
        self.assertEqual(self.vendors.get(name)["Vendor ID"], name)
        self.vendors.delete(name)
        with self.assertRaises(NotFound):
            self.vendors.delete(name)

    def test_updates_what_has_not_changed(self) -> None:
        read = self.vendors.save({"Vendor ID": "C-1", "Vendor Name": "Cedar"})
        self.vendors.save({"Vendor ID": "C-1", "Risk": "Low"}, if_match=read.etag)
        with self.assertRaises(PreconditionFailed) as refused:
            self.vendors.save({"Vendor ID": "C-1", "Risk": "High"}, if_match=read.etag)
        self.assertEqual(refused.exception.status, 412)
        with self.assertRaises(PreconditionFailed):
            self.vendors.create({"Vendor ID": "C-1", "Vendor Name": "New"})
        with self.assertRaises(PreconditionFailed):
            self.vendors.delete("C-1", if_match=read.etag)
        self.assertEqual(self.vendors.get("C-1")["Risk"], "Low")
        self.assertEqual(self.vendors.update({"Vendor ID": "C-1", "Risk": None})["Risk"], None)
        with self.assertRaises(NotFound):
            self.vendors.update({"Vendor ID": "C-2", "Risk": "Low"})

    def test_says_what_is_wrong(self) -> None:
        with self.assertRaises(ValidationError) as refused:
            self.vendors.save({"Vendor ID": "W-1", "Risk": "Huge"})
        error = refused.exception
        self.assertEqual(set(error.errors), {"Risk", "Vendor Name"})
        self.assertEqual(error.errors["Vendor Name"], ["is required"])
        self.assertEqual(error.status, 422)
        self.assertTrue(error.request_id)
        with self.assertRaises(ValidationError):
            self.vendors.save({"Vendor ID": "W-1", "Vendor Name": "half \ud83c"})
        with self.assertRaises(ValueError):
            self.vendors.save({"Vendor ID": "W-1", "Amount": float("nan")})
        with self.assertRaises(NotFound):
            self.client.workflow("nobody").get("W-1")
        key = "one-key"
        self.client.workflow("notes").save({"Text": "once"}, idempotency_key=key)
        with self.assertRaises(Conflict):
            self.client.workflow("notes").save({"Text": "twice"}, idempotency_key=key)

    def test_refuses_a_wrong_key_at_once(self) -> None:
        with self.assertRaises(WtsError) as refused, Client(URL, KEY[:-1]) as stranger:
            stranger.workflow("vendors").get("S-1")
        self.assertEqual(refused.exception.status, 401)
        with self.assertRaisesRegex(ValueError, "without /api/v1"):
            Client(f"{URL}/api/v1/", KEY)

    def test_acts_and_waits(self) -> None:
        self.vendors.save({"Vendor ID": "A-1", "Vendor Name": "Alder"})
        with self.assertRaises(NotPossible) as refused:
            self.vendors.act("A-1", "approve", wait=25, fields={"Risk": "Low"})
        self.assertEqual(refused.exception.unmet, ["Must be assigned"])
        self.vendors.save({"Vendor ID": "A-1", "Assigned To": "mina@acme.test"})
        with self.assertRaises(ValidationError) as wrong:
            self.vendors.act("A-1", "approve", fields={"Risk": "Huge"})
        self.assertEqual(set(wrong.exception.errors), {"Risk"})
        with self.assertRaises(ValidationError) as wrong:
            self.vendors.act("A-1", "approve", performed_by="nobody@acme.test")
        self.assertEqual(wrong.exception.errors, {"base": ["performed_by is not a user of this workspace"]})
        done = self.vendors.act("A-1", "approve", wait=25, performed_by="mina@acme.test", fields={"Risk": "Low"})
        self.assertEqual(done["status"], "Success")
        task = self.vendors.get("A-1")
        self.assertEqual((task["Stage"], task["Risk"]), ("Approved", "Low"))

    def test_lists_page_by_page(self) -> None:
        for number in range(7):
            self.vendors.save({"Vendor ID": f"L-{number}", "Vendor Name": "List & Co", "Amount": number})
        filters = {"Vendor Name": "List & Co", "Amount[gte]": Decimal(2), "Risk": None}
        found = self.vendors.list(filters, sort=["-Amount"], fields=["Vendor ID"], page_size=2)
        self.assertEqual([task["Vendor ID"] for task in found], ["L-6", "L-5", "L-4", "L-3", "L-2"])
        some = self.vendors.list({"Vendor ID": ["L-1", "L-2"]}, active=True)
        self.assertEqual([task["Vendor ID"] for task in some], ["L-1", "L-2"])

    def test_follows_what_happens(self) -> None:
        cursor = self.client.events.now()
        for number in range(5):
            self.vendors.save({"Vendor ID": f"F-{number}", "Vendor Name": "Fir"})
        self.vendors.delete("F-4")
        follow = self.client.events.follow
        told = list(islice(follow(after=cursor, types=["task.created"], limit=2), 5))
        self.assertEqual([event["data"]["task"]["unique_id"] for event, _ in told], [f"F-{n}" for n in range(5)])
        # Whoever is killed at any of them goes on from the cursor of the last one that was done, and misses none.
        for at, (_, kept) in enumerate(told[:-1]):
            event, _ = next(follow(after=kept, types=["task.created"]))
            self.assertIn(event["id"], [each["id"] for each, _ in told[: at + 2]])
        event, _ = next(follow(after=cursor, types=["task.deleted"]))
        self.assertEqual(event["type"], "task.deleted")
        # From the oldest event on, and nothing but what a key may ask for.
        self.assertTrue(next(follow()))
        with self.assertRaises(ValidationError):
            next(follow(types=["task.exploded"]))

    def test_hears_of_what_happens_while_it_waits(self) -> None:
        notes = self.client.workflow("notes")
        for share in (0.0, 0.7):
            cursor = self.client.events.now()
            with Proxy("unanswered", "503", "cut", share=share) as proxy, ThreadPoolExecutor(1) as pool:
                events = connect(self, proxy.url, deadline=0.5).events.follow(after=cursor, workflows=["notes"])
                heard = pool.submit(next, events)
                made = notes.save({"Text": "heard"})
                self.assertEqual(heard.result()[0]["data"]["task"]["url"], made["Task URL"])

    def test_begins_anew_where_its_cursor_is_too_old(self) -> None:
        events = self.client.events
        with Proxy("410", share=1) as proxy:
            expired = connect(self, proxy.url).events.follow(after=events.now())
            with self.assertRaises(CursorExpired) as refused:
                next(expired)
            proxy.share = 0
            self.assertTrue(refused.exception.resync())
        with self.assertRaises(CursorExpired) as refused:
            next(events.follow(after="of another workspace"))
        self.assertEqual(refused.exception.status, 422)
        self.assertTrue(refused.exception.resync())

    def test_tells_of_each_try_for_which_the_service_is_away(self) -> None:
        away: list[str] = []
        with Proxy("503", share=1) as proxy:

            def on_away(error: WtsError) -> None:
                away.append(str(error))
                proxy.share = 0 if len(away) > 2 else 1

            follow = connect(self, proxy.url).events.follow
            self.assertTrue(next(follow(on_away=on_away)))
        self.assertEqual(away, ["The service answered 503."] * 3)

        def enough(error: WtsError) -> None:
            raise RuntimeError(str(error))

        with self.assertRaisesRegex(RuntimeError, "^No answer came: .*refused"):
            next(connect(self, proxy.url).events.follow(on_away=enough))

    def test_asks_for_anything_else(self) -> None:
        answer = self.client.request("GET", "/api/v1/workflows/vendors/stages")
        self.assertEqual(answer.json()[0], {"name": "New"})
        self.vendors.save({"Vendor ID": "R-1", "Vendor Name": "Rowan"})
        path = "/api/v1/workflows/vendors/tasks/R-1/comments"
        with Proxy("unanswered", share=0.6) as proxy:
            connect(self, proxy.url).request("POST", path, body={"body": "Called"})
        self.assertEqual([each["body"] for each in self.client.request("GET", path).json()], ["Called"])


class Batches(unittest.TestCase):
    def setUp(self) -> None:
        self.client = connect(self)
        self.vendors = self.client.workflow("vendors")

    def test_say_what_became_of_each_row(self) -> None:
        rows = [{"Vendor ID": "B-1", "Vendor Name": "Birch"}, {"Vendor ID": "B-2"}]
        done = list(self.vendors.batch(rows))
        self.assertEqual([row["status"] for row in done], ["created", "error"])
        self.assertEqual(done[1]["errors"], {"Vendor Name": ["is required"]})
        gone = list(self.vendors.batch([{"_delete": True, "Vendor ID": "B-1"}]))
        self.assertEqual([row["status"] for row in gone], ["deleted"])
        self.assertEqual(list(self.vendors.batch([])), [])

    def test_stream_both_ways(self) -> None:
        taken = 0

        def rows():
            nonlocal taken
            for number in range(30_000):
                taken += 1
                yield {"Vendor ID": f"M-{number}", "Vendor Name": "Many " + "x" * 200}

        results = self.vendors.batch(rows())
        self.assertEqual(next(results)["status"], "created")
        self.assertLess(taken, 30_000)
        self.assertEqual(sum(row["status"] == "created" for row in results), 29_999)

    def test_are_refused_as_a_whole(self) -> None:
        with self.assertRaises(NotFound):
            list(self.client.workflow("nobody").batch([{"Vendor ID": "B-1"}]))

    def test_that_are_cut_say_so(self) -> None:
        rows = [{"Vendor ID": f"U-{number}", "Vendor Name": "Cut"} for number in range(500)]
        with Cut() as url, self.assertRaisesRegex(Unavailable, "answered 1 of [0-9]+ sent rows"):
            list(connect(self, url).workflow("vendors").batch(rows))


class Cut:
    """Stands for a service that answers a batch in part, and goes away."""

    def __enter__(self) -> str:
        self._server = socket.create_server(("127.0.0.1", 0))

        def serve() -> None:
            client, _ = self._server.accept()
            with client:
                client.recv(65_536)
                line = b'{"row":1,"status":"created","unique_id":"U-0"}\n'
                client.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (len(line), line))

        threading.Thread(target=serve).start()
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self._server.close()
