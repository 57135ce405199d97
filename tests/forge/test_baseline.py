# SPDX-License-Identifier: Apache-2.0
"""The baseline's own commit, and the race of two merges, on a bare git remote."""

import json
import subprocess
import threading
import unittest

from fake_forge import TOKEN
from job import DATA, job

HOME = None
SUITE = """version: 1
gate: {between_runs: 1%, max_blocks: 60} # so that unpaired changes are called
kernels: {sdpa_cpu: {operator: attention, device: cpu, sources: [sdpa.c]}}
cases:
  training_512: {operator: attention, B: 2, H: 4, S: 512, D: 64, dtype: f32}
  inference_1k: {operator: attention, B: 1, H: 4, S: 1024, D: 64, dtype: f32}
"""
CHECKS = [{"kernel_name": "sdpa_cpu", "checks": 2, "passed": 2, "failed": 0, "unsupported": 0, "failures": []}]


class Baseline(unittest.TestCase):
    def git(self, j, *words, folder=None):
        done = subprocess.run(["git", *words], cwd=folder or j.work, env=j.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"git {words}: {done.stderr}")
        return done.stdout.strip()

    def start(self, j):
        """A bare remote with a commit of main that has a baseline, and j.work as a clone of it."""
        self.remote = j.folder / "remote.git"
        self.git(j, "init", "-q", "--bare", "--initial-branch=main", str(self.remote))
        self.git(j, "init", "-q", "--initial-branch=main")
        (j.work / ".gitignore").write_text("/perf/out/\n/.pawl/\n")
        (j.work / "pawl.yaml").write_text(SUITE)
        j.pawl("ratchet", str(DATA / "base.json"), "--update")
        self.git(j, "add", "-A")
        self.git(j, "commit", "-q", "-m", "Start")
        self.git(j, "remote", "add", "origin", str(self.remote))
        self.git(j, "push", "-q", "origin", "main")
        j.event("push", {"repository": {"full_name": "owner/kernels", "default_branch": "main"}})
        j.environment["GITHUB_REF"] = "refs/heads/main"

    def clone(self, j, name):
        folder = j.folder / name
        self.git(j, "clone", "-q", str(self.remote), str(folder), folder=j.folder)
        return folder

    def ratchet(self, j, results, folder=None):
        """Moves the baseline as a run on this commit does, which leaves results.json and verdict.json beside it."""
        folder = folder or j.work
        document = json.loads(results.read_text())
        document["commit"] = self.git(j, "rev-parse", "HEAD", folder=folder)
        (folder / "perf/results.json").write_text(json.dumps(document))
        done = subprocess.run(["pawl", "--json", "ratchet", "perf/results.json", "--update"], cwd=folder, env=j.environment,
                              capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        (folder / "perf/verdict.json").write_text(json.dumps({**json.loads(done.stdout), "checks": CHECKS}))

    def forge(self, j, name, change, folder=None):
        """Changes one of the files that a run left."""
        path = (folder or j.work) / f"perf/{name}.json"
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))

    def push(self, j, folder=None):
        return subprocess.run(["pawl", "ci", "baseline", "--from", "perf"], cwd=folder or j.work, env=j.environment,
                              capture_output=True, text=True)

    def tip(self, j):
        return json.loads(self.git(j, "show", "main:perf/baseline.json", folder=self.remote))

    def test_a_protected_branch(self):
        with job(HOME) as j:
            self.start(j)
            self.ratchet(j, DATA / "faster.json")
            hook = self.remote / "hooks/update"
            hook.write_text("#!/bin/sh\n[ \"$1\" != refs/heads/main ] || { echo 'GH006: Protected branch update failed' >&2; "
                            "exit 1; }\n")
            hook.chmod(0o755)

            def ci(*words, **variables):
                return j.pawl("ci", "baseline", "--from", "perf", *words, **variables)

            done = ci()
            self.assertEqual(done.returncode, 77)
            for way in ("'main' is protected", "PAWL_BASELINE_TOKEN", "--by pull-request"):
                self.assertIn(way, done.stderr)
            before = self.git(j, "rev-parse", "main", folder=self.remote)
            for again in range(2):
                done = ci(PAWL_BASELINE_BY="pull-request")
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.git(j, "rev-parse", "main", folder=self.remote), before)
            self.assertEqual([(p["head"]["ref"], p["base"]["ref"], p["draft"]) for p in j.forge.pulls],
                             [("pawl-baseline", "main", True)])
            self.assertIn("perf: ratchet baseline forward", j.forge.pulls[0]["title"])
            self.assertNotIn("skip ci", j.forge.pulls[0]["title"])  # its checks must run
            changed = self.git(j, "diff", "--name-only", "main", "pawl-baseline", folder=self.remote)
            self.assertEqual(changed, "perf/baseline.json")
            self.assertEqual(ci("--by", "mail").returncode, 64)

    def test_a_protected_branch_on_forgejo(self):
        with job(HOME, forgejo=True) as j:
            self.start(j)
            self.ratchet(j, DATA / "faster.json")
            theirs = {"number": 1, "state": "open", "title": "theirs", "body": "",
                      "head": {"ref": "other", "repo": {"full_name": "owner/kernels"}}}
            j.forge.pulls = [theirs]
            for _ in range(2):
                j.ci("baseline", "--from", "perf", PAWL_BASELINE_BY="pull-request", FORGEJO_ACTIONS="true")
            self.assertEqual([p["title"][:10] for p in j.forge.pulls], ["theirs", "WIP: perf:"])  # the draft of that host

    def test_a_commit_of_its_own(self):
        with job(HOME) as j:
            self.start(j)
            self.ratchet(j, DATA / "base.json")
            self.assertIn("nothing to commit", self.push(j).stderr)
            self.ratchet(j, DATA / "faster.json")
            (j.work / "other").write_text("must not get in")
            (j.work / "pawl.yaml").write_text("version: 1\n# changed\n")
            done = self.push(j)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.git(j, "show", "--format=", "--name-only", "main", folder=self.remote),
                             "perf/baseline.json")
            subject = self.git(j, "log", "-1", "--format=%s", "main", folder=self.remote)
            self.assertRegex(subject, r"^perf: ratchet baseline forward, .* \[skip ci\]$")
            self.assertEqual(self.git(j, "rev-list", "--count", "main", folder=self.remote), "2")
            again = self.push(j)
            self.assertEqual((again.returncode, self.git(j, "rev-list", "--count", "main", folder=self.remote)),
                             (0, "2"))
            self.assertNotIn("tree", self.git(j, "worktree", "list").replace(str(j.work), ""))

    def part(self, j, index, number):
        """One of two parts of a run: only its case is faster, and only its row is there."""
        self.ratchet(j, self.one_faster(j, index, 1.0, f"{number}.json"))
        self.forge(j, "results", lambda r: r.update(results=[r["results"][index]]))

        def own(v):
            rows = [row for row in v["comparisons"] if row["verdict"] == "improvement"]
            v.update(shard={"number": number, "of": 2}, comparisons=rows)
            v["totals"].update(configurations=1, maintained=0)
        self.forge(j, "verdict", own)
        folder = j.folder / f"parts/{number}"
        folder.mkdir(parents=True)
        for name in ("baseline", "results", "verdict"):
            (j.work / f"perf/{name}.json").rename(folder / f"{name}.json")
        self.git(j, "checkout", "-q", "--", "perf/baseline.json")
        return folder / "baseline.json"

    def test_the_parts_of_a_shared_run(self):
        with job(HOME) as j:
            self.start(j)
            parts = [self.part(j, index, index + 1) for index in range(2)]
            for _ in range(2):  # the second finds it done
                j.ci("baseline", "--from", str(j.folder / "parts"))
            self.assertEqual(self.git(j, "rev-list", "--count", "main", folder=self.remote), "2")
            moved = [move["case_name"] for move in self.tip(j)["moves"] if move["kind"] == "improvement"]
            self.assertEqual(len(set(moved)), 2, moved)
            parts[1].write_text((DATA / "faster.json").read_text())  # results
            done = j.ci("baseline", "--from", str(j.folder / "parts"), expect=65)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_gitlab(self):
        with job(HOME) as j:
            self.start(j)
            self.ratchet(j, DATA / "faster.json")
            ci = {"GITLAB_CI": "true", "CI_API_V4_URL": j.forge.url, "CI_PROJECT_ID": "12", "CI_DEFAULT_BRANCH": "main", "GITHUB_REF": None}
            for name, iid, status in (("other", None, 77), ("main", "3", 77), ("main", None, 0)):
                done = j.pawl("ci", "baseline", "--from", "perf", CI_COMMIT_REF_NAME=name, CI_MERGE_REQUEST_IID=iid, **ci)
                self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(self.git(j, "rev-list", "--count", "main", folder=self.remote), "2")
            self.assertEqual(j.forge.requests, [])

    def one_faster(self, j, index, factor, name):
        """faster.json in only one of its cases."""
        base, faster = (json.loads((DATA / f).read_text()) for f in ("base.json", "faster.json"))
        row = json.loads(json.dumps(faster["results"][index]))
        for key, value in row["performance"].items():
            if key.endswith("_ms") or key.startswith("ci_95"):
                scale = [x * factor for x in value] if isinstance(value, list) else value and value * factor
                row["performance"][key] = scale
        for process in row.get("processes", []):
            process["samples_ms"] = [x * factor for x in process["samples_ms"]]
        base["results"][index] = row
        path = j.folder / name
        path.write_text(json.dumps(base))
        return path

    def test_two_merges_race_and_none_is_lost(self):
        with job(HOME) as j:
            self.start(j)
            folders = [self.clone(j, "first"), self.clone(j, "second")]
            for i, folder in enumerate(folders):
                self.ratchet(j, self.one_faster(j, i, 1.0, f"r{i}.json"), folder)
            before = {e["case_name"]: e["median_ms"] for e in self.tip(j)["entries"]}
            done = [None, None]

            def one(i):
                done[i] = self.push(j, folders[i])
            threads = [threading.Thread(target=one, args=(i,)) for i in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for each in done:
                self.assertEqual(each.returncode, 0, each.stderr)
            after = self.tip(j)
            self.assertEqual(sum(e["median_ms"] < before[e["case_name"]] for e in after["entries"]), 2)
            self.assertEqual(self.git(j, "rev-list", "--count", "main", folder=self.remote), "3")
            self.assertEqual(len([m for m in after["moves"] if m["kind"] == "improvement"]), 2)

    def test_of_two_moves_of_one_entry_the_faster_stays(self):
        with job(HOME) as j:
            self.start(j)
            folders = [self.clone(j, "first"), self.clone(j, "second")]
            self.ratchet(j, self.one_faster(j, 0, 0.8, "r0.json"), folders[0])
            self.ratchet(j, self.one_faster(j, 0, 0.9, "r1.json"), folders[1])
            wanted = json.loads((folders[0] / "perf/baseline.json").read_text())["entries"]
            for folder in folders:
                self.assertEqual(self.push(j, folder).returncode, 0)
            self.assertEqual(self.tip(j)["entries"], wanted)

    def test_a_shallow_clone(self):
        with job(HOME) as j:
            self.start(j)
            self.git(j, "commit", "-q", "--allow-empty", "-m", "More")
            self.git(j, "push", "-q", "origin", "main")
            shallow = j.folder / "shallow"
            self.git(j, "clone", "-q", "--depth=1", f"file://{self.remote}", str(shallow), folder=j.folder)
            self.ratchet(j, DATA / "faster.json", shallow)
            done = self.push(j, shallow)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_refused(self):
        with job(HOME) as j:
            self.start(j)
            self.ratchet(j, DATA / "faster.json")
            for ref, event in (("refs/heads/feature", "push"), ("refs/pull/7/merge", "pull_request")):
                done = subprocess.run(["pawl", "ci", "baseline", "--from", "perf"], cwd=j.work, capture_output=True, text=True,
                                      env={**j.environment, "GITHUB_REF": ref, "GITHUB_EVENT_NAME": event})
                self.assertEqual(done.returncode, 77, done.stderr)
            (self.remote / "hooks/pre-receive").write_text("#!/bin/sh\necho protected branch >&2\nexit 1\n")
            (self.remote / "hooks/pre-receive").chmod(0o755)
            self.assertEqual(self.push(j).returncode, 77)
            self.assertEqual(self.git(j, "rev-list", "--count", "main", folder=self.remote), "1")

    def test_git_never_sees_the_token(self):
        with job(HOME) as j:
            self.start(j)
            self.ratchet(j, DATA / "faster.json")
            spy = j.folder / "spy"
            spy.mkdir()
            (spy / "git").write_text(f'#!/bin/sh\necho "$@" >>{spy}/seen\nenv >>{spy}/seen\nexec /usr/bin/git "$@"\n')
            (spy / "git").chmod(0o755)
            j.environment["GH_TOKEN"] = TOKEN
            j.environment["PATH"] = f"{spy}:{j.environment['PATH']}"
            self.assertEqual(self.push(j).returncode, 0)
            seen = (spy / "seen").read_text()
            self.assertIn("push", seen)
            self.assertNotIn(TOKEN, seen)

    def test_dry_run_pushes_nothing(self):
        with job(HOME) as j:
            self.start(j)
            self.ratchet(j, DATA / "faster.json")
            done = j.ci("baseline", "--from", "perf", "--dry-run")
            self.assertIn("[skip ci]", done.stdout)
            self.assertEqual(self.git(j, "rev-list", "--count", "main", folder=self.remote), "1")

    def test_what_the_measurements_do_not_give(self):
        """One field of what a run left is forged: nothing is pushed, and a line says why."""
        def entry(**changes):
            return "baseline", lambda b: b["entries"][0].update(changes)

        def move(**changes):
            return "baseline", lambda b: b["moves"][-1].update(changes)

        def other(**names):
            return "baseline", lambda b: b["entries"].append({**b["entries"][0], **names})

        measurements = "than the measurements give"
        cases = [(entry(median_ms=2.0, ci_95_low=1.9, ci_95_high=2.1), measurements),
                 (entry(median_ms=2557.7, ci_95_low=2557.0, ci_95_high=2558.0), measurements),  # microseconds
                 (entry(samples_ms=[2.0] * 30), "another 'samples_ms'"), (entry(process_fastest_ms=1.0), "another 'process_fastest_ms'"),
                 (entry(code_hash="a" * 32), "another 'code_hash'"), (entry(reason="trust me"), "another 'reason'"),
                 (entry(git_commit="e" * 40), "another 'git_commit'"), (entry(config={"S": 8, "dtype": "f32"}), "another 'config'"),
                 (other(kernel_name="other"), "does not follow"), (other(case_name="other"), "does not follow"),
                 (other(hardware="other"), "does not follow"), (move(to_ms=1.0), "does not follow"), (move(from_ms=9.0), "does not follow"),
                 (move(kernel_name="other"), "does not follow"), (("baseline", lambda b: b["moves"].pop()), "has 1 moves"),
                 (("baseline", lambda b: b["moves"].append(b["moves"][-1])), "is there twice"),
                 (("baseline", lambda b: b["moves"][0].update(to_ms=1.0)), "but changed"),
                 (("verdict", lambda v: v.update(commit="e" * 40)), "but results.json of"),
                 (("verdict", lambda v: v.update(dirty=True)), "dirty tree"), (("verdict", lambda v: v.update(checks=[])), "not checked"),
                 (("results", lambda r: r.update(results=[])), "its times give 'missing'"),
                 (("results", lambda r: r["results"].append({**r["results"][0], "kernel_name": "other"})), None)]
        for (name, change), words in cases:
            with self.subTest(words=words), job(HOME) as j:
                self.start(j)
                self.ratchet(j, DATA / "faster.json")
                self.forge(j, name, change)
                done = self.push(j)
                self.assertEqual(done.returncode, 65 if words else 0, done.stderr)
                self.assertEqual(self.git(j, "rev-list", "--count", "main", folder=self.remote), "1" if words else "2")
                if words:
                    self.assertIn(words, done.stderr)
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_held_up_entry_that_is_no_upper_bound(self):
        """Somebody marks an entry by hand as held up: a longer time, or one of other code, does not replace it."""
        def held_up(entry, now):
            figures = dict.fromkeys(("median_ms", "ci_95_low", "ci_95_high", "process_ci_95_low", "process_ci_95_high"), now)
            entry.update(figures, held_up=True, code_hash="a" * 32)
            entry.pop("samples_ms", None)
        for ratio, code, kept in ((2.0, "a", False), (0.5, "a", True), (1.0, "b", True)):
            with self.subTest(ratio=ratio, code=code), job(HOME) as j:
                self.start(j)
                results = json.loads((DATA / "base.json").read_text())
                medians = {row["case"]: row["performance"]["median_ms"] for row in results["results"]}
                self.forge(j, "baseline", lambda b: [held_up(e, ratio * medians[e["case_name"]]) for e in b["entries"]])
                self.git(j, "commit", "-q", "-am", "Mark as held up")
                self.git(j, "push", "-q", "origin", "main")
                for row in results["results"]:
                    row["code"] = {"hash": code * 32}
                path = j.folder / "code.json"
                path.write_text(json.dumps(results))
                before = self.tip(j)["entries"]
                self.ratchet(j, path)
                mine = json.loads((j.work / "perf/baseline.json").read_text())["entries"]
                self.assertEqual(mine == before, kept)
                if kept:
                    self.forge(j, "baseline", lambda b: held_up(b["entries"][0], 9.0))
                    done = self.push(j)
                    self.assertEqual((done.returncode, "does not follow" in done.stderr), (65, True), done.stderr)

    def test_a_commit_that_is_not_here(self):
        for commit in ("e" * 40, None):
            with job(HOME) as j:
                self.start(j)
                self.ratchet(j, DATA / "faster.json")
                for name in ("results", "verdict"):
                    self.forge(j, name, lambda document: document.update(commit=commit))
                self.assertIn("which the history of this checkout does not have", self.push(j).stderr)

    def test_a_kernel_that_is_not_in_the_suite(self):
        with job(HOME) as j:
            self.start(j)
            self.ratchet(j, DATA / "faster.json")

            def row(v):
                v["comparisons"].append({**v["comparisons"][0], "kernel_name": "other", "verdict": "new", "baseline_time_ms": None,
                                         "current_time_ms": None})
                v["totals"].update(configurations=3, new=1)
            self.forge(j, "verdict", row)
            self.forge(j, "results", lambda r: r["results"].append({**r["results"][0], "kernel_name": "other"}))
            self.assertIn("kernel 'other' on case 'training_512' is not in the suite", self.push(j).stderr)

    def test_nothing_was_judged(self):
        with job(HOME) as j:
            self.start(j)
            self.ratchet(j, DATA / "faster.json")
            (j.work / "perf/verdict.json").unlink()
            done = self.push(j)
            self.assertEqual((done.returncode, "left no verdict" in done.stderr), (66, True), done.stderr)

    def test_blocks_that_confirm_an_improvement(self):
        """The verdict has the blocks of the confirmation, but not its samples."""
        def ran(j, change):
            self.start(j)
            results = json.loads((DATA / "faster.json").read_text())
            blocks = {}
            for row in results["results"]:
                figures, times = row["performance"], [row["performance"]["median_ms"] * (1 + 0.001 * (i % 3)) for i in range(40)]
                blocks[row["case"]] = [{"base_ms": 2 * now, "candidate_ms": now, "spoiled": None, "first": ("base", "candidate")[i % 2]}
                                       for i, now in enumerate(times)]
                median = sorted(times)[20]
                for rate in ("throughput_gflops", "bandwidth_gb_s"):
                    figures[rate] *= figures["median_ms"] / median
                figures.update(median_ms=median, samples_ms=times)
                row["processes"] = [{"samples_ms": [now]} for now in times]
            path = j.folder / "confirmed.json"
            path.write_text(json.dumps(results))
            self.ratchet(j, path)
            measured = json.loads((DATA / "faster.json").read_text())
            self.forge(j, "results", lambda r: r.update(results=measured["results"]))

            def paired(v):
                policy = {"rule": 3, "tolerate": 0.01, "detect": 0.03, "false_alarm": 0.001, "miss": 0.01, "max_blocks": 60, "comparisons": 2}
                for row in v["comparisons"]:
                    row["paired"] = {"kernel_name": "sdpa_cpu", "case": row["case"], "anchor": "1" * 40, "policy": policy, "seed": 1,
                                     "anchor_kind": "the baseline's commit", "blocks": blocks[row["case"]],
                                     "confirmation": blocks[row["case"]]}
            self.forge(j, "verdict", paired)
            self.forge(j, "baseline", lambda b: (change(b["entries"][0]), [move.update(to_ms=entry["median_ms"]) for move in b["moves"][-2:]
                                                 for entry in b["entries"] if entry["case_name"] == move["case_name"]]))
            return self.push(j)

        def faster(entry):
            for key in ("median_ms", "ci_95_low", "ci_95_high"):
                entry[key] *= 0.9
            for key in ("throughput_gflops", "bandwidth_gb_s"):
                entry[key] /= 0.9
            entry["samples_ms"] = [0.9 * time for time in entry["samples_ms"]]

        forged = ((lambda entry: None, None), (faster, "another 'median_ms'"),
                  (lambda entry: entry.update(samples_ms=[1.0] * 9, ci_95_low=None, ci_95_high=None), "another 'samples_ms'"),
                  (lambda entry: entry.update(throughput_gflops=9.0), "another 'throughput_gflops'"),
                  (lambda entry: entry.update(process_ci_95_low=1.0), "another 'process_ci_95_low'"))
        for change, words in forged:
            with job(HOME) as j:
                done = ran(j, change)
                self.assertEqual((done.returncode, (words or "") in done.stderr), (65 if words else 0, True), done.stderr)
