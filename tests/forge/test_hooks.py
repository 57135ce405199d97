# SPDX-License-Identifier: Apache-2.0
"""`pawl serve --webhook` with GitHub's own examples of hooks, and its polling before GitHub's own description: official.py
runs this."""

import copy
import json
import pathlib
import random
import sys
import time

from fake_forge import Fault, Forge
from job import TOKEN

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import webhook  # noqa: E402

HOME = OFFICIAL = EXAMPLES = None


class Host:
    """The fake code host behind the description."""

    def __init__(self):
        self.forge = Forge()
        self.forge.repositories = ["octo/app", "octo/old"]
        self.url = f"{OFFICIAL}/u/{self.forge.server.server_port}"
        self.shutdown, self.server_close = self.forge.close, lambda: None


class Hooks(webhook.Service):
    def setUp(self):
        super().setUp()
        webhook.PAWL = str(HOME / "bin/pawl")
        (self.path / "token").write_text(TOKEN)

    @staticmethod
    def examples():
        """(event, payload) of all servers that GitHub gives examples of."""
        for path in sorted(EXAMPLES.glob("*/index.json")):
            for event in json.loads(path.read_text()):
                for payload in event["examples"]:
                    yield event["name"], payload

    @staticmethod
    def is_for_us(event, payload):
        return event == "workflow_job" and payload.get("action") in ("queued", "in_progress", "completed")

    def test_every_example(self):
        self.start(repositories="octo/app, 'Codertocat/*', 'octo-org/*', 'Octocoders/*'")
        count, jobs = 0, 0
        for event, payload in self.examples():
            status = self.post(json.dumps(payload).encode(), event=event)
            self.assertIn(status, (200, 202), (event, payload.get("action")))
            count, jobs = count + 1, jobs + (event == "workflow_job")
        self.assertGreater(count, 200)
        self.assertGreater(jobs, 3)
        self.assertEqual(self.metric('pawl_webhook_requests_total{result="malformed"}'), 0)

    def test_examples_of_jobs_of_ours(self):
        self.start(start="sleep 30")
        accepted, known = 0, set()
        for event, payload in self.examples():
            if not self.is_for_us(event, payload) or payload["workflow_job"]["id"] in known:
                continue
            known.add(payload["workflow_job"]["id"])
            payload["repository"]["full_name"] = "octo/app"
            payload["workflow_job"]["labels"] = ["self-hosted", "GPU"]
            if payload["action"] == "queued":
                payload["workflow_job"]["created_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            accepted += self.post(json.dumps(payload).encode()) == 202
        self.assertGreater(accepted, 0)
        self.assertEqual(self.metric('pawl_webhook_requests_total{result="accepted"}'), accepted)

    def test_changed_signatures(self):
        self.start()
        chance = random.Random(7)
        for event, payload in list(self.examples())[::7]:
            body = json.dumps(payload).encode()
            good = webhook.sign(body)
            place = chance.randrange(7, len(good))
            bad = good[:place] + chance.choice([c for c in "0123456789abcdef" if c != good[place]]) + good[place + 1:]
            changed = bytearray(body)
            changed[chance.randrange(len(body))] ^= 1 << chance.randrange(7)
            self.assertEqual(self.post(body, bad, event=event), 401)
            self.assertEqual(self.post(bytes(changed), good, event=event), 401)
        self.assertEqual(self.metric('pawl_webhook_requests_total{result="accepted"}'), 0)

    def test_signed_but_twisted(self):
        """Somebody who has the secret sends what GitHub never would: a client error or nothing, and the service lives."""
        self.start(start="sleep 30")
        chance = random.Random(8)
        jobs = [p for e, p in self.examples() if self.is_for_us(e, p)]
        odd = [None, True, -1, 1e308, "", "x" * 300, [], {}, [[[]]], "\u0000", "../..", 2**63, "\ud800"]
        for _ in range(300):
            payload = copy.deepcopy(chance.choice(jobs))
            payload["repository"]["full_name"] = "octo/app"
            where = chance.choice([payload, payload["workflow_job"], payload["repository"]])
            where[chance.choice(list(where))] = chance.choice(odd)
            self.assertIn(self.post(json.dumps(payload).encode()), (200, 202, 400), payload)
        self.assertEqual(self.get("/healthz")[0], 200)

    def test_a_fifth_of_the_hooks_lost_on_bad_days(self):
        self.api = Host()
        jobs = self.api.forge.jobs
        self.start(poll="200ms", idle="1s", repositories="'octo/*'")
        chance, lost = random.Random(6), 0
        limits = {"retry-after": "1", "x-ratelimit-remaining": "0"}
        for state in ("queued", "in_progress", "completed"):
            for match, kind, more in (("actions", "status", {"status": 502}), ("actions", "reset", {}),
                                      ("repos", "status", {"status": 403, "headers": limits}),
                                      ("actions", "nonsense", {}), ("actions", "status", {"status": 429})):
                self.api.forge.faults.append(Fault(match, kind, **more))
            for job in range(1, 21):
                jobs[job] = state
                if chance.random() < 0.2:
                    lost += 1
                else:
                    self.assertIn(self.post(webhook.hook(state, job)), (200, 202))
            if state != "completed":
                name = "queued" if state == "queued" else "running"
                self.wait_for(lambda: self.metric(f'pawl_wake_jobs{{machine="gpu",state="{name}"}}') == 20, 30)
        self.assertGreater(lost, 5)
        self.wait_for(lambda: self.log() == ["start", "stop"], 30)
        self.assertGreaterEqual(self.metric("pawl_poll_failures_total"), 5)
        self.assertNotIn(TOKEN, self.errors())

    def test_a_users_repositories(self):
        self.api = Host()
        self.api.forge.organisations = False
        self.api.forge.jobs[1] = "queued"
        self.start(poll="200ms", repositories="'octo/*'")
        self.wait_for(lambda: self.log() == ["start"])
