# SPDX-License-Identifier: Apache-2.0
"""`pawl ci`: what the steps of a workflow do, event by event."""

import copy
import json
import random
import shutil
import subprocess
import unittest

from fake_forge import TOKEN, Fault
from job import DATA, REPOSITORY, SHA, job, pull_request_event, workflow_run_event

HOME = None
FORK = "stranger/kernels"


def event(action="synchronize", head=REPOSITORY, labels=(), label=None):
    body = pull_request_event(head=head)
    body["action"] = action
    body["pull_request"]["labels"] = [{"name": name} for name in labels]
    if label:
        body["label"] = {"name": label}
    return body


SUITE = """operators: {attention: {sources: [operator.c]}}
kernels:
  fa: {operator: attention, device: cpu, sources: [fa.c]}
cases:
  small: {operator: attention, S: 64, dtype: f32}
  large: {operator: attention, S: 512, dtype: f32}
"""


def paired(slowdown, case, **policy):
    """A row with 40 blocks in which the candidate takes 1 + slowdown of the base's time."""
    first = ("base", "candidate")
    blocks = [{"base_ms": 2.0 + 0.001 * (i % 7), "candidate_ms": (2.0 + 0.001 * (i % 5)) * (1 + slowdown), "spoiled": None,
               "first": first[i % 2]} for i in range(40)]
    rules = {"rule": 3, "tolerate": 0.01, "detect": 0.03, "false_alarm": 0.001, "miss": 0.01, "max_blocks": 60,
             "comparisons": 2, **policy}
    return {"kernel_name": "fa", "case": case, "anchor": "a" * 40, "anchor_kind": "the merge base", "policy": rules,
            "seed": 42, "blocks": blocks}


