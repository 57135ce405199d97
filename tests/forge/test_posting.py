# SPDX-License-Identifier: Apache-2.0
"""pawl posts once and again, also to a code host that has faults."""

import json
import pathlib
import ssl
import subprocess
import time
import unittest

from fake_forge import TOKEN, Fault
from job import REPOSITORY, SHA, STEADY, job, pull_request_event, workflow_run_event

HOME = None  # set by run.py


class Comment(unittest.TestCase):
    def test_one_comment_edited_in_place(self):
        with job(HOME) as j:
            j.measured("noise.json")
            j.report()
            j.measured("a_little_faster.json")
            j.report(GITHUB_RUN_ID="124")
            self.assertEqual(len(j.forge.comments[7]), 1)
            self.assertIn("passed 124.1", j.forge.comments[7][0]["body"])

    def test_new_comment_only_when_it_turns_to_failed(self):
        with job(HOME) as j:
            for run, candidate, comments in ((1, "noise.json", 1), (2, "slower.json", 2), (3, "slower.json", 2),
                                             (4, "noise.json", 2), (5, "slower.json", 3), (5, "slower.json", 3)):
                j.measured(candidate)
                j.report(GITHUB_RUN_ID=str(run))
                self.assertEqual(len(j.forge.comments[7]), comments, f"after run {run}")
            self.assertIn("REGRESSION", j.forge.comments[7][-1]["body"])

    def test_found_on_a_later_page_among_others(self):
        with job(HOME) as j:
            for i in range(70):
                j.forge.comment(7, f"remark {i}", "somebody", "User")
            j.measured("noise.json")
            j.report()
            for i in range(70):
                j.forge.comment(7, f"remark {i}", "somebody", "User")
            j.measured("a_little_faster.json")
            j.report()
            self.assertEqual(len(j.forge.comments[7]), 141)
            self.assertEqual(len(j.sent("PATCH", "/comments/")), 1)

    def test_a_strangers_marker_is_not_ours(self):
        with job(HOME) as j:
            theirs = j.forge.comment(7, "<!-- pawl:verdict -->\nmine", "stranger", "User", "CONTRIBUTOR")
            j.measured("noise.json")
            j.report()
            self.assertEqual(theirs["body"], "<!-- pawl:verdict -->\nmine")
            self.assertEqual(len(j.forge.comments[7]), 2)

    def test_an_answer_lost_on_the_way_posts_nothing_twice(self):
        with job(HOME) as j:
            j.measured("slower.json")
            j.forge.faults.append(Fault("POST .*/comments", "reset_after"))
            j.report()
            self.assertEqual(len(j.forge.comments[7]), 1)

    def test_too_long_is_cut_by_sections(self):
        with job(HOME) as j:
            j.many(900, slower=(0, 1))
            j.report()
            body = j.forge.comments[7][0]["body"]
            self.assertLessEqual(len(body), 65535)
            self.assertIn("The report is too long, so these sections are missing: verdicts that do not fail", body)
            self.assertIn("**regression**", body)
            self.assertEqual(body.count("<details>"), body.count("</details>"))
            for line in body.splitlines():
                self.assertTrue(not line.startswith("|") or line.endswith("|"), line)

    def test_five_thousand_losses_show_those_that_fit(self):
        with job(HOME) as j:
            j.many(5000)
            j.report()
            body = j.forge.comments[7][0]["body"]
            shown = body.count("| **regression**")
            self.assertLessEqual(len(body), 65535)
            self.assertGreater(shown, 100)
            self.assertIn("5000 of 5000 configurations slower", body)
            self.assertIn(f"sections are missing: verdicts that do not fail, {5000 - shown} verdicts that fail", body)

    def test_a_report_longer_than_everything(self):
        with job(HOME) as j:
            verdict = j.many(900, "_" + "x" * 200)
            verdict["notices"] = ["n" * 1000] * 200
            j.write(verdict)
            j.report()
            body = j.forge.comments[7][0]["body"]
            self.assertLessEqual(len(body), 65535)
            self.assertIn("**regression: 900 slower**", body)

    def test_a_fork_is_looked_up_and_must_be_at_its_head(self):
        with job(HOME) as j:
            head = {"ref": "faster", "sha": SHA, "repo": {"full_name": "stranger/kernels"}}
            j.forge.pulls = [{"number": 31, "state": "open", "head": head}]
            j.event("workflow_run", workflow_run_event())
            j.measured("noise.json")
            j.report()
            self.assertEqual(list(j.forge.comments), [31])
            self.assertIn(f"/{REPOSITORY}/actions/runs/55", j.forge.comments[31][0]["body"])
            head["sha"] = "b" * 40
            done = j.report()
            self.assertIn("pawl posts nothing", done.stderr)
            self.assertEqual(len(j.forge.comments[31]), 1)

    def test_two_pull_requests_with_one_head_are_both_told(self):
        with job(HOME) as j:
            head = {"ref": "faster", "sha": SHA, "repo": {"full_name": "stranger/kernels"}}
            j.forge.pulls = [{"number": n, "state": "open", "head": head} for n in (31, 32)]
            run = workflow_run_event()
            run["workflow_run"]["pull_requests"] = [{"number": 5}]  # a hint, and a wrong one
            j.event("workflow_run", run)
            j.measured("noise.json")
            j.report()
            self.assertEqual(sorted(j.forge.comments), [31, 32])

    def test_only_our_own_account_writes_our_comment(self):
        with job(HOME) as j:
            for login, kind, role in (("another[bot]", "Bot", "NONE"), ("boss", "User", "OWNER"), ("me", "User", "MEMBER")):
                j.forge.comment(7, "<!-- pawl:verdict -->\nmine", login, kind, role)
            j.measured("noise.json")
            for run in ("124", "125"):
                j.report(GITHUB_RUN_ID=run)
            self.assertEqual(len(j.forge.comments[7]), 4)
            self.assertEqual([c["body"] for c in j.forge.comments[7][:3]], ["<!-- pawl:verdict -->\nmine"] * 3)

    def test_huge_comments_of_others_do_not_stop_us(self):
        with job(HOME) as j:
            for _ in range(30):
                j.forge.comment(7, "\x01" * 65536, "somebody", "User")
            j.measured("noise.json")
            j.report()
            self.assertEqual(len(j.forge.comments[7]), 31)

    def test_no_pull_request_no_comment(self):
        with job(HOME) as j:
            j.event("push", {"repository": {"default_branch": "main"}})
            j.measured("noise.json")
            j.report(GITHUB_SHA=SHA)
            self.assertEqual(j.sent("POST", "comments"), [])

    def test_forgejo(self):
        with job(HOME, forgejo=True) as j:
            j.forge.comment(7, "<!-- pawl:verdict -->\nmine", "somebody", None)
            j.measured("noise.json")
            j.plan(FORGEJO_ACTIONS="true", PAWL_REPORT_RUNNER='"docker"')
            for run in ("123", "124"):
                j.report(FORGEJO_ACTIONS="true", GITHUB_RUN_ID=run)
            self.assertEqual(len(j.forge.comments[7]), 2)
            self.assertEqual([s["state"] for s in j.forge.statuses], ["pending", "success", "success"])


