# SPDX-License-Identifier: Apache-2.0
"""`pawl ci plan`: what is measured, event by event, and on which machines."""

import json
import subprocess
import unittest

from job import REPOSITORY, SHA, job
from test_ci import FORK, event

HOME = None


class Plan(unittest.TestCase):
    def plan(self, body, expect=0, name="pull_request", **variables):
        """The outputs of the plan, and its words on stderr."""
        with job(HOME) as j:
            output = j.folder / "output"
            j.event(name, body)
            done = j.pawl("ci", "plan", GITHUB_OUTPUT=str(output), **variables)
            self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
            pairs = dict(line.split("=", 1) for line in output.read_text().splitlines()) if output.exists() else {}
            self.requests = j.forge.requests
            self.checks = list(j.forge.check_runs.values())
            return pairs, done.stderr

    def test_a_push_to_a_pull_request_opens_the_check(self):
        for action in ("opened", "synchronize", "reopened"):
            pairs, _ = self.plan(event(action))
            self.assertEqual(pairs, {"measure": "true", "shards": "[1]"})
            self.assertEqual([(c["status"], c["head_sha"]) for c in self.checks], [("in_progress", SHA)])

    def test_a_label_measures_only_where_one_is_needed(self):
        only = {"PAWL_ONLY_LABELED": "true"}
        for body, variables, wanted in (
                (event("labeled", label="benchmark", labels=["benchmark"]), {}, "false"),
                (event("labeled", label="docs"), {}, "false"),
                (event("labeled", label="docs", labels=["benchmark", "docs"]), only, "false"),
                (event("labeled", label="benchmark", labels=["benchmark"]), only, "true"),
                (event("synchronize"), only, "false"),
                (event("synchronize", labels=["benchmark"]), only, "true")):
            pairs, _ = self.plan(body, **variables)
            self.assertEqual(pairs["measure"], wanted, body)
            closed = variables and body["action"] == "synchronize" and wanted == "false"
            self.assertEqual([c.get("conclusion") for c in self.checks if wanted == "false"], ["neutral"] * bool(closed))

    def test_the_event_table(self):
        for name, action, wanted in (
                ("pull_request", "opened", "true"), ("pull_request", "edited", "false"), ("pull_request", "closed", "false"),
                ("pull_request", "unlabeled", "false"), ("pull_request", "converted_to_draft", "false"),
                ("pull_request", "ready_for_review", "false"), ("pull_request", "locked", "false"),
                ("pull_request", "enqueued", "false"), ("pull_request_target", "opened", "false"),
                ("issue_comment", "created", "false"), ("check_run", "completed", "false"), ("release", "published", "false"),
                ("pull_request_review", "submitted", "false"), ("workflow_run", "completed", "false"),
                ("merge_group", "checks_requested", "true"), ("merge_group", "destroyed", "false"),
                ("push", None, "true"), ("workflow_dispatch", None, "true"), ("schedule", None, "true")):
            body = event(action)
            if not name.startswith("pull_request"):
                body.pop("pull_request")
            if not action:
                body.pop("action")
            pairs, words = self.plan(body, name=name, GITHUB_SHA=SHA)
            self.assertEqual(pairs["measure"], wanted, (name, action))
            self.assertEqual("nothing to measure" in words, wanted == "false", (name, action))
            self.assertEqual(len(self.checks), int(wanted == "true"))
        self.assertEqual(self.plan({**event("edited"), "changes": {"base": {"ref": {"from": "old"}}}})[0]["measure"], "true")
        push = {"repository": event()["repository"], "ref": "refs/tags/v1"}
        self.assertEqual(self.plan(push, name="push", GITHUB_REF="refs/tags/v1", GITHUB_SHA=SHA)[0]["measure"], "false")
        self.assertEqual(self.plan({**push, "deleted": True}, name="push", GITHUB_SHA=SHA)[0]["measure"], "false")

    def test_a_change_of_other_files_closes_the_check(self):
        for files, wanted in ((["README.md"], "false"), (["kernels/scale_cpu.c"], "true"), (["perf/baseline.json"], "true"),
                              ([{"filename": "kernels/new.h", "status": "added"}], "true"), ([], "true")):
            with job(HOME) as j:
                for words in (("pawl", "init", "--example", "minimal", "."), ("git", "init", "-q", "."), ("git", "add", "-A"),
                              ("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "Start")):
                    subprocess.run(words, cwd=j.work, env=j.environment, check=True, capture_output=True)
                j.event("pull_request", event("opened"))
                j.forge.files = files
                output = j.folder / "output"
                j.ci("plan", GITHUB_OUTPUT=str(output))
                self.assertIn(f"measure={wanted}\n", output.read_text(), files)
                self.assertEqual([check.get("conclusion") for check in j.forge.check_runs.values()],
                                 [None if wanted == "true" else "success"], files)

    def test_forks_run_on_exactly_the_hosted_machines(self):
        for runner, status in (('"ubuntu-24.04"', 0), ('["ubuntu-latest"]', 0), ('"ubuntu-24.04-arm"', 0),
                               ('"ubuntu-gpu"', 77), ('["ubuntu-24.04", "gpu"]', 77), (None, 77),
                               ('{"group": "perf", "labels": ["ubuntu-24.04"]}', 77), ('["self-hosted", "gpu"]', 77)):
            _, words = self.plan(event(head=FORK), status, PAWL_RUNNER=runner)
            self.assertEqual(self.requests, [], "the token of a fork may not write")
            self.assertEqual("refused" in words, status == 77, runner)
        self.plan(event(head=FORK), PAWL_RUN_CODE_OF_FORKS_ON_OUR_MACHINES="true")
        self.plan(event(head=FORK), 77, PAWL_RUNNER='"ubuntu-24.04"', FORGEJO_ACTIONS="true",
                  PAWL_REPORT_RUNNER='"docker"')  # there it is the name of a machine of ours

    def test_what_measures_never_posts(self):
        for runner, report, status in (
                ('["self-hosted", "gpu"]', '["self-hosted"]', 77), ('["self-hosted", "gpu"]', '["GPU"]', 77),
                ('["self-hosted", "gpu"]', '["self-hosted", "linux", "x64"]', 77), ('"gpu"', '"gpu"', 77),
                ('["self-hosted", "gpu"]', '["self-hosted", "small"]', 0), ('["self-hosted", "gpu"]', '"ubuntu-24.04"', 0),
                ('{"group": "a"}', '{"group": "b"}', 0), ('{"group": "a"}', '{"group": "a"}', 77)):
            _, words = self.plan(event(), status, PAWL_RUNNER=runner, PAWL_REPORT_RUNNER=report)
            self.assertEqual("PAWL_REPORT_RUNNER" in words, status == 77, (runner, report))

    def test_what_proves_never_posts_and_runs_no_fork(self):
        for body, proves, status in ((event(), '"small"', 77), (event(), '"nvcc"', 0), (event(), None, 0), (event(), "", 0),
                                     (event(head=FORK), '"nvcc"', 77), (event(head=FORK), '"ubuntu-24.04"', 0)):
            self.plan(body, status, PAWL_RUNNER='"ubuntu-24.04"', PAWL_REPORT_RUNNER='["self-hosted", "small"]', PAWL_CODE_RUNNER=proves)
        _, words = self.plan(event(), 64, PAWL_CODE_RUNNER="nvcc")
        self.assertIn("PAWL_CODE_RUNNER", words)

    def test_settings_that_cannot_be(self):
        for name, value in (("PAWL_SHARDS", "0"), ("PAWL_SHARDS", "100"), ("PAWL_SHARDS", "2; id"), ("PAWL_RUNNER", "gpu"),
                            ("PAWL_RUNNER", "[]"), ("PAWL_RUNNER", "[1]"), ("PAWL_REPORT_RUNNER", "{}")):
            _, words = self.plan(event(), 64, **{name: value})
            self.assertIn(name, words)
        pairs, _ = self.plan(event(), PAWL_SHARDS="3")
        self.assertEqual(json.loads(pairs["shards"]), [1, 2, 3])
