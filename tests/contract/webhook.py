#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wake-up service over real sockets: hostile clients, lost hooks, crashes. Usage: webhook.py PAWL"""
import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import certificate  # noqa: E402
import side_by_side  # noqa: E402

PAWL = sys.argv[1] if len(sys.argv) > 1 else "pawl"
SECRET = "It's a Secret to Everybody"
TOKEN = "ghs_a-token-that-nobody-may-see"

CONFIG = """version: 1
listen: 127.0.0.1:0
secret: {env: HOOK_PHRASE}
token: {file: token}
api_url: %(api)s
repositories: [%(repositories)s]
state: state
poll: %(poll)s
body_limit: 256KiB
rate: %(rate)s
machines:
  gpu:
    labels: [self-hosted, gpu]
    start: [sh, -c, "env > environment; echo start >> log; %(start)s"]
    stop: [sh, -c, "echo stop >> log"]
    idle_stop: %(idle)s
    min_up: %(min_up)s
    timeout: 20s
"""


def hook(action, job, labels=("self-hosted", "gpu"), repository="octo/app", age=0):
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - age))
    return json.dumps({"action": action, "repository": {"full_name": repository},
                       "workflow_job": {"id": job, "run_id": job, "labels": list(labels), "status": action,
                                        "created_at": created}}).encode()