class Check(unittest.TestCase):
    def run_of(self, j):
        self.assertEqual(len(j.forge.check_runs), 1)
        return next(iter(j.forge.check_runs.values()))

    def test_opened_then_closed(self):
        with job(HOME) as j:
            j.plan()
            j.plan()
            self.assertEqual(self.run_of(j)["status"], "in_progress")
            j.measured("slower.json")
            for _ in range(2):
                j.report()
            run = self.run_of(j)
            self.assertEqual((run["status"], run["conclusion"], run["head_sha"]), ("completed", "failure", SHA))
            self.assertEqual(len(run["annotations"]), 2)

    def test_conclusions(self):
        for candidate, wanted in (("faster.json", "success"), ("noise.json", "success"), ("wrong.json", "failure"),
                                  ("build_failed.json", "failure"), ("crashed.json", "failure")):
            with job(HOME) as j:
                j.measured(candidate)
                j.report()
                self.assertEqual(self.run_of(j)["conclusion"], wanted, candidate)

    def test_annotations_in_batches_of_fifty(self):
        with job(HOME) as j:
            j.many(120)
            j.report()
            batches = [len(r["body"]["output"].get("annotations", [])) for r in j.sent("PATCH", "check-runs")]
            self.assertEqual(batches, [50, 50, 20])
            self.assertEqual(len({a["message"] for a in self.run_of(j)["annotations"]}), 120)
            self.assertEqual([r["body"]["status"] for r in j.sent("PATCH", "check-runs")], ["in_progress"] * 2 + ["completed"])

    def test_a_batch_whose_answer_is_lost_is_not_sent_twice(self):
        with job(HOME) as j:
            j.many(120)
            j.forge.faults.append(Fault("PATCH .*/check-runs", "reset_after"))
            j.report()
            self.assertEqual(len(self.run_of(j)["annotations"]), 120)

    def test_a_status_where_the_token_cannot(self):
        with job(HOME) as j:
            j.forge.checks_forbidden = True
            j.measured("slower.json")
            j.plan()
            done = j.report()
            self.assertEqual([s["state"] for s in j.forge.statuses], ["pending", "failure"])
            self.assertIn("commit status", done.stderr)

    def test_the_line_of_the_source(self):
        with job(HOME) as j:
            j.pawl("init", "--example", "attention", ".")
            suite = (j.work / "pawl.yaml").read_text()
            (j.work / "pawl.yaml").write_text(suite[:suite.index("gate:")] + STEADY.partition("\n")[2])
            lines = (j.work / "kernels/sdpa_cpu_fast.c").read_text().splitlines()
            line = next(i for i, text in enumerate(lines, 1) if "pawl_kernel_entry" in text)
            j.measured("slower.json")
            j.report()
            places = {(a["path"], a["start_line"]) for a in self.run_of(j)["annotations"]}
            self.assertEqual(places, {("kernels/sdpa_cpu_fast.c", line)})


