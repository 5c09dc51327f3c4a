"""Webhooks are believed only where the service has signed them."""

import base64
import json
import os
import time
import unittest

from wts_client import WebhookInvalid, verify_webhook


class Webhooks(unittest.TestCase):
    # One that the service's own signer has made; see the test that starts these.
    body, headers, secret = json.loads(os.environ["WTS_WEBHOOK"])
    other = "whsec_" + base64.b64encode(b"another secret, of 24 bytes").decode()

    def test_gives_the_event(self) -> None:
        event = verify_webhook(self.body, self.headers, self.secret)
        self.assertEqual(event, json.loads(self.body))
        named = {name.title(): value for name, value in self.headers.items()}
        self.assertEqual(verify_webhook(self.body.encode(), named, [self.other, self.secret]), event)

    def test_refuses_what_is_not_signed(self) -> None:
        changed = {**self.headers, "webhook-id": "evt_other"}
        late = {**self.headers, "webhook-timestamp": str(int(time.time()) - 301)}
        odd = {**self.headers, "webhook-timestamp": "²"}
        none = {name: value for name, value in self.headers.items() if name != "webhook-signature"}
        for body, headers, secrets in (
            (self.body + " ", self.headers, self.secret),
            (self.body, changed, self.secret),
            (self.body, late, self.secret),
            (self.body, odd, self.secret),
            (self.body, none, self.secret),
            (self.body, {**self.headers, "webhook-signature": "v1,é v2,x v1,"}, self.secret),
            (self.body, self.headers, self.other),
            (self.body, self.headers, []),
        ):
            with self.assertRaises(WebhookInvalid):
                verify_webhook(body, headers, secrets)