def sign(body, secret=SECRET):
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Api(http.server.ThreadingHTTPServer):
    """A code host that knows some jobs; two rows a page."""

    def __init__(self, context=None):
        super().__init__(("127.0.0.1", 0), Answer)
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.scheme = "https" if context else "http"
        self.jobs = {}
        self.broken = False
        self.listed, self.organisation = ["octo/app", "octo/old", "other/app"], True
        self.tokens = set()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.server_port}"


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        api, url = self.server, urllib.parse.urlparse(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        api.tokens.add(self.headers.get("Authorization"))
        if api.broken:
            return self.answer(500, {})
        jobs = dict(api.jobs)
        if url.path in ("/orgs/octo/repos", "/user/repos"):
            if url.path == "/orgs/octo/repos" and not api.organisation:
                return self.answer(404, {"message": "Not Found"})
            key, rows = None, [{"full_name": n, "archived": n.endswith("/old"), "disabled": False} for n in api.listed]
        elif url.path == "/repos/octo/app/actions/runs":
            key, rows = "workflow_runs", [{"id": i} for i, s in jobs.items() if s == query["status"]]
        else:
            run = int(re.fullmatch(r"/repos/octo/app/actions/runs/(\d+)/jobs", url.path)[1])
            key, rows = "jobs", [{"id": run, "status": jobs[run], "labels": ["self-hosted", "gpu"]}] * (run in jobs)
        page = int(query.get("page", 1))
        more = len(rows) > 2 * page
        link = f'<{api.url}{url.path}?{urllib.parse.urlencode({**query, "page": page + 1})}>; rel="next"'
        shown = rows[2 * page - 2:2 * page]
        return self.answer(200, {key: shown} if key else shown, {"Link": link} if more else {})

    def answer(self, status, document, headers=()):
        body = json.dumps(document).encode()
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Service(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pawl-webhook-")
        self.path = pathlib.Path(self.folder.name)
        (self.path / "token").write_text(TOKEN + "\n")
        (self.path / "token").chmod(0o600)
        self.process = None
        self.api = None

    def tearDown(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.api:
            self.api.shutdown()
            self.api.server_close()
        self.folder.cleanup()

    def configure(self, poll="0", rate="100000", idle="1h", min_up="0", start="true", repositories="octo/app"):
        values = {"poll": poll, "rate": rate, "idle": idle, "min_up": min_up, "start": start,
                  "repositories": repositories,
                  "api": self.api.url if self.api else "http://127.0.0.1:9"}
        (self.path / "pawl-wake.yaml").write_text(CONFIG % values)

    def command(self, *words):
        return [PAWL, "-C", str(self.path), *words]

    def environment(self):
        return {**os.environ, "HOOK_PHRASE": SECRET, "SLACK_TOKEN": "another"}

    def start(self, **configuration):
        self.configure(**configuration)
        self.restart()

    def restart(self, *words):
        with open(self.path / "errors", "ab") as errors:
            seen = errors.tell()
            self.process = subprocess.Popen(self.command("serve", "--webhook", *words), stderr=errors, env=self.environment())
        self.port = int(self.wait_for(lambda: re.search(r"listening on 127.0.0.1:(\d+)", self.errors()[seen:]))[1])

    def errors(self):
        return (self.path / "errors").read_text()

    def wait_for(self, condition, seconds=120):  # far away: a busy machine is slow
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            time.sleep(0.02)
        self.fail("waited in vain; " + self.errors())

    def log(self):
        path = self.path / "log"
        return path.read_text().split() if path.exists() else []

    def post(self, body, signature=None, delivery=None, event="workflow_job", **more):
        headers = {"Content-Type": "application/json", "X-GitHub-Event": event,
                   "X-GitHub-Delivery": str(uuid.uuid4()) if delivery is None else delivery,
                   "X-Hub-Signature-256": sign(body) if signature is None else signature, **more}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", "/webhook", body, headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def metric(self, name):
        return float(re.search(rf"^{re.escape(name)} (\S+)$", self.get("/metrics")[1], re.M)[1])


class Hooks(Service):
    def test_a_queued_job_starts_its_machine_and_idleness_stops_it(self):
        self.start(idle="300ms", min_up="600ms")
        self.assertEqual(self.post(hook("queued", 1)), 202)
        self.wait_for(lambda: self.log() == ["start"])
        self.assertEqual(self.post(hook("in_progress", 1)), 202)
        time.sleep(1.2)
        self.assertEqual(self.log(), ["start"])
        self.assertEqual(self.post(hook("completed", 1)), 202)
        self.wait_for(lambda: self.log() == ["start", "stop"])
        self.wait_for(lambda: self.metric('pawl_wake_machine_state{machine="gpu",state="off"}') == 1)

    def test_no_secret_goes_to_a_command_or_into_a_message(self):
        self.start()
        self.post(hook("queued", 1))
        self.wait_for(lambda: self.log())
        environment = (self.path / "environment").read_text()
        self.assertIn("PAWL_MACHINE=gpu", environment)
        arguments = pathlib.Path(f"/proc/{self.process.pid}/cmdline").read_bytes().decode()
        journal = (self.path / "state/journal").read_text()
        for text in (environment, arguments, journal, self.errors(), self.get("/metrics")[1]):
            self.assertNotIn(SECRET, text)
            self.assertNotIn(TOKEN, text)
        self.assertNotIn("SLACK_TOKEN", environment)
        self.assertNotIn("HOOK_PHRASE", environment)

    def test_changed_signatures_and_bodies_are_refused(self):
        self.start()
        body = hook("queued", 1)
        good = sign(body)
        bad = ["", "sha256=", good[:-1], good + "0", good.upper(), "sha1=" + good[7:], sign(body, "another"),
               sign(body + b" ")]
        for i in range(7, len(good), 7):
            bad.append(good[:i] + ("0" if good[i] != "0" else "1") + good[i + 1:])
        for signature in bad:
            self.assertEqual(self.post(body, signature), 401, signature)
        for length in range(0, len(body), 17):  # truncated on the way, whole by its Content-Length
            self.assertEqual(self.post(body[:length], good), 401)
        self.assertEqual(self.metric('pawl_webhook_requests_total{result="accepted"}'), 0)
        self.assertEqual(self.log(), [])

    def test_signed_nonsense_is_refused_and_other_events_are_ignored(self):
        self.start()
        for body in (b"", b"{", b"[]", b"null", b"{}", b'{"action":"queued"}', b"\xff\xfe", b"[" * 5000,
                     hook("queued", -1), hook("queued", 1, labels=[1]), hook("queued", 1, labels=["x"] * 65),
                     hook("queued", 1, labels=["x" * 257]), hook("queued", 1, repository="x" * 300)):
            self.assertEqual(self.post(body), 400, body[:60])
        self.assertEqual(self.post(hook("queued", 1), delivery=""), 400)
        self.assertEqual(self.post(hook("queued", 1), delivery="x" * 200), 400)
        self.assertEqual(self.post(b"{}", event="ping"), 200)
        self.assertEqual(self.post(hook("waiting", 1)), 200)
        self.assertEqual(self.post(hook("queued", 1, repository="else/where")), 200)
        self.assertEqual(self.post(hook("queued", 1, labels=["ubuntu-latest"])), 200)
        self.assertEqual(self.post(hook("queued", 1, age=90000)), 200)
        self.assertEqual(self.post(hook("queued", 1), **{"Content-Type": "application/x-www-form-urlencoded"}), 415)
        self.assertEqual(self.get("/webhook")[0], 405)
        self.assertEqual(self.get("/../etc/passwd")[0], 404)
        self.assertEqual(self.metric('pawl_webhook_requests_total{result="accepted"}'), 0)

    def test_a_delivery_counts_once(self):
        self.start()
        body = hook("queued", 1)
        self.assertEqual(self.post(body, delivery="a"), 202)
        for delivery in ("a", "b"):  # the name is not signed
            self.assertEqual(self.post(body, delivery=delivery), 200)
        self.process.kill()
        self.process.wait()
        self.restart()
        self.assertEqual(self.post(body, delivery="c"), 200)
        self.assertEqual(self.metric('pawl_webhook_requests_total{result="duplicate"}'), 1)

    def test_a_body_of_1_gb_is_turned_away_before_it_is_sent(self):
        self.start()
        with socket.create_connection(("127.0.0.1", self.port), 10) as client:
            client.sendall(b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                           b"X-Hub-Signature-256: sha256=0\r\nContent-Length: 1000000000\r\n\r\n")
            self.assertIn(b" 413 ", client.recv(200))
            sent = 0
            try:  # the server cuts off a client that goes on
                while sent < 1000000000:
                    sent += client.send(b"x" * 65536)
            except OSError:
                pass
            self.assertLess(sent, 100000000)
        with socket.create_connection(("127.0.0.1", self.port), 10) as client:
            client.sendall(b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                           b"X-Hub-Signature-256: sha256=0\r\nTransfer-Encoding: chunked\r\n\r\n")
            self.assertIn(b" 411 ", client.recv(200))
        memory = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())[1]
        self.assertLess(int(memory), 200000)  # KiB
        self.assertEqual(self.post(hook("queued", 1)), 202)

    def test_a_client_that_breaks_off_leaves_nothing(self):
        self.start()
        body = hook("queued", 1)
        for _ in range(50):
            with socket.create_connection(("127.0.0.1", self.port), 10) as client:
                client.sendall(b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-GitHub-Event: "
                               b"workflow_job\r\nX-GitHub-Delivery: d\r\nX-Hub-Signature-256: " + sign(body).encode() +
                               b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:random.randrange(len(body))])
        self.assertEqual(self.post(body), 202)
        self.assertEqual(self.metric('pawl_webhook_requests_total{result="accepted"}'), 1)

    def test_slow_clients_do_not_keep_others_out(self):
        self.start()
        slow = [socket.create_connection(("127.0.0.1", self.port), 10) for _ in range(100)]
        end = time.monotonic() + 120  # it cuts them off after 15 seconds
        alive, answered = list(slow), 0
        while alive and time.monotonic() < end:  # a byte now and then, so that no idle time-out helps
            for client in list(alive):
                try:
                    client.sendall(b"X")
                    client.setblocking(False)
                    if client.recv(100) == b"":
                        raise ConnectionError
                except BlockingIOError:
                    client.setblocking(True)
                except OSError:
                    alive.remove(client)
            begin = time.monotonic()
            self.assertEqual(self.get("/healthz")[0], 200)
            self.assertLess(time.monotonic() - begin, 10)  # before the first of them is cut off
            answered += 1
            time.sleep(1)
        for client in slow:
            client.close()
        self.assertEqual(alive, [], "connections that trickle are never cut off")
        self.assertGreater(answered, 3)

    def test_one_address_has_a_rate(self):
        self.start(rate="1")
        statuses = [self.post(hook("queued", i), "sha256=" + "0" * 64) for i in range(40)]
        self.assertIn(429, statuses)
        self.assertGreaterEqual(statuses.count(401), 2)
        self.assertEqual(self.get("/healthz")[0], 200)
        self.assertEqual(self.post(hook("queued", 1)), 202)

    def test_a_flood_of_unsigned_hooks_keeps_no_real_one_out(self):
        self.start(rate="1", start="sleep 30")
        stop, refused = threading.Event(), {401: 0, 429: 0}

        def flood():
            while not stop.is_set():
                refused[self.post(hook("queued", 1), "sha256=" + "0" * 64)] += 1

        floods = [threading.Thread(target=flood) for _ in range(4)]
        for thread in floods:
            thread.start()
        self.wait_for(lambda: refused[429] > 20)
        statuses = [self.post(hook("queued", job)) for job in range(1, 41)]
        stop.set()
        for thread in floods:
            thread.join()
        self.assertEqual(statuses, [202] * 40)
        self.assertGreater(refused[429], refused[401])

    def test_it_recovers_when_the_disk_does(self):
        self.start(start="sleep 30")
        self.assertEqual(self.post(hook("queued", 1)), 202)
        journal = self.path / "state/journal"
        hard = resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (journal.stat().st_size, hard))  # the disk is full
        for job in range(2, 40):
            self.assertEqual(self.post(hook("queued", job)), 503)
        self.assertEqual(self.get("/healthz")[0], 503)
        self.assertLessEqual(self.errors().count("cannot write the journal"), 2)
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        self.wait_for(lambda: self.get("/healthz")[0] == 200)
        self.assertIn("pawl can write the queue again", self.errors())
        self.assertEqual(self.post(hook("queued", 41)), 202)
        self.process.kill()
        self.process.wait()
        self.restart()
        self.assertEqual(self.metric('pawl_wake_jobs{machine="gpu",state="queued"}'), 2)

    def test_sigterm_ends_it_well_and_a_running_command_too(self):
        self.start()
        self.post(hook("queued", 1))
        self.wait_for(lambda: self.log())
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(60), 0)