class Other(unittest.TestCase):
    def test_dry_run_sends_nothing(self):
        with job(HOME) as j:
            j.measured("slower.json")
            done = j.report("--dry-run", GITHUB_TOKEN=None)
            self.assertIn("/repos/owner/kernels/issues/7/comments", done.stdout)
            self.assertIn("/repos/owner/kernels/check-runs", done.stdout)
            self.assertEqual(j.forge.requests, [])

    def test_token_from_a_file_or_none(self):
        with job(HOME) as j:
            j.measured("noise.json")
            done = j.report(expect=77, GITHUB_TOKEN=None)
            self.assertIn("GITHUB_TOKEN", done.stderr)
            (j.folder / "token").write_text(TOKEN + "\n")
            (j.folder / "token").chmod(0o600)
            j.report("--token-file", str(j.folder / "token"), GITHUB_TOKEN=None)
            self.assertEqual(len(j.forge.comments[7]), 1)
            j.report(expect=77, GITHUB_TOKEN="another")

    def test_a_token_that_others_can_read(self):
        with job(HOME) as j:
            j.measured("noise.json")
            (j.folder / "token").write_text(TOKEN)
            for mode in (0o644, 0o640, 0o604):
                (j.folder / "token").chmod(mode)
                done = j.report("--token-file", str(j.folder / "token"), expect=77)
                self.assertIn("chmod 600", done.stderr)
            self.assertEqual(j.forge.requests, [])

    def test_a_private_host_with_its_own_authority(self):
        with job(HOME) as j:
            j.measured("noise.json")
            key, certificate = j.folder / "key.pem", j.folder / "ca.pem"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                            "-days", "1", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
                            "-out", certificate], check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            j.forge.server.socket = context.wrap_socket(j.forge.server.socket, server_side=True)
            url = {"GITHUB_API_URL": f"https://127.0.0.1:{j.forge.server.server_port}"}
            done = j.report(expect=69, **url)
            self.assertIn("--ca-file or SSL_CERT_FILE", done.stderr)
            j.report("--ca-file", str(certificate), **url)
            j.report(SSL_CERT_FILE=str(certificate), **url)
            self.assertEqual((len(j.forge.comments[7]), len(j.forge.check_runs)), (1, 1))
            done = j.report("--ca-file", "absent.pem", expect=66, **url)
            self.assertIn("cannot read the certificates", done.stderr)

    def test_token_never_by_plain_http(self):
        with job(HOME) as j:
            j.measured("noise.json")
            done = j.report(expect=64, GITHUB_API_URL="http://example.org")
            self.assertIn("https", done.stderr)

    def gitlab(self, j, **changes):
        j.forge.login = "pawl-bot"
        return {"GITLAB_CI": "true", "CI_API_V4_URL": j.forge.url, "CI_PROJECT_ID": "12", "CI_JOB_ID": "9",
                "CI_COMMIT_SHA": SHA, "CI_PROJECT_URL": "https://gitlab.example/o/k", "GITLAB_TOKEN": TOKEN, **changes}

    def test_gitlab_status(self):
        with job(HOME) as j:
            ci = self.gitlab(j)
            j.measured("noise.json")
            for _ in range(2):
                j.report(**ci)
            j.measured("slower.json")
            j.report(**ci)
            self.assertEqual([s["state"] for s in j.forge.statuses], ["success", "failed"])
            self.assertIn("regression", j.forge.statuses[1]["description"])
            self.assertEqual(j.forge.statuses[1]["target_url"], "https://gitlab.example/o/k/-/jobs/9")
            j.forge.faults.append(Fault("POST", "status", status=400))
            self.assertEqual(j.report(**ci).stderr, "")  # it has this state already
            j.measured("noise.json")
            j.forge.statuses.clear()
            j.forge.faults.append(Fault("POST", "status", status=400))
            self.assertEqual(len(j.report(expect=76, **ci).stderr.splitlines()), 1)
            self.assertEqual(j.forge.notes, [])  # no merge request

    def test_gitlab(self):
        with job(HOME) as j:
            ci = self.gitlab(j, CI_MERGE_REQUEST_IID="3", CI_MERGE_REQUEST_SOURCE_PROJECT_ID="12")
            j.measured("noise.json")
            for _ in range(2):
                j.report(**ci)
            self.assertEqual(len(j.forge.notes), 1)
            self.assertIn("https://gitlab.example/o/k/-/jobs/9", j.forge.notes[0]["body"])
            j.measured("slower.json")
            j.report(**ci)
            self.assertEqual(len(j.forge.notes), 2)
            j.forge.statuses.clear()
            j.forge.faults += [Fault("GET.*notes", "status", status=400), Fault("POST.*statuses", "status", status=400)]
            j.measured("noise.json")
            self.assertEqual(len(j.report(expect=76, **ci).stderr.splitlines()), 2)  # pawl prints each failure

    def test_junit(self):
        import xml.etree.ElementTree
        with job(HOME) as j:
            j.measured("mixed.json")
            self.assertEqual(j.pawl("report", "perf/out/verdict.json", "-o", "junit.xml").returncode, 0)
            self.assertEqual(j.pawl("report", "perf/out/results.json", "-o", "results.xml").returncode, 0)
            xml.etree.ElementTree.parse(j.work / "results.xml")
            root = xml.etree.ElementTree.parse(j.work / "junit.xml").getroot()
            cases = root.findall(".//testcase")
            self.assertEqual(int(root.get("tests")), len(cases))
            self.assertEqual(int(root.get("failures")), len(root.findall(".//failure")))
            self.assertEqual(len(root.findall(".//failure")), 1)


