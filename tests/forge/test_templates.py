# SPDX-License-Identifier: Apache-2.0
"""The workflows as a security engineer reads them."""

import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
GITHUB = ROOT / "templates/forge/github/dot.github"
WORKFLOWS = sorted((ROOT / "templates/forge").rglob("*.yml"))
HOME = None


class Templates(unittest.TestCase):
    def code(self, path):
        return "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith("#"))

    def test_the_action_is_the_one_of_the_repository(self):
        self.assertEqual((GITHUB / "actions/pawl/action.yml").read_text(), (ROOT / "action.yml").read_text())

    def test_the_action_unpacks_only_what_it_was_promised(self):
        script = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][0]["run"]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            with tarfile.open(folder / "bundle", "w:gz") as tar:
                program = tarfile.TarInfo("pawl/bin/pawl")
                program.size = 4
                tar.addfile(program, io.BytesIO(b"true"))
            (folder / "curl").write_text('#!/bin/sh\nfor word; do last=$out; out=$word; case $last in --output) to=$word;; '
                                         'esac; done\ncp "$BUNDLE" "$to"\n')
            (folder / "curl").chmod(0o755)
            good = hashlib.sha256((folder / "bundle").read_bytes()).hexdigest()
            for url, digest, status in (("https://x/y.tar.gz", good, 0), ("https://x/y.tar.gz", "0" * 64, 1),
                                        ("https://x/y.tar.gz", "", 64), ("https://x/y.tar.gz", good[:-1], 64),
                                        ("http://x/y.tar.gz", good, 64), ("file:///etc/passwd", good, 64)):
                shutil.rmtree(folder / "pawl-bundle", ignore_errors=True)
                (folder / "path").write_text("")
                environment = {"PATH": f"{folder}:{os.environ['PATH']}", "BUNDLE": str(folder / "bundle"), "URL": url,
                               "SHA256": digest, "RUNNER_TEMP": str(folder), "GITHUB_PATH": str(folder / "path")}
                done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True)
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                self.assertEqual((folder / "pawl-bundle/pawl/bin/pawl").exists(), status == 0)
                self.assertEqual((folder / "path").read_text() != "", status == 0)

    def test_no_step_hides_a_failure(self):
        for path in WORKFLOWS:
            for bad in ("continue-on-error", "|| true", "set +e", "allow_failure", "always()"):
                self.assertNotIn(bad, self.code(path), path)

    def test_nothing_from_outside_is_pasted_into_a_script(self):
        for path in WORKFLOWS:
            for step in re.findall(r"(?m)^( +)run: \|?(.*(?:\n\1  .*)*)", self.code(path)):
                self.assertNotIn("${{", step[1], path)

    def test_never_strangers_code_with_the_bases_rights(self):
        for path in WORKFLOWS:
            self.assertNotIn("pull_request_target", self.code(path))
        report = self.code(GITHUB / "workflows/pawl-report.yml")
        self.assertNotIn("head_sha", report)  # no checkout of the fork
        self.assertNotIn("pawl run", report)

    def test_least_rights(self):
        for path in (GITHUB / "workflows").glob("*.yml"):
            text = self.code(path)
            self.assertIn("\npermissions: {}\n", text)
            self.assertNotIn("write-all", text)
        text = self.code(GITHUB / "workflows/pawl.yml")
        jobs = dict(re.findall(r"(?ms)^  (\w+):\n(.*?)(?=^  \w+:\n|\Z)", text[text.index("\njobs:\n"):]))
        self.assertEqual({name for name, job in jobs.items() if "contents: write" in job}, {"baseline"})
        for name in ("plan", "measure", "join"):  # where the change's code runs, or what it left is read
            self.assertNotIn("write", jobs[name], name)
            self.assertNotIn("github.token", jobs[name], name)
            self.assertNotIn("secrets.", jobs[name], name)
        for name, job in jobs.items():
            self.assertIn("timeout-minutes", job, name)
            kept = job.count("actions/checkout@") - job.count("persist-credentials: false")
            self.assertEqual(kept, 1 if name == "baseline" else 0, name)

    def test_actions_are_pinned(self):
        for path in (GITHUB / "workflows").glob("*.yml"):
            for name in re.findall(r"\buses: (\S+)", self.code(path)):
                self.assertRegex(name, r"^(\./\.github/actions/pawl|actions/[a-z-]+@[0-9a-f]{40})$")

    def test_artifacts_are_kept_thirty_days(self):
        text = self.code(GITHUB / "workflows/pawl.yml")
        self.assertEqual(text.count("upload-artifact@"), text.count("retention-days: 30"))

    def test_two_guards_against_loops(self):
        text = self.code(GITHUB / "workflows/pawl.yml")
        push = text[text.index("  push:"):text.index("  workflow_dispatch:")]
        self.assertIn('"!perf/**"', push)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze")
    def test_the_service_is_confined(self):
        unit = ROOT / "packaging/systemd/pawl-webhook.service"
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=15", str(unit)],
                              capture_output=True, text=True)
        if "Unknown option" in done.stderr or "unrecognized option" in done.stderr:
            self.skipTest("this systemd-analyze cannot rate a file")
        self.assertEqual(done.returncode, 0, done.stdout[-400:] + done.stderr)
