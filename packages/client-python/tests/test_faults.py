"""Networks that break, and a service that is asked too often."""

import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from wts_client import TooManyRequests, Unavailable

from .service import Proxy, connect


class Faults(unittest.TestCase):
    def test_a_thousand_creates_make_a_thousand_tasks(self) -> None:
        # These tasks have no Unique ID: what is sent twice would be there twice.
        name = "cut before and after the body"
        with Proxy("head", "half", "unanswered", "cut", "503", share=0.3) as proxy:
            client = connect(self, proxy.url)
            notes = client.workflow("notes")
            with ThreadPoolExecutor(16) as pool:
                made = list(pool.map(lambda n: notes.save({"Text": f"{name} {n}"}), range(1000)))
        self.assertGreater(proxy.seen["unanswered"], 30)
        found = [task["Text"] for task in connect(self).workflow("notes").list({"Text[contains]": name})]
        self.assertEqual(len(found), 1000)
        self.assertEqual(sorted(found), sorted(task["Text"] for task in made))

    def test_a_lost_answer_is_not_taken_for_the_change_of_another(self) -> None:
        vendors = connect(self).workflow("vendors")
        read = vendors.save({"Vendor ID": "X-1", "Vendor Name": "Yew"})
        with Proxy("unanswered", share=0.8) as proxy:
            # Four of five answers are lost, so a few calls need more tries than the usual deadline has room for.
            through = connect(self, proxy.url, deadline=600).workflow("vendors")
            for risk in ("Low", "High", "Low"):
                read = through.save({"Vendor ID": "X-1", "Risk": risk}, if_match=read.etag)
            through.delete("X-1", if_match=read.etag)
        self.assertEqual(list(vendors.list({"Vendor ID": "X-1"})), [])

    def test_a_storm_of_429_is_waited_for(self) -> None:
        with Proxy("429", share=0.6) as proxy:
            client = connect(self, proxy.url)
            vendors = client.workflow("vendors")
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda n: vendors.save({"Vendor ID": f"T-{n}", "Vendor Name": "Thorn"}), range(50)))
            for _ in range(5):
                rows = ({"Vendor ID": f"T-{n}", "Vendor Name": "Thorn"} for n in range(50))
                self.assertEqual([row["status"] for row in vendors.batch(rows)], ["unchanged"] * 50)
        self.assertGreater(proxy.seen["429"], 50)
        self.assertEqual(len(list(connect(self).workflow("vendors").list({"Vendor Name": "Thorn"}))), 50)

    def test_one_deadline_bounds_all_tries(self) -> None:
        with Proxy("429", share=1) as proxy:
            began = time.monotonic()
            with self.assertRaises(TooManyRequests) as refused:
                connect(self, proxy.url, deadline=3).workflow("vendors").get("V-1")
            self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(refused.exception.status, 429)
        self.assertGreater(proxy.seen["429"], 1)
        with self.assertRaises(Unavailable) as lost:
            connect(self, "http://127.0.0.1:1", deadline=0.3).workflow("vendors").get("V-1")
        self.assertEqual(lost.exception.status, 0)