class Recompute(unittest.TestCase):
    """A verdict that does not follow from its times, by the rules of the base, is refused by name."""

    def run_of(self, j, verdict="maintained", slowdown=0.0, **policy):
        """A whole run of SUITE: results.json and verdict.json as pawl writes them."""
        j.base(suite=SUITE)
        j.forge.merge_base = "a" * 40
        (j.work / "perf/baseline.json").unlink()
        case = {"small": 64, "large": 512}
        results, rows = [], []
        for name, size in case.items():
            config = {"S": size, "dtype": "f32"}
            results.append({"kernel_name": "fa", "case": name, "config": config, "timestamp": "t",
                            "correctness": {"passed": True}, "performance": {"median_ms": 2.0, "samples_ms": [2.0] * 20}})
            rows.append({"kernel_name": "fa", "case": name, "config": config, "verdict": verdict, "baseline_time_ms": 2.0,
                         "current_time_ms": 2.0 * (1 + slowdown), "outcome": "ok", "paired": paired(slowdown, name, **policy)})
        totals = dict.fromkeys(("configurations", "regressions", "improvements", "maintained", "inconclusive", "broken",
                                "missing", "new", "unsupported"), 0)
        totals["configurations"] = 2
        totals[verdict + "s" if verdict in ("regression", "improvement") else verdict] = 2
        document = {"schema_version": 1, "commit": SHA, "hardware": "h", "results": results}
        (j.work / "perf/out/results.json").write_text(json.dumps(document))
        return {"schema_version": 1, "verdict": verdict, "failed": verdict == "regression", "commit": SHA, "hardware": "h", "dirty": False,
                "totals": totals, "comparisons": rows, "builds": [], "baseline_moves": [], "notices": [],
                "checks": [{"kernel_name": "fa", "checks": 6, "passed": 6, "failed": 0, "unsupported": 0, "failures": []}]}

    def of_commit(self, j, verdict, commit):
        """The same run of another commit."""
        path = j.work / "perf/out/results.json"
        verdict["commit"] = commit
        path.write_text(json.dumps({**json.loads(path.read_text()), "commit": commit}))

    def ci(self, j, verdict, words=None):
        """Refused with these words; None: posted. The conclusion of the check run."""
        j.write(verdict)
        done = j.pawl("ci", "report")
        self.assertEqual(done.returncode, 65 if words else 0, done.stdout + done.stderr)
        check = list(j.forge.check_runs.values())[-1]
        if words:
            self.assertIn(words, done.stderr)
            self.assertEqual(check["conclusion"], "failure")
            self.assertIn("NO VERDICT", check["output"]["summary"])
            self.assertNotIn(7, j.forge.comments)
        return check["conclusion"]

    def test_what_follows_from_its_blocks_is_posted(self):
        for verdict, slowdown, wanted in (("maintained", 0.0, "success"), ("improvement", -0.2, "success"),
                                          ("regression", 0.2, "failure")):
            with job(HOME) as j:
                self.assertEqual(self.ci(j, self.run_of(j, verdict, slowdown)), wanted)

    def test_a_fork_is_never_green(self):
        for verdict, slowdown, wanted in (("maintained", 0.0, "action_required"), ("improvement", -0.2, "action_required"),
                                          ("regression", 0.2, "failure")):
            with job(HOME) as j:
                run = self.run_of(j, verdict, slowdown)
                j.event("pull_request", event(head=FORK))
                self.assertEqual(self.ci(j, run), wanted)
                self.assertIn("come from a run of a fork", j.forge.comments[7][0]["body"])

    def without_gpu(self, j, verdict, word, changed=2):
        """The run of a machine without a GPU, where this many rows changed and the others have the machine code of their base."""
        path = j.work / "perf/out/results.json"
        results = json.loads(path.read_text())
        for result in results["results"]:
            del result["performance"], result["correctness"]
            result["outcome"] = "unsupported"
        path.write_text(json.dumps(results))
        for i, row in enumerate(verdict["comparisons"]):
            row["outcome"] = "unsupported"
            for time in ("baseline_time_ms", "current_time_ms"):
                del row[time]
            if i < changed:
                del row["paired"]
                row["verdict"] = word
            else:
                row["paired"].update(identical_code=True, blocks=[])
        verdict.update(verdict=word.replace(" a ", "_").replace(" ", "_").lower() if changed else "maintained", checks=[],
                       failed=bool(changed) and word in ("missing", "worse code"))
        verdict["totals"].update(maintained=2 - changed, **({verdict["verdict"]: changed} if changed else {}))
        return verdict

    def test_a_kernel_that_nobody_measured_needs_a_person(self):
        for word, changed, wanted in (("needs a GPU", 2, "action_required"), ("needs a GPU", 1, "action_required"),
                                      ("needs a GPU", 0, "success"), ("missing", 1, "failure"), ("worse code", 1, "failure")):
            with job(HOME) as j:
                self.assertEqual(self.ci(j, self.without_gpu(j, self.run_of(j), word, changed)), wanted, (word, changed))
        for forgejo, state in ((True, "pending"), (False, "failed")):  # "Pipelines must succeed" of GitLab asks for "success"
            gitlab = {"GITLAB_CI": "true", "CI_PROJECT_ID": "12", "CI_COMMIT_SHA": SHA, "GITLAB_TOKEN": TOKEN}
            with job(HOME, forgejo=forgejo) as j:
                j.write(self.without_gpu(j, self.run_of(j), "needs a GPU"))
                j.report(**{"FORGEJO_ACTIONS": "true"} if forgejo else {**gitlab, "CI_API_V4_URL": j.forge.url})
                self.assertEqual([status["state"] for status in j.forge.statuses], [state])

    def refused(self, words, change, **run):
        with job(HOME) as j:
            verdict = self.run_of(j, **run)
            change(j, verdict)
            self.ci(j, verdict, words)

    def test_another_anchor_than_the_base(self):
        for anchor, words in ((SHA, "was measured against itself"), ("e" * 40, "neither the merge base nor"), (None, "does not say")):
            def change(j, v):
                for row in v["comparisons"]:
                    row["paired"]["anchor"] = anchor
            self.refused(words, change)

    def test_a_regression_does_not_hide_behind_a_missing_gpu(self):
        def change(j, v):
            v.update(verdict="needs_gpu", failed=False)
            v["totals"].update(regressions=0, needs_gpu=2)
            for row in v["comparisons"]:
                row["verdict"] = "needs a GPU"
        self.refused("a row has 'needs a GPU', but its blocks give 'regression'", change, verdict="regression", slowdown=0.2)

    def test_a_regression_does_not_hide_as_inconclusive(self):
        def change(j, v):
            v.update(verdict="inconclusive", failed=False)
            v["totals"].update(regressions=0, inconclusive=2)
            for row in v["comparisons"]:
                row.update(verdict="inconclusive", reason="noise")
        self.refused("its blocks give 'regression'", change, verdict="regression", slowdown=0.2)

        def without(j, v):
            change(j, v)
            for row in v["comparisons"]:
                row["paired"] = None
            results = json.loads((j.work / "perf/out/results.json").read_text())
            (j.work / "perf/out/results.json").write_text(json.dumps({**results, "results": []}))
        self.refused("neither blocks nor samples", without, verdict="regression", slowdown=0.2)

    def test_a_verdict_against_its_times(self):
        def claim(j, v):
            v.update(verdict="improvement")
            v["totals"].update(maintained=0, improvements=2)
            for row in v["comparisons"]:
                row.update(verdict="improvement", baseline_time_ms=1.0, current_time_ms=6.31)
        self.refused("its blocks give 'maintained'", claim)

        def without(j, v):
            claim(j, v)
            for row in v["comparisons"]:
                row["paired"] = None
        self.refused("has 'improvement', but its times do not", without)

        def with_times(j, v):
            without(j, v)
            for row in v["comparisons"]:
                row["current_time_ms"] = 0.5
        self.refused("has the verdict 'improvement', but its times give 'new'", with_times)

    def test_neither_blocks_nor_samples(self):
        def change(j, v):
            v["comparisons"][0]["paired"] = None
            (j.work / "perf/out/results.json").write_text(json.dumps({"schema_version": 1, "commit": SHA, "hardware": "h", "dirty": False,
                                                                     "results": []}))
        self.refused("neither blocks nor samples", change)

    def test_other_rules(self):
        for rule in ({"tolerate": 0.5, "detect": 0.6}, {"miss": 0.5}, {"false_alarm": 0.4}, {"rule": 1}, {"max_blocks": 40}):
            self.refused("judged by other rules", lambda j, v: None, **rule)
        self.refused("fewer comparisons", lambda j, v: None, comparisons=1)

    def test_rows_that_are_missing_or_there_twice(self):
        def drop(j, v):
            v["comparisons"].pop()
            v["totals"].update(configurations=1, maintained=1)
        self.refused("kernel 'fa' on case 'large' is in the suite, but has no row", drop)

        def twice(j, v):
            v["comparisons"][1]["case"] = "small"
        self.refused("kernel 'fa' on case 'small' has two rows", twice)

        def recorded(j, v):
            entry = {"kernel_name": "old", "case_name": "small", "hardware": "h", "config": {"S": 64},
                     "median_ms": 1.0, "git_commit": "b" * 40}
            (j.work / "perf/baseline.json").write_text(json.dumps({"schema_version": 1, "entries": [entry], "moves": []}))
        self.refused("kernel 'old' on case 'small' is in the baseline, but has no row", recorded)

    def test_another_commit_and_a_part(self):
        self.refused("the results are of commit 'bbbb", lambda j, v: v.update(commit="b" * 40))
        self.refused("part 1 of 2", lambda j, v: v.update(shard={"number": 1, "of": 2}))

    def test_twisted_documents(self):
        """Whatever stands where: the check run is closed, and green only with the verdicts that the blocks give."""
        chance = random.Random(5)
        odd = [None, True, -1, 0, 1e308, -1e-300, "", "x" * 300, [], {}, [[[]]], "\u0000", 2**63, "new", "maintained"]

        def places(value, out):
            for key in list(value) if isinstance(value, dict) else range(min(len(value), 4)):
                out.append((value, key))
                if isinstance(value[key], (dict, list)):
                    places(value[key], out)
            return out

        with job(HOME) as j:
            good = self.run_of(j, "improvement", -0.2)
            measured = json.loads((j.work / "perf/out/results.json").read_text())
            for run in range(150):
                documents = [copy.deepcopy(good), copy.deepcopy(measured)]
                for _ in range(chance.choice((1, 1, 2, 3))):
                    where, key = chance.choice(places(documents[chance.random() < 0.3], []))
                    where[key] = chance.choice(odd)
                j.write(documents[0])
                (j.work / "perf/out/results.json").write_text(json.dumps(documents[1]))
                j.forge.check_runs.clear()
                done = j.pawl("ci", "report", GITHUB_RUN_ID=str(run + 1))
                conclusions = [check["conclusion"] for check in j.forge.check_runs.values()]
                self.assertIn((done.returncode, conclusions), ((0, ["success"]), (65, ["failure"])), done.stderr)
                if done.returncode == 0:
                    self.assertEqual({row["verdict"] for row in documents[0]["comparisons"]}, {"improvement"})

    def test_the_base_is_the_merge_base(self):
        """main went on after the branch: what it asks for since then is not asked of the branch."""
        with job(HOME) as j:
            verdict = self.run_of(j)

            def git(*words):
                done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=j.work, check=True,
                                      capture_output=True, text=True)
                return done.stdout.strip()

            git("init", "-q", "--initial-branch=main")
            git("add", "pawl.yaml")
            git("commit", "-q", "-m", "Start")
            git("commit", "-q", "--allow-empty", "-m", "Change")
            head = git("rev-parse", "HEAD")
            git("reset", "-q", "--hard", "HEAD^")
            base = git("rev-parse", "HEAD")
            (j.work / "pawl.yaml").write_text((j.work / "pawl.yaml").read_text() +
                                              "  huge: {operator: attention, S: 4096, dtype: f32}\n")
            git("commit", "-q", "-a", "-m", "More to measure")
            self.of_commit(j, verdict, head)
            for row in verdict["comparisons"]:
                row["paired"]["anchor"] = base
            j.event("pull_request", {**event(), "pull_request": {**event()["pull_request"], "head": {
                "sha": head, "ref": "faster", "repo": {"full_name": REPOSITORY}}}})
            # the change itself, and its merge into main: actions/checkout has that without a 'ref'
            git("checkout", "-q", "--detach", head)
            self.ci(j, verdict, f"refused: the change {head[:12]} is checked out here")
            git("checkout", "-q", "--detach", "main")
            git("merge", "-q", "--no-edit", head)
            self.ci(j, verdict, "check out the base")
            git("checkout", "-q", "main")
            self.assertEqual(self.ci(j, verdict), "success")
            self.assertEqual(j.sent("GET", "/compare/"), [])
            # a branch that somebody measures by hand
            git("update-ref", "refs/remotes/origin/main", "HEAD")
            j.event("workflow_dispatch", {"repository": {"default_branch": "main"}})
            j.environment.update(GITHUB_REF="refs/heads/faster", GITHUB_SHA=head)
            self.assertEqual(self.ci(j, verdict), "success")
            # a fork's commit is not here: the code host knows its base
            self.of_commit(j, verdict, "c" * 40)
            j.event("workflow_run", workflow_run_event("c" * 40))
            j.forge.merge_base = base
            self.assertEqual(self.ci(j, verdict), "action_required")
            self.assertEqual(len(j.sent("GET", "/compare/")), 1)


