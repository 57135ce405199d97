# SPDX-License-Identifier: Apache-2.0
"""What is posted, once and again, and what a code host's bad days do to it."""

import json
import pathlib
import time
import unittest

from fake_forge import TOKEN, Fault
from job import REPOSITORY, SHA, job, pull_request_event, workflow_run_event

HOME = None  # set by run.py


class Comment(unittest.TestCase):
    def test_one_comment_edited_in_place(self):
        with job(HOME) as j:
            j.measured("noise.json")
            j.github("comment")
            j.measured("a_little_faster.json")
            j.github("comment", GITHUB_RUN_ID="124")
            self.assertEqual(len(j.forge.comments[7]), 1)
            self.assertIn("passed 124.1", j.forge.comments[7][0]["body"])

    def test_new_comment_only_when_it_turns_to_failed(self):
        with job(HOME) as j:
            for run, candidate, comments in ((1, "noise.json", 1), (2, "slower.json", 2), (3, "slower.json", 2),
                                             (4, "noise.json", 2), (5, "slower.json", 3), (5, "slower.json", 3)):
                j.measured(candidate)
                j.github("comment", GITHUB_RUN_ID=str(run))
                self.assertEqual(len(j.forge.comments[7]), comments, f"after run {run}")
            self.assertIn("REGRESSION", j.forge.comments[7][-1]["body"])

    def test_found_on_a_later_page_among_others(self):
        with job(HOME) as j:
            for i in range(70):
                j.forge.comment(7, f"remark {i}", "somebody", "User")
            j.measured("noise.json")
            j.github("comment")
            for i in range(70):
                j.forge.comment(7, f"remark {i}", "somebody", "User")
            j.measured("a_little_faster.json")
            j.github("comment")
            self.assertEqual(len(j.forge.comments[7]), 141)
            self.assertEqual(len(j.sent("PATCH")), 1)

    def test_a_strangers_marker_is_not_ours(self):
        with job(HOME) as j:
            theirs = j.forge.comment(7, "<!-- pawl:verdict -->\nmine", "stranger", "User", "CONTRIBUTOR")
            j.measured("noise.json")
            j.github("comment")
            self.assertEqual(theirs["body"], "<!-- pawl:verdict -->\nmine")
            self.assertEqual(len(j.forge.comments[7]), 2)

    def test_an_answer_lost_on_the_way_posts_nothing_twice(self):
        with job(HOME) as j:
            j.measured("slower.json")
            j.forge.faults.append(Fault("POST .*/comments", "reset_after"))
            j.github("comment")
            self.assertEqual(len(j.forge.comments[7]), 1)

    def test_too_long_is_cut_by_sections(self):
        with job(HOME) as j:
            verdict = j.measured("slower.json")
            row = verdict["comparisons"][0]
            rows = [{**row, "case": f"case_{i}", "verdict": "maintained", "is_regression": False,
                     "current_time_ms": row["baseline_time_ms"]} for i in range(900)]
            verdict["comparisons"] += rows
            verdict["totals"].update(configurations=902, maintained=900)
            j.write(verdict)
            j.github("comment")
            body = j.forge.comments[7][0]["body"]
            self.assertLessEqual(len(body), 65535)
            self.assertIn("The report is too long, so these sections are missing: verdicts that do not fail", body)
            self.assertIn("**regression**", body)
            self.assertEqual(body.count("<details>"), body.count("</details>"))
            for line in body.splitlines():
                self.assertTrue(not line.startswith("|") or line.endswith("|"), line)

    def test_a_report_longer_than_everything(self):
        with job(HOME) as j:
            verdict = j.measured("slower.json")
            row = verdict["comparisons"][0]
            verdict["comparisons"] = [{**row, "case": f"case_{i}_" + "x" * 200} for i in range(900)]
            verdict["totals"].update(configurations=900, regressions=900)
            verdict["notices"] = ["n" * 1000] * 200
            j.write(verdict)
            j.github("comment")
            body = j.forge.comments[7][0]["body"]
            self.assertLessEqual(len(body), 65535)
            self.assertIn("**regression: 900 slower**", body)

    def test_a_fork_is_looked_up_and_must_be_at_its_head(self):
        with job(HOME) as j:
            head = {"ref": "faster", "sha": SHA, "repo": {"full_name": "stranger/kernels"}}
            j.forge.pulls = [{"number": 31, "state": "open", "head": head}]
            j.event("workflow_run", workflow_run_event())
            j.measured("noise.json")
            j.github("comment")
            self.assertEqual(list(j.forge.comments), [31])
            self.assertIn(f"/{REPOSITORY}/actions/runs/55", j.forge.comments[31][0]["body"])
            head["sha"] = "b" * 40
            done = j.github("comment")
            self.assertIn("pawl posts nothing", done.stderr)
            self.assertEqual(len(j.forge.comments[31]), 1)

    def test_no_pull_request_no_comment(self):
        with job(HOME) as j:
            j.event("push", {"repository": {"default_branch": "main"}})
            j.measured("noise.json")
            j.github("comment", expect=64)
            self.assertEqual(j.forge.requests, [])

    def test_forgejo(self):
        with job(HOME, forgejo=True) as j:
            j.forge.comment(7, "<!-- pawl:verdict -->\nmine", "somebody", None)
            j.measured("noise.json")
            for _ in range(2):
                j.github("comment", FORGEJO_ACTIONS="true")
            j.github("check", "--begin", FORGEJO_ACTIONS="true")
            j.github("check", FORGEJO_ACTIONS="true")
            self.assertEqual(len(j.forge.comments[7]), 2)
            self.assertEqual([s["state"] for s in j.forge.statuses], ["pending", "success"])