class Crashes(Service):
    def test_kill_9_loses_no_accepted_wake_up(self):
        self.start(start="sleep 30")
        accepted, stop = [], threading.Event()

        def send():
            while not stop.is_set():
                job = random.randrange(1, 1 << 40)
                try:
                    if self.post(hook("queued", job)) == 202:
                        accepted.append(job)
                except (OSError, http.client.HTTPException):
                    return

        for _ in range(3):
            stop.clear()
            senders = [threading.Thread(target=send) for _ in range(4)]
            for sender in senders:
                sender.start()
            before = len(accepted)
            self.wait_for(lambda: len(accepted) >= before + 8)
            time.sleep(random.uniform(0, 0.1))
            self.process.kill()
            self.process.wait()
            stop.set()
            for sender in senders:
                sender.join()
            self.restart()
            queued = self.metric('pawl_wake_jobs{machine="gpu",state="queued"}')
            self.assertGreaterEqual(queued, len(accepted))
            self.assertLessEqual(queued, len(accepted) + 4 * 3)  # in flight when it was killed
        self.assertGreater(len(accepted), 20)
        self.assertNotIn("damaged", self.errors())

    def test_a_start_that_was_cut_off_is_done_again(self):
        self.start(start="sleep 30")
        self.post(hook("queued", 1))
        self.wait_for(lambda: self.log() == ["start"])
        self.process.kill()
        self.process.wait()
        self.configure()
        self.restart()
        self.wait_for(lambda: self.log() == ["start", "start"])
        self.wait_for(lambda: self.metric('pawl_wake_machine_state{machine="gpu",state="up"}') == 1)

    def test_a_second_service_is_refused(self):
        self.start()
        second = subprocess.run(self.command("serve", "--webhook"), env=self.environment(), capture_output=True,
                                text=True, timeout=20)
        self.assertEqual(second.returncode, 75)
        self.assertIn("is locked by process", second.stderr)


