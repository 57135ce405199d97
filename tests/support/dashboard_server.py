# SPDX-License-Identifier: Apache-2.0
"""A pawl that serves a history with a change, an outlier and hostile names: for the tests of the dashboard."""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from dashboard_runs import RUNS, page_home, run_of

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Served(unittest.TestCase):
    build = None  # the folder of the build

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pawl-dashboard-")
        self.path = pathlib.Path(self.folder.name)
        self.process = None
        (self.path / "pawl.yaml").write_text("version: 1\n")
        home = page_home(self.path / "home")
        self.environment = {key: value for key, value in os.environ.items() if key != "PAWL_DASHBOARD_TOKEN"} | {"PAWL_HOME": str(home)}

    def tearDown(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.assertEqual(self.process.wait(10), 0)
        self.folder.cleanup()

    def pawl(self, *words):
        return subprocess.run([self.build / "src/cli/pawl", *words], cwd=self.path, env=self.environment, capture_output=True, text=True, timeout=30)

    def fill(self):
        (self.path / "runs.ndjson").write_text("".join(json.dumps(run_of(i)) + "\n" for i in range(RUNS)))
        done = self.pawl("history", "import", "runs.ndjson")
        self.assertEqual(done.returncode, 0, done.stderr)

    def start(self, *words):
        log = open(self.path / "log", "wb")
        with log:
            self.process = subprocess.Popen([self.build / "src/cli/pawl", "serve", "--listen", "127.0.0.1:0", *words], cwd=self.path,
                                            env=self.environment, stderr=log)
        end = time.monotonic() + 15
        while time.monotonic() < end:
            found = re.search(r"at http://127.0.0.1:(\d+)/", (self.path / "log").read_text())
            if found:
                self.port = int(found[1])
                return
            time.sleep(0.02)
        self.fail("the dashboard does not start: " + (self.path / "log").read_text())

    def ask(self, path, method="GET", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()
