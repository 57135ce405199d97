# SPDX-License-Identifier: Apache-2.0
"""pawl ci issues: one issue for each loss of the history, on each code host, also with faults and two writers."""

import json
import subprocess
import time
import unittest
import zlib

from fake_forge import TOKEN, Fault
from job import REPOSITORY, job, pull_request_event

HOME = None  # set by run.py
DAY = 86400
GITLAB = {"GITLAB_CI": "true", "CI_PROJECT_ID": "17", "CI_COMMIT_SHA": "4f3a" * 10, "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BRANCH": "main",
          "CI_PROJECT_URL": "https://gitlab.example/owner/kernels", "CI_JOB_ID": "9", "GITLAB_TOKEN": TOKEN}


def run(i, level, name="scale", days=20):
    return {"schema_version": 1, "id": f"{zlib.crc32(f'{name} {i}'.encode()):032x}", "source": "run", "time": int(time.time()) - days * DAY + i * 3600,
            "commit": f"{0xc0de0000 + i:08x}", "subject": f"Change {i} @everybody", "points": [{"kernel_name": name, "case": "tiny it's", "unit": "ms", "value": level * (1 + 0.001 * (i * 7 % 5))}], "baseline_moves": []}


class Issues(unittest.TestCase):
    def start(self, j, runs=None):
        """A history in which commit 20 of 40 makes a kernel slower, and the job of a push to main."""
        j.environment.pop("SOURCE_DATE_EPOCH")  # the age of a change is by the clock
        (j.work / "pawl.yaml").write_text("version: 1\nnotify: {link: 'https://perf.example/'}\n")
        j.event("push", {"repository": {"full_name": REPOSITORY, "default_branch": "main"}})
        subprocess.run(["git", "init", "-q"], cwd=j.work, check=True)
        subprocess.run(["git", "remote", "add", "origin", f"https://x:s3cret@github.com/{REPOSITORY}"], cwd=j.work, check=True)
        self.add(j, runs or [run(i, 2.4 if i >= 20 else 2) for i in range(40)])

    def add(self, j, runs):
        (j.work / "runs.ndjson").write_text("".join(json.dumps(row) + "\n" for row in runs))
        done = j.pawl("history", "import", "runs.ndjson")
        self.assertEqual(done.returncode, 0, done.stderr)

    def note(self, j, *words):
        done = j.pawl("history", "note", "c0de0014", *words)
        self.assertEqual(done.returncode, 0, done.stderr)

    def open_ones(self, j):
        return [issue for issue in j.forge.issues if issue["state"] != "closed"]

    def test_one_issue_opened_updated_and_closed(self):
        with job(HOME) as j:
            self.start(j)
            j.forge.issue("Theirs", "about something else", login="somebody")
            self.assertIn("1 opened, 0 updated, 0 closed", j.ci("issues").stderr)
            issue = j.forge.issues[1]
            self.assertEqual(issue["title"], "scale on tiny it's: 20.0 % slower since c0de0014")
            for words in ("**20.0 % slower**: 2.004 ms to 2.405 ms", f"(https://github.com/{REPOSITORY}/commit/c0de0014)", "`Change 20 @everybody`", "state: `new`",
                          "pawl compare --paired scale@c0de0013 scale@c0de0014 --case 'tiny it'\\''s'", "[The dashboard](https://perf.example/)", "pawl history note c0de0014 expected"):
                self.assertIn(words, issue["body"])
            self.assertNotIn("s3cret", issue["body"])
            self.assertIn("0 opened, 0 updated, 0 closed", j.ci("issues").stderr)
            self.note(j, "acknowledged", "--by", "Ada")
            self.assertIn("0 opened, 1 updated, 0 closed", j.ci("issues").stderr)
            self.assertIn("person: `Ada`", issue["body"])
            self.note(j, "new", "--by", "pawl bisect", "--reason", "pawl bisect: 1a2b3c4d5e6f: 20 % slower")
            self.assertIn("0 opened, 1 updated, 0 closed", j.ci("issues").stderr)
            self.assertIn("reason: `pawl bisect: 1a2b3c4d5e6f: 20 % slower`", issue["body"])
            self.note(j, "expected", "--reason", "exact rounding")
            self.assertIn("0 opened, 0 updated, 1 closed", j.ci("issues").stderr)
            self.assertEqual((issue["state"], len(j.forge.issues)), ("closed", 2))
            self.note(j, "new")
            self.assertIn("0 opened, 0 updated, 0 closed", j.ci("issues").stderr)  # a closed issue stays closed

    def test_a_search_runs_code_and_refuses_a_token(self):
        with job(HOME) as j:
            self.start(j)
            self.assertIn("the code under test could read the token", j.ci("bisect", expect=77).stderr)
            self.assertIn("no loss of the history on this hardware", j.ci("bisect", GITHUB_TOKEN=None).stderr)

    def test_a_unit_is_a_text(self):
        with job(HOME) as j:
            runs = [run(i, 2.4 if i >= 20 else 2) for i in range(40)]
            for row in runs:
                row["points"][0]["unit"] = "@all<b>"
            self.start(j, runs)
            j.ci("issues")
            self.assertIn("**20.0 % higher**: `2 @all<b>` to `2.4 @all<b>`, p", j.forge.issues[0]["body"])

    def test_a_level_that_is_back_closes_its_issue(self):
        with job(HOME) as j:
            self.start(j)
            j.ci("issues")
            self.add(j, [run(i, 2.01) for i in range(40, 60)])
            self.assertIn("0 opened, 0 updated, 1 closed", j.ci("issues").stderr)
            self.assertIn("The level is back.", j.forge.issues[0]["body"])

    def test_a_change_that_moves_by_a_commit_keeps_its_issue(self):
        with job(HOME) as j:
            self.start(j)
            j.ci("issues")
            body = j.forge.issues[0]["body"].replace("c0de0014 c0de0013 -->", "c0de0013 c0de0012 -->")
            j.forge.issues[0]["body"] = body  # from before a run of commit 20 came in
            self.assertIn("0 opened, 1 updated", j.ci("issues").stderr)
            self.assertIn("c0de0014 c0de0013 -->", j.forge.issues[0]["body"])

    def test_a_strangers_hidden_line_is_not_ours(self):
        with job(HOME) as j:
            self.start(j)
            j.ci("issues")
            body = j.forge.issues.pop()["body"]
            theirs = j.forge.issue("Mine", body, login="stranger")
            j.forge.issue("A pull request", body)["pull_request"] = {}
            j.ci("issues")
            self.assertEqual((len(j.forge.issues), theirs["state"]), (3, "open"))

    def test_an_answer_lost_on_the_way_opens_nothing_twice(self):
        with job(HOME) as j:
            self.start(j)
            j.forge.faults.append(Fault("POST .*/issues", "reset_after"))
            j.ci("issues")
            self.assertEqual(len(j.forge.issues), 1)

    def test_two_writers_at_once_leave_one_issue(self):
        with job(HOME) as j:
            self.start(j)
            j.forge.faults.append(Fault("POST .*/issues$", "slow", times=2, seconds=1))  # both have looked before one has posted
            both = [subprocess.Popen(["pawl", "ci", "issues"], cwd=j.work, env=j.environment, stderr=subprocess.PIPE, text=True) for _ in range(2)]
            for process in both:
                self.assertEqual(process.wait(60), 0, process.stderr.read())
                process.stderr.close()
            self.assertEqual(len(j.forge.issues), 2)
            self.assertEqual([issue["number"] for issue in self.open_ones(j)], [1])
            self.assertIn("The same as #1.", j.forge.issues[1]["body"])
            self.assertIn("0 opened, 0 updated, 0 closed", j.ci("issues").stderr)

    def test_many_old_and_good_changes(self):
        with job(HOME) as j:
            runs = [run(i, 2.4 if i >= 20 else 2, f"k{k}") for k in range(12) for i in range(40)]
            runs += [run(i, 2.4 if i >= 20 else 2, "old", 60) for i in range(40)] + [run(i, 2 if i >= 20 else 2.4, "faster") for i in range(40)]
            self.start(j, runs)
            self.assertIn("2 more changes have no issue yet", j.ci("issues").stderr)
            j.ci("issues")
            self.assertEqual(sorted(issue["title"].split()[0] for issue in j.forge.issues), sorted(f"k{k}" for k in range(12)))

    def on_another_host(self, j, key, environment):
        j.forge.login = "pawl-bot"
        self.start(j)
        for _ in range(2):
            j.ci("issues", **environment)
        self.assertEqual(len(j.forge.issues), 1)
        self.assertIn("**20.0 % slower**", j.forge.issues[0][key])
        self.note(j, "fixed")
        j.ci("issues", **environment)
        self.assertEqual(self.open_ones(j), [])

    def test_forgejo_issues(self):
        with job(HOME, True) as j:
            self.on_another_host(j, "body", {"FORGEJO_ACTIONS": "true"})

    def test_gitlab_issues(self):
        with job(HOME) as j:
            self.on_another_host(j, "description", GITLAB | {"CI_API_V4_URL": j.forge.url})

    def test_notify_opens_them_too(self):
        with job(HOME) as j:
            self.start(j)
            j.measured("noise.json")
            (j.work / "pawl.yaml").write_text("version: 1\nnotify: {webhooks: {chat: {service: json, url: {env: HOOK}}}}\n")
            done = j.pawl("notify", "perf/out/verdict.json", "--issues", HOOK="https://127.0.0.1:1/")
            self.assertEqual((done.returncode, len(j.forge.issues)), (0, 1), done.stderr)

    def test_a_dry_run_and_a_pull_request_write_nothing(self):
        with job(HOME) as j:
            self.start(j)
            shown = j.ci("issues", "--dry-run").stdout
            self.assertIn(f"POST {j.environment['GITHUB_API_URL']}/repos/{REPOSITORY}/issues", shown)
            j.event("pull_request", pull_request_event())
            self.assertIn("issues are about the default branch", j.ci("issues", expect=77).stderr)
            self.assertEqual(j.sent("POST", "/issues"), [])