class Polling(Service):
    def test_a_fifth_of_the_hooks_lost_is_found_again(self):
        self.api = Api()
        self.start(poll="500ms", idle="1s")
        chance = random.Random(6)
        jobs = range(1, 41)
        lost = 0
        for state in ("queued", "in_progress", "completed"):
            for job in jobs:
                self.api.jobs[job] = state
                if chance.random() < 0.2:
                    lost += 1
                else:
                    self.assertIn(self.post(hook(state, job)), (200, 202))
            if state != "completed":
                name = "queued" if state == "queued" else "running"
                self.wait_for(lambda: self.metric(f'pawl_wake_jobs{{machine="gpu",state="{name}"}}') == len(jobs))
        self.assertGreater(lost, 12)
        self.wait_for(lambda: self.log() == ["start", "stop"])
        self.assertGreaterEqual(self.metric("pawl_poll_recovered_jobs_total"), 8)
        self.assertEqual(self.api.tokens, {"Bearer " + TOKEN})

    def test_a_code_host_that_fails_drops_nothing(self):
        self.api = Api()
        self.start(poll="100ms", idle="200ms")
        self.api.jobs[1] = "queued"
        self.wait_for(lambda: self.log() == ["start"])
        self.api.broken = True
        self.wait_for(lambda: self.metric("pawl_poll_failures_total") >= 3)
        self.assertEqual(self.metric('pawl_wake_jobs{machine="gpu",state="queued"}'), 1)
        self.assertNotIn(TOKEN, self.errors())

    def test_all_repositories_of_an_owner(self):
        for organisation in (True, False):
            self.api = Api()
            self.api.organisation = organisation
            self.configure(idle="1s", repositories="'octo/*'")
            self.api.jobs[1] = "queued"

            def wake():
                return subprocess.run(self.command("wake"), env=self.environment(), capture_output=True, text=True,
                                      timeout=30)

            self.assertIn("gpu: up, 1 queued", wake().stdout)
            self.api.jobs.clear()
            self.assertIn("gpu: up, 0 queued", wake().stdout)
            time.sleep(1.1)
            self.assertIn("gpu: off", wake().stdout)
            for listed, words in ((["other/app"], "sees no repository of 'octo/*'"),
                                  ([f"octo/{i}" for i in range(51)], "more than 50 repositories"),
                                  (["octo/../../user"], "impossible 'full_name'")):
                self.api.listed = listed
                done = wake()
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.api.shutdown()
            self.api.server_close()

    def test_a_code_host_with_an_authority_of_its_own(self):
        context, file = certificate.make(self.path)
        self.api = Api(context)
        self.api.jobs[1] = "queued"
        self.configure(poll="100ms")
        wake = [*self.command("wake"), "--config", str(self.path / "pawl-wake.yaml")]
        refused = subprocess.run(wake, env=self.environment(), capture_output=True, text=True, timeout=60)
        self.assertIn("--ca-file", refused.stderr)
        self.assertEqual(self.log(), [])
        known = subprocess.run([*wake, "--ca-file", str(file)], env=self.environment(), capture_output=True, text=True, timeout=60)
        self.assertEqual((known.returncode, known.stdout), (0, "gpu: up, 1 queued, 0 running\n"), known.stderr)
        self.api.jobs[2] = "queued"
        self.restart("--ca-file", str(file))
        self.wait_for(lambda: self.metric('pawl_wake_jobs{machine="gpu",state="queued"}') == 2)

    def test_wake_does_the_same_once(self):
        self.api = Api()
        self.configure(idle="1s")
        self.api.jobs[1] = "queued"

        def wake(*words):
            return subprocess.run(self.command(*words), env=self.environment(), capture_output=True, text=True,
                                  timeout=30)

        done = wake("wake")
        self.assertEqual((done.returncode, done.stdout), (0, "gpu: up, 1 queued, 0 running\n"), done.stderr)
        self.api.jobs.clear()
        time.sleep(0.01)
        self.assertIn("gpu: up, 0 queued", wake("wake").stdout)
        time.sleep(1.1)
        self.assertEqual(wake("wake").stdout, "gpu: off, 0 queued, 0 running\n")
        self.assertEqual(self.log(), ["start", "stop"])
        self.assertEqual(wake("wake", "start", "gpu").stdout, "gpu: up, 0 queued, 0 running\n")
        self.assertEqual(json.loads(wake("--json", "wake", "stop", "gpu").stdout)["machines"][0]["state"], "off")
        nearest = wake("wake", "stop", "gpus")
        self.assertEqual(nearest.returncode, 64)
        self.assertIn("did you mean 'gpu'?", nearest.stderr)
        self.configure(start="exit 3")
        failed = wake("wake", "start", "gpu")
        self.assertEqual(failed.returncode, 69)
        self.assertIn("exited with status 3", failed.stderr)


if __name__ == "__main__":
    sys.exit(side_by_side.run([sys.modules[__name__]], "the wake-up service", sys.argv[2:]))