class BadDays(unittest.TestCase):
    def attempts(self, fault, expect=0):
        with job(HOME) as j:
            j.measured("noise.json")
            j.forge.faults.append(fault)
            begin = time.monotonic()
            done = j.report(expect=expect)
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
        j, done, _ = self.attempts(Fault("POST .*comments", "status", 99, 500), expect=75)
        self.assertEqual(len(j.sent("POST", "comments")), 3)
        self.assertIn("HTTP 500", done.stderr)

    def test_nonsense(self):
        for body in (b"", b"<html>", b"[[[" * 1000, b'"text"', b'{"message": 1}', b"[1, null, {}]" * 2):
            _, done, _ = self.attempts(Fault("GET", "nonsense", 99, body=body), expect=76)
            self.assertRegex(done.stderr, r"\A(warning: .*\n)?pawl: .*\n\Z")

    def test_a_comment_that_is_answered_by_a_page(self):
        j, done, _ = self.attempts(Fault("POST .*comments", "nonsense", 1, body=b"<html>log in</html>"), expect=76)
        self.assertIn("the answer is not valid JSON", done.stderr)
        self.assertEqual((len(j.sent("POST", "comments")), j.forge.comments), (1, {}))

    def test_list_of_nonsense_items(self):
        j, _, _ = self.attempts(Fault("GET .*comments", "nonsense", 1, body=json.dumps([1, None, {"body": 3, "id": "x"}]).encode()))
        self.assertEqual(len(j.forge.comments[7]), 1)

    def test_too_large_an_answer(self):
        _, done, _ = self.attempts(Fault("GET", "nonsense", 1, body=b"[" + b" " * (9 << 20) + b"]"), expect=76)
        self.assertIn("larger than", done.stderr)

    def test_next_page_on_another_host(self):
        link = {"Link": '<https://evil.example/repos/x?page=2>; rel="next"'}
        _, done, _ = self.attempts(Fault("GET .*comments", "status", 1, 200, link, body=[]), expect=76)
        self.assertIn("another host", done.stderr)

    def test_a_422_says_why(self):
        errors = [{"resource": "IssueComment", "field": "body", "code": "too_long"}, "and more", {"message": "once\nagain"}]
        _, done, _ = self.attempts(Fault("POST .*comments", "status", 1, 422, body={"message": "Validation Failed", "errors": errors}),
                                   expect=76)
        self.assertIn("Validation Failed; body: too_long; and more; once again", done.stderr)

    def test_posts_back_off(self):
        _, _, seconds = self.attempts(Fault("POST .*comments", "status", 2, 502))
        self.assertGreaterEqual(seconds, 3)

    def test_what_the_server_does_not_take_does_not_keep_a_check_open(self):
        with job(HOME) as j:
            j.measured("slower.json")
            j.forge.faults.append(Fault("PATCH .*/check-runs", "status", 1, 422, body={"message": "Invalid annotation"}))
            done = j.report(expect=76)
            self.assertIn("Invalid annotation", done.stderr)
            check = next(iter(j.forge.check_runs.values()))
            self.assertEqual((check["status"], check["conclusion"]), ("completed", "failure"))

    def test_words_of_the_server_are_one_clean_line(self):
        _, done, _ = self.attempts(Fault("GET", "status", 1, 404, body={"message": "a\n::error::\x1b[31mb"}), expect=66)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertNotIn("\x1b", done.stderr)