class Accepted(unittest.TestCase):
    """A loss that the change accepts in the baseline of its own commit: only where the base allows it, and only this loss."""

    def git(self, j, *words):
        done = subprocess.run(["git", *words], cwd=j.work, env=j.environment, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def start(self, j, gate="accept: pull-request"):
        """A base with a baseline, checked out; the commit of a change that accepts its loss of 12 %. Its output claims that."""
        self.git(j, "init", "-q", "--initial-branch=main")
        (j.work / ".gitignore").write_text("/perf/out/\n/.pawl/\n")
        suite = f"version: 1\ngate: {{between_runs: 1%, max_blocks: 60, {gate}}}\n"
        (j.work / "pawl.yaml").write_text(suite)
        j.pawl("ratchet", str(DATA / "base.json"), "--update")
        self.git(j, "add", "-A")
        self.git(j, "commit", "-q", "-m", "Start")
        self.git(j, "checkout", "-q", "-b", "change")
        slower = (DATA / "slower.json").read_text()
        (j.work / "perf/out").mkdir(exist_ok=True)
        (j.work / "perf/out/results.json").write_text(slower)
        for case in ("training_512", "inference_1k"):
            done = j.pawl("baseline", "accept", "sdpa_cpu", "--case", case, "--reason", "rounds exactly")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.git(j, "commit", "-q", "-a", "-m", "Accept it")
        head = self.git(j, "rev-parse", "HEAD")
        self.git(j, "checkout", "-q", "main")
        body = event()
        body["pull_request"]["head"]["sha"] = head
        j.event("pull_request", body)
        self.claim(j, json.loads(slower), head)
        return head

    def claim(self, j, results, head):
        verdict = j.judged(results, head)
        for row in verdict["comparisons"]:
            row.update(verdict="accepted", accepted={"reason": "rounds exactly", "author": "me", "commit": head})
        verdict.update(verdict="accepted", failed=False)
        verdict["totals"].update(regressions=0, accepted=len(verdict["comparisons"]))
        j.write(verdict)

    def conclusion(self, j):
        return [check["conclusion"] for check in j.forge.check_runs.values()]

    def test_a_loss_that_the_change_accepts_is_posted(self):
        with job(HOME) as j:
            self.start(j)
            j.report()
            self.assertEqual(self.conclusion(j), ["neutral"])  # a loss all the same
            self.assertIn("accepted", j.forge.comments[7][0]["body"])

    def test_the_base_does_not_allow_it(self):
        with job(HOME) as j:
            self.start(j, gate="improve: 5%")
            self.assertIn("'accepted', but its times give 'regression'", j.report(expect=65).stderr)
            self.assertEqual(self.conclusion(j), ["failure"])

    def test_more_than_was_accepted(self):
        with job(HOME) as j:
            head = self.start(j)
            results = json.loads((DATA / "slower.json").read_text())
            for row in results["results"]:
                scale(row["performance"], 1.5)
                for process in row.get("processes", []):
                    scale(process, 1.5)
            self.claim(j, results, head)
            self.assertIn("'accepted', but its times give 'regression'", j.report(expect=65).stderr)

    def test_a_case_that_the_change_refuses(self):
        with job(HOME) as j:
            head = self.start(j)
            results = json.loads((DATA / "base.json").read_text())
            refused = results["results"][0]
            refused.update(outcome="unsupported", reason="only large shapes", performance={}, processes=[])
            verdict = j.judged(results, head)
            self.assertEqual((verdict["verdict"], verdict["failed"], verdict["totals"]["dropped"]), ("dropped", True, 1))
            j.report()
            self.assertEqual(self.conclusion(j), ["failure"])
            self.assertIn("**DROPPED**", j.forge.comments[7][0]["body"])
            verdict["comparisons"][0].update(verdict="unsupported", is_regression=False)
            verdict["totals"].update(dropped=0, unsupported=1)
            verdict.update(verdict="maintained", failed=False)
            j.write(verdict)
            self.assertIn("'unsupported', but its times give 'dropped'", j.report(expect=65).stderr)

    def test_a_file_that_somebody_edited(self):
        with job(HOME) as j:
            self.start(j)
            self.git(j, "checkout", "-q", "change")
            path = j.work / "perf/baseline.json"
            document = json.loads(path.read_text())
            document["moves"] = [move for move in document["moves"] if move["kind"] != "accepted"]
            path.write_text(json.dumps(document))
            self.git(j, "commit", "-q", "-a", "-m", "Edit it")
            head = self.git(j, "rev-parse", "HEAD")
            self.git(j, "checkout", "-q", "main")
            body = event()
            body["pull_request"]["head"]["sha"] = head
            j.event("pull_request", body)
            self.claim(j, json.loads((DATA / "slower.json").read_text()), head)
            self.assertIn("'accepted', but its times give 'regression'", j.report(expect=65).stderr)


def scale(values, factor):
    """Every time of a row of results, in place."""
    for key, value in values.items():
        if key.endswith("_ms") or key.startswith(("ci_95", "process_ci_95")):
            values[key] = [x * factor for x in value] if isinstance(value, list) else value and value * factor


class Report(unittest.TestCase):
    def ci(self, j, expect=0, **changes):
        done = j.pawl("ci", "report", **changes)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def check(self, j):
        self.assertEqual(len(j.forge.check_runs), 1)
        return next(iter(j.forge.check_runs.values()))

    def test_a_verdict_is_posted(self):
        with job(HOME) as j:
            j.measured("slower.json")
            self.ci(j)
            self.assertEqual(self.check(j)["conclusion"], "failure")
            self.assertIn("REGRESSION", j.forge.comments[7][0]["body"])

    def test_no_verdict_closes_the_check_and_edits_the_comment(self):
        with job(HOME) as j:
            self.ci(j, expect=66)
            self.assertEqual(self.check(j)["conclusion"], "failure")
            self.assertNotIn(7, j.forge.comments, "no comment is begun for it")
            j.measured("noise.json")
            self.ci(j, GITHUB_RUN_ID="124")
            shutil.rmtree(j.work / "perf/out")
            self.ci(j, expect=66, GITHUB_RUN_ID="125")
            self.assertEqual(len(j.forge.comments[7]), 1)
            self.assertIn("NO VERDICT", j.forge.comments[7][0]["body"])
            self.assertIn("left no verdict", j.forge.comments[7][0]["body"])

    def test_a_refused_verdict_says_why(self):
        with job(HOME) as j:
            j.measured("noise.json")
            self.ci(j)
            verdict = j.measured("slower.json")
            verdict.update(verdict="improvement", failed=False)
            j.write(verdict)
            self.ci(j, expect=65)
            self.assertEqual(self.check(j)["conclusion"], "failure")
            self.assertIn("its rows give", j.forge.comments[7][0]["body"])

    def test_a_comment_that_fails_does_not_keep_the_check_open(self):
        with job(HOME) as j:
            j.measured("noise.json")
            j.forge.faults.append(Fault("comments", "status", 99, 404))
            self.ci(j, expect=66)
            self.assertEqual(self.check(j)["status"], "completed")

    def test_a_part_is_not_the_whole(self):
        with job(HOME) as j:
            verdict = j.measured("noise.json")
            j.write({**verdict, "shard": {"number": 1, "of": 2}})
            done = self.ci(j, expect=65)
            self.assertIn("part 1 of 2", done.stderr)
            self.assertEqual(self.check(j)["conclusion"], "failure")

    def after(self, j, conclusion, head=FORK, **changes):
        body = workflow_run_event(head=head)
        body["action"] = "completed"
        body["workflow_run"]["conclusion"] = conclusion
        j.event("workflow_run", body)
        j.forge.pulls = [{"number": 31, "state": "open",
                          "head": {"ref": "faster", "sha": SHA, "repo": {"full_name": head}}}]
        return self.ci(j, **changes)

    def test_a_run_that_measured_nothing_leaves_nothing(self):
        for head in (FORK, REPOSITORY):
            for conclusion in ("success", "skipped", "action_required", "cancelled"):
                with job(HOME) as j:
                    self.after(j, conclusion, head)
                    self.assertEqual((j.forge.check_runs, j.forge.comments), ({}, {}), (head, conclusion))

    def test_the_check_of_a_run_that_was_stopped_is_closed(self):
        for conclusion, wanted in (("cancelled", "cancelled"), ("failure", "failure"), ("timed_out", "failure")):
            with job(HOME) as j:
                j.plan(GITHUB_RUN_ID="55", GITHUB_RUN_ATTEMPT="2")
                self.assertEqual(self.check(j)["status"], "in_progress")
                self.after(j, conclusion, REPOSITORY)
                self.assertEqual((self.check(j)["status"], self.check(j)["conclusion"]), ("completed", wanted))
                self.assertEqual(j.forge.comments, {})

    def test_what_a_run_of_ours_posted_stays(self):
        with job(HOME) as j:
            j.measured("noise.json")
            j.report(GITHUB_RUN_ID="55", GITHUB_RUN_ATTEMPT="2")
            before = dict(self.check(j))
            self.after(j, "success", REPOSITORY)
            self.assertEqual(self.check(j), before)

    def test_a_fork_is_posted_for(self):
        with job(HOME) as j:
            j.measured("slower.json")
            self.after(j, "failure")
            self.assertEqual(self.check(j)["conclusion"], "failure")
            self.assertIn("REGRESSION", j.forge.comments[31][0]["body"])

    def test_gitlab(self):
        with job(HOME) as j:
            j.forge.login = "pawl-bot"
            ci = {"GITLAB_CI": "true", "CI_API_V4_URL": j.forge.url, "CI_PROJECT_ID": "12", "CI_MERGE_REQUEST_IID": "3",
                  "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "12", "CI_JOB_ID": "9", "CI_COMMIT_SHA": SHA,
                  "CI_PROJECT_URL": "https://gitlab.example/o/k", "GITLAB_TOKEN": TOKEN}
            j.measured("slower.json")
            self.ci(j, **ci)
            self.assertEqual([s["state"] for s in j.forge.statuses], ["failed"])
            self.assertIn("REGRESSION", j.forge.notes[0]["body"])
            shutil.rmtree(j.work / "perf/out")
            self.ci(j, expect=66, **{**ci, "CI_COMMIT_SHA": "b" * 40})
            self.assertEqual(j.forge.statuses[-1]["state"], "failed")
            self.assertIn("NO VERDICT", j.forge.notes[0]["body"])

    def test_forgejo(self):
        with job(HOME, forgejo=True) as j:
            j.measured("slower.json")
            self.ci(j, FORGEJO_ACTIONS="true")
            self.assertEqual([s["state"] for s in j.forge.statuses], ["failure"])
            self.assertEqual(len(j.forge.comments[7]), 1)