class Check(unittest.TestCase):
    def run_of(self, j):
        self.assertEqual(len(j.forge.check_runs), 1)
        return next(iter(j.forge.check_runs.values()))

    def test_opened_then_closed(self):
        with job(HOME) as j:
            j.github("check", "--begin")
            j.github("check", "--begin")
            self.assertEqual(self.run_of(j)["status"], "in_progress")
            j.measured("slower.json")
            for _ in range(2):
                j.github("check")
            run = self.run_of(j)
            self.assertEqual((run["status"], run["conclusion"], run["head_sha"]), ("completed", "failure", SHA))
            self.assertEqual(len(run["annotations"]), 2)

    def test_conclusions(self):
        for candidate, wanted in (("faster.json", "success"), ("noise.json", "success"), ("wrong.json", "failure"),
                                  ("build_failed.json", "failure"), ("crashed.json", "failure")):
            with job(HOME) as j:
                j.measured(candidate)
                j.github("check")
                self.assertEqual(self.run_of(j)["conclusion"], wanted, candidate)

    def many(self, j, count):
        verdict = j.measured("slower.json")
        row = verdict["comparisons"][0]
        verdict["comparisons"] = [{**row, "case": f"case_{i}"} for i in range(count)]
        verdict["totals"].update(configurations=count, regressions=count)
        j.write(verdict)

    def test_annotations_in_batches_of_fifty(self):
        with job(HOME) as j:
            self.many(j, 120)
            j.github("check")
            batches = [len(r["body"]["output"].get("annotations", [])) for r in j.sent("PATCH", "check-runs")]
            self.assertEqual(batches, [50, 50, 20])
            self.assertEqual(len({a["message"] for a in self.run_of(j)["annotations"]}), 120)
            self.assertEqual([r["body"]["status"] for r in j.sent("PATCH")], ["in_progress"] * 2 + ["completed"])

    def test_a_batch_whose_answer_is_lost_is_not_sent_twice(self):
        with job(HOME) as j:
            self.many(j, 120)
            j.forge.faults.append(Fault("PATCH .*/check-runs", "reset_after"))
            j.github("check")
            self.assertEqual(len(self.run_of(j)["annotations"]), 120)

    def test_a_status_where_the_token_cannot(self):
        with job(HOME) as j:
            j.forge.checks_forbidden = True
            j.measured("slower.json")
            j.github("check", "--begin")
            done = j.github("check")
            self.assertEqual([s["state"] for s in j.forge.statuses], ["pending", "failure"])
            self.assertIn("commit status", done.stderr)

    def test_a_run_without_a_verdict_is_a_visible_failure(self):
        with job(HOME) as j:
            j.github("check", "--begin")
            j.github("check", expect=66)
            self.assertEqual(self.run_of(j)["conclusion"], "failure")
            self.assertIn("no verdict", self.run_of(j)["output"]["title"])

    def test_the_line_of_the_source(self):
        with job(HOME) as j:
            j.pawl("init", "--example", "attention", ".")
            lines = (j.work / "kernels/sdpa_cpu_fast.c").read_text().splitlines()
            line = next(i for i, text in enumerate(lines, 1) if "pawl_kernel_entry" in text)
            j.measured("slower.json")
            j.github("check")
            places = {(a["path"], a["start_line"]) for a in self.run_of(j)["annotations"]}
            self.assertEqual(places, {("kernels/sdpa_cpu_fast.c", line)})


class Other(unittest.TestCase):
    def test_annotations_at_most_ten_of_each(self):
        with job(HOME) as j:
            Check().many(j, 25)
            lines = j.github("annotations").stdout.splitlines()
            self.assertEqual(len([x for x in lines if x.startswith("::error ")]), 10)
            self.assertEqual(lines[-1], "the report has 15 more findings")

    def test_summary_replaces_itself_and_keeps_the_rest(self):
        with job(HOME) as j:
            path = pathlib.Path(j.environment["GITHUB_STEP_SUMMARY"])
            path.write_text("of another command\n")
            j.measured("slower.json")
            j.github("summary")
            once = path.read_text()
            j.github("summary")
            self.assertEqual(path.read_text(), once)
            self.assertTrue(once.startswith("of another command\n"))
            self.assertIn("REGRESSION", once)

    def test_draft_pull_request_is_opened_once(self):
        with job(HOME) as j:
            (j.work / "text.md").write_text("Larger tiles.\n")
            for title in ("First", "Second"):
                j.github("pull-request", "--branch", "tuned", "--title", title, "--body", "text.md")
            self.assertEqual([(p["title"], p["draft"], p["base"]["ref"]) for p in j.forge.pulls],
                             [("Second", True, "main")])

    def test_dry_run_sends_nothing(self):
        with job(HOME) as j:
            j.measured("slower.json")
            done = j.github("comment", "--dry-run", GITHUB_TOKEN=None)
            self.assertIn("/repos/owner/kernels/issues/7/comments", done.stdout)
            j.github("check", "--dry-run", GITHUB_TOKEN=None)
            j.github("status", "--dry-run", GITHUB_TOKEN=None)
            self.assertEqual(j.forge.requests, [])

    def test_token_from_a_file_or_none(self):
        with job(HOME) as j:
            j.measured("noise.json")
            done = j.github("comment", expect=77, GITHUB_TOKEN=None)
            self.assertIn("GITHUB_TOKEN", done.stderr)
            (j.folder / "token").write_text(TOKEN + "\n")
            j.github("comment", "--token-file", str(j.folder / "token"), GITHUB_TOKEN=None)
            self.assertEqual(len(j.forge.comments[7]), 1)
            j.github("comment", expect=77, GITHUB_TOKEN="another")

    def test_token_never_by_plain_http(self):
        with job(HOME) as j:
            j.measured("noise.json")
            done = j.github("comment", expect=64, GITHUB_API_URL="http://example.org")
            self.assertIn("https", done.stderr)

    def test_gitlab_status(self):
        with job(HOME) as j:
            ci = {"CI_API_V4_URL": j.forge.url, "CI_PROJECT_ID": "12", "CI_JOB_ID": "9", "CI_COMMIT_SHA": SHA,
                  "CI_PROJECT_URL": "https://gitlab.example/o/k", "GITLAB_TOKEN": TOKEN}
            j.measured("noise.json")

            def status(expect, *words):
                done = j.pawl("gitlab", "status", *words, **ci)
                self.assertEqual(done.returncode, expect, done.stderr)
                return done.stderr

            status(0, "--begin")
            for _ in range(2):
                status(0)
            j.measured("slower.json")
            status(0)
            self.assertEqual([s["state"] for s in j.forge.statuses], ["running", "success", "failed"])
            self.assertIn("regression", j.forge.statuses[2]["description"])
            self.assertEqual(j.forge.statuses[2]["target_url"], "https://gitlab.example/o/k/-/jobs/9")
            j.forge.faults.append(Fault("POST", "status", status=400))
            self.assertEqual(status(0), "")  # it has this state already
            j.measured("noise.json")
            j.forge.statuses.clear()
            j.forge.faults.append(Fault("POST", "status", status=400))
            self.assertEqual(len(status(76).splitlines()), 1)
            self.assertEqual(j.pawl("gitlab", "note", **ci).returncode, 64)  # no merge request
            self.assertEqual(j.pawl("gitlab", "status", "more", **ci).returncode, 64)

    def test_gitlab(self):
        with job(HOME) as j:
            ci = {"CI_API_V4_URL": j.forge.url, "CI_PROJECT_ID": "12", "CI_MERGE_REQUEST_IID": "3", "CI_JOB_ID": "9",
                  "CI_COMMIT_SHA": SHA, "CI_PROJECT_URL": "https://gitlab.example/o/k", "GITLAB_TOKEN": TOKEN}
            j.measured("noise.json")
            for _ in range(2):
                done = j.pawl("gitlab", "note", **ci)
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(j.forge.notes), 1)
            self.assertIn("https://gitlab.example/o/k/-/jobs/9", j.forge.notes[0]["body"])
            j.measured("slower.json")
            self.assertEqual(j.pawl("gitlab", "note", **ci).returncode, 0)
            self.assertEqual(len(j.forge.notes), 2)

    def test_junit(self):
        import xml.etree.ElementTree
        with job(HOME) as j:
            j.measured("mixed.json")
            junit = j.pawl("gitlab", "junit").stdout
            self.assertEqual(j.pawl("report", "perf/out/verdict.json", "-o", "junit.xml").returncode, 0)
            self.assertEqual((j.work / "junit.xml").read_text(), junit)
            self.assertEqual(j.pawl("report", "perf/out/results.json", "-o", "results.xml").returncode, 0)
            xml.etree.ElementTree.parse(j.work / "results.xml")
            root = xml.etree.ElementTree.fromstring(junit)
            cases = root.findall(".//testcase")
            self.assertEqual(int(root.get("tests")), len(cases))
            self.assertEqual(int(root.get("failures")), len(root.findall(".//failure")))
            self.assertEqual(len(root.findall(".//failure")), 1)


class BadDays(unittest.TestCase):
    def attempts(self, fault, expect=0, command="comment"):
        with job(HOME) as j:
            j.measured("noise.json")
            j.forge.faults.append(fault)
            begin = time.monotonic()
            done = j.github(command, expect=expect)
            return j, done, time.monotonic() - begin

    def test_retry_after(self):
        for status in (403, 429, 503):
            j, _, seconds = self.attempts(Fault("GET", "status", 1, status, {"Retry-After": "1"}))
            self.assertGreaterEqual(seconds, 1)
            self.assertEqual(len(j.forge.comments[7]), 1)

    def test_rate_limit_reset(self):
        headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": lambda: str(int(time.time()) + 1)}
        j, _, seconds = self.attempts(Fault("POST", "status", 1, 403, headers, body={"message": "API rate limit exceeded"}))
        self.assertGreaterEqual(seconds, 1)
        self.assertEqual(len(j.forge.comments[7]), 1)

    def test_a_limit_too_long_to_wait_for(self):
        _, done, seconds = self.attempts(Fault("GET", "status", 1, 429, {"Retry-After": "4000"}), expect=75)
        self.assertLess(seconds, 5)
        self.assertIn("try again later", done.stderr)

    def test_server_errors_and_resets(self):
        for kind in ("status", "reset"):
            for method in ("GET", "POST"):
                j, _, _ = self.attempts(Fault(method, kind, 1))
                self.assertEqual(len(j.forge.comments[7]), 1)

    def test_a_server_that_stays_broken(self):
        # a POST that fails is looked for before it is sent again, at most three times
        j, done, _ = self.attempts(Fault("POST", "status", 99, 500), expect=75)
        self.assertEqual(len(j.sent("POST")), 3)
        self.assertIn("HTTP 500", done.stderr)

    def test_nonsense(self):
        for body in (b"", b"<html>", b"[[[" * 1000, b'"text"', b'{"message": 1}', b"[1, null, {}]" * 2):
            _, done, _ = self.attempts(Fault("GET", "nonsense", 99, body=body), expect=76)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_list_of_nonsense_items(self):
        j, _, _ = self.attempts(Fault("GET", "nonsense", 1, body=json.dumps([1, None, {"body": 3, "id": "x"}]).encode()))
        self.assertEqual(len(j.forge.comments[7]), 1)

    def test_too_large_an_answer(self):
        _, done, _ = self.attempts(Fault("GET", "nonsense", 1, body=b"[" + b" " * (9 << 20) + b"]"), expect=76)
        self.assertIn("larger than", done.stderr)

    def test_next_page_on_another_host(self):
        link = {"Link": '<https://evil.example/repos/x?page=2>; rel="next"'}
        _, done, _ = self.attempts(Fault("GET", "status", 1, 200, link, body=[]), expect=76)
        self.assertIn("another host", done.stderr)

    def test_words_of_the_server_are_one_clean_line(self):
        _, done, _ = self.attempts(Fault("GET", "status", 1, 404, body={"message": "a\n::error::\x1b[31mb"}), expect=66)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertNotIn("\x1b", done.stderr)
