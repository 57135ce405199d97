#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A dress rehearsal: a bare git remote, the fake code host, and the workflows of `pawl init --forge github`, their jobs
and steps run in order, on a first baseline, an improvement and its merge, a regression, a wrong kernel, and forks.
Everything is measured for real, on tiny cases. The race of two merges is in test_baseline.py.

Usage: rehearsal.py --build DIR | --home DIR [-v]"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import staged  # noqa: E402
from fake_forge import TOKEN, Forge  # noqa: E402
from job import REPOSITORY, pull_request_event, workflow_run_event  # noqa: E402
from workflow import Workflow  # noqa: E402

SUITE = """version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}
cases:
  small: {operator: scale, n: 200000, dtype: f32}
  large: {operator: scale, n: 400000, dtype: f32}
check:
  scale: {n: [1, 1000]}
measure: {warmup: 2, samples: 20, processes: 2, cache: warm}
gate: {tolerate: 5%, detect: 30%, improve: 20%, max_blocks: 30, busy: count}
"""
LOOP = "for (int64_t i = 0; i < n; i++)"
SLOW = f"volatile float sum = 0;\n  {LOOP} sum = sum + x[i];\n  "


class Rehearsal:
    def __init__(self, home, folder, verbose):
        self.home, self.folder, self.verbose, self.runs = home, pathlib.Path(folder), verbose, 0
        self.forge = Forge()
        self.environment = staged.environment(home, self.folder / "home")
        self.environment.pop("SOURCE_DATE_EPOCH")
        self.environment.update(GITHUB_API_URL=self.forge.url, GITHUB_SERVER_URL="https://github.example",
                                GITHUB_REPOSITORY=REPOSITORY)
        self.remote, self.repo = self.folder / "remote.git", self.folder / "repo"
        self.faults = []

    def sh(self, *words, folder=None):
        done = subprocess.run(words, cwd=folder or self.repo, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"rehearsal: {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def expect(self, what, good):
        print(f"  {'ok  ' if good else 'FAIL'} {what}")
        if not good:
            self.faults.append(what)

    def start(self):
        self.sh("git", "init", "-q", "--bare", "--initial-branch=main", str(self.remote), folder=self.folder)
        self.sh("git", "init", "-q", "--initial-branch=main", str(self.repo), folder=self.folder)
        self.sh("git", "remote", "add", "origin", f"https://github.com/{REPOSITORY}.git")
        self.sh("git", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
        self.sh("pawl", "init", "--example", "minimal", "--forge", "github", str(self.repo), folder=self.folder)
        (self.repo / "pawl.yaml").write_text(SUITE)
        self.kernel = self.repo / "kernels/scale_cpu.c"
        self.fast = self.kernel.read_text()
        self.write(slow=True)
        self.sh("git", "remote", "set-url", "origin", str(self.remote))
        self.commit("Start")

    def write(self, slow=False, wrong=False):
        text = self.fast
        assert LOOP in text
        if slow:
            text = text.replace(LOOP, SLOW + LOOP)
        if wrong:
            text = text.replace("2 * x[i]", "2 * x[i] + 0.5f")
        self.kernel.write_text(text)

    def commit(self, message, branch="main"):
        self.sh("git", "checkout", "-q", "-B", branch)
        self.sh("git", "add", "-A")
        self.sh("git", "commit", "-q", "-m", message)
        self.sh("git", "push", "-q", "-f", "origin", f"{branch}:{branch}")
        return self.sh("git", "rev-parse", "HEAD")

    def back_to_main(self):
        self.sh("git", "fetch", "-q", "origin")
        self.sh("git", "checkout", "-q", "-B", "main", "origin/main")

    def workflow(self, name, event_name, event, ref, sha, variables=None, run_id=None):
        if run_id is None:
            self.runs += 1
            run_id = self.runs
        path = self.repo / ".github/workflows" / name
        self.last = Workflow(path, self.folder / "runner", str(self.remote), self.environment, TOKEN, variables)
        begin = time.monotonic()
        results = self.last.run(event_name, event, ref, sha, run_id, self.folder / f"artifacts-{run_id}")
        print(f"  {name}, {event_name}: {results}, {time.monotonic() - begin:.0f} s")
        if self.verbose:
            print(*self.last.log, sep="\n")
        for job, step, environment in self.last.commands:
            holds = "github.token" in str(self.last.jobs[job].get("steps"))
            self.expect(f"no token in {job}: {step}", holds or TOKEN not in str(environment)) if not holds else None
        return results

    def pull_request(self, number, branch, sha, head=REPOSITORY, variables=None):
        event = pull_request_event(number, sha, head)
        base = self.sh("git", "rev-parse", "origin/main")
        event["action"] = "synchronize"
        event["pull_request"]["base"]["sha"] = base
        event["pull_request"]["labels"] = []
        event["pull_request"]["head"]["ref"] = branch
        return self.workflow("pawl.yml", "pull_request", event, f"refs/pull/{number}/merge", sha, variables)

    def push(self, sha, variables=None):
        event = {"repository": {"full_name": REPOSITORY, "default_branch": "main"}}
        return self.workflow("pawl.yml", "push", event, "refs/heads/main", sha, variables)

    def last_check(self):
        return list(self.forge.check_runs.values())[-1]

    def comments(self, number):
        return [item["body"] for item in self.forge.comments.get(number, [])]


def rehearse(r):
    r.start()
    print("== a first run on main records the baseline, in a commit of its own")
    results = r.push(r.sh("git", "rev-parse", "HEAD"))
    r.expect("measured, reported, recorded", results["measure"] == results["report"] == results["baseline"] == "success")
    subject = r.sh("git", "log", "-1", "--format=%s", "main", folder=r.remote)
    r.expect(f"the commit: {subject}", subject.startswith("perf: ratchet baseline forward") and "[skip ci]" in subject)
    r.expect("the check run succeeded", r.last_check()["conclusion"] == "success")
    r.back_to_main()

    print("== a pull request that improves, and its merge")
    r.write()
    sha = r.commit("One pass", "faster")
    results = r.pull_request(1, "faster", sha)
    r.expect("the jobs succeed", results["measure"] == results["report"] == "success")
    r.expect("the baseline is not touched", results["baseline"] == "skipped")
    r.expect("one comment says so", len(r.comments(1)) == 1 and "IMPROVEMENT" in r.comments(1)[0])
    r.sh("git", "checkout", "-q", "main")
    r.sh("git", "merge", "-q", "--no-ff", "-m", "Merge faster", "faster")
    r.sh("git", "push", "-q", "origin", "main")
    results = r.push(r.sh("git", "rev-parse", "HEAD"), {"PAWL_SHARDS": "2"})
    r.expect("the merge, on two machines, moves the baseline", results["baseline"] == "success")
    moves = len(json.loads(r.sh("git", "show", "main:perf/baseline.json", folder=r.remote))["moves"])
    r.expect("by what both found, in one commit", moves == 4 and
             r.sh("git", "log", "--format=%s", "main", folder=r.remote).count("perf: ratchet") == 2)
    changed = r.sh("git", "show", "--format=", "--name-only", "main", folder=r.remote)
    r.expect(f"in a commit that changes {changed} alone", changed == "perf/baseline.json")
    r.back_to_main()

    print("== a pull request that slows down")
    r.write(slow=True)
    sha = r.commit("Slower", "slower")
    results = r.pull_request(2, "slower", sha)
    r.expect("measuring fails, the report is posted", (results["measure"], results["report"]) == ("failure", "success"))
    r.expect("the check run fails", r.last_check()["conclusion"] == "failure" and r.last_check()["head_sha"] == sha)
    places = {(a["path"], a["annotation_level"]) for a in r.last_check()["annotations"]}
    r.expect("with an annotation at the kernel", places == {("kernels/scale_cpu.c", "failure")})
    r.expect("one comment says so", len(r.comments(2)) == 1 and "REGRESSION" in r.comments(2)[0])
    r.back_to_main()
    r.sh("git", "checkout", "-q", "slower")
    r.write()
    sha = r.commit("Fast again", "slower")
    r.pull_request(2, "slower", sha)
    r.expect("mended: the same comment, edited", len(r.comments(2)) == 1 and "REGRESSION" not in r.comments(2)[0])
    r.back_to_main()

    print("== the same on two machines")
    r.write(slow=True)
    sha = r.commit("Slower again", "slower2")
    results = r.pull_request(5, "slower2", sha, variables={"PAWL_SHARDS": "2"})
    r.expect("measuring fails, the report is posted", (results["measure"], results["report"]) == ("failure", "success"))
    r.expect("the joined run is kept", (r.last.artifacts / "joined-1/verdict.json").exists())
    r.expect("one comment on all, judged in pairs", len(r.comments(5)) == 1 and "of 2 configurations" in r.comments(5)[0]
             and "REGRESSION" in r.comments(5)[0] and "unpaired" not in r.comments(5)[0])
    r.back_to_main()

    print("== a pull request that computes something else")
    r.write(wrong=True)
    sha = r.commit("Wrong", "wrong")
    results = r.pull_request(3, "wrong", sha)
    r.expect("measuring fails", results["measure"] == "failure")
    r.expect("the check run fails", r.last_check()["conclusion"] == "failure")
    r.expect("the comment says wrong", "WRONG" in r.comments(3)[0])
    r.back_to_main()

    print("== a fork's pull request")
    r.write(slow=True)
    sha = r.commit("From outside", "fork")
    results = r.pull_request(4, "fork", sha, "stranger/kernels", {"PAWL_RUNNER": '["self-hosted", "gpu"]'})
    r.expect("refused on a machine of ours", results["plan"] == "failure" and results["measure"] == "skipped")
    r.expect("loudly", any("::refused: " in log for log in r.last.log))
    results = r.pull_request(4, "fork", sha, "stranger/kernels")  # init chose a machine of GitHub for a suite without a GPU
    r.expect("measured on a hosted one, posted by nobody", results["measure"] == "failure" and
             results["report"] == "skipped" and not r.comments(4))
    head = {"ref": "fork", "sha": sha, "repo": {"full_name": "stranger/kernels"}}
    r.forge.pulls.append({"number": 4, "state": "open", "head": head})
    event = workflow_run_event(sha, branch="fork")
    event["action"] = "completed"
    event["workflow_run"]["conclusion"] = "failure"
    main = r.sh("git", "rev-parse", "origin/main")
    results = r.workflow("pawl-report.yml", "workflow_run", event, "refs/heads/main", main, run_id=r.runs)
    r.expect("the default branch's workflow posts", results["report"] == "success")
    r.expect("to the right pull request", "REGRESSION" in r.comments(4)[0] and r.last_check()["head_sha"] == sha)

    rehearse_tuning(r)


def rehearse_tuning(r):
    print("== a tuning, and the draft pull request with what it found")
    r.back_to_main()
    passes = f"volatile float sum = 0;\n  for (int pass = 1; pass < PASSES; pass++) {LOOP} sum = sum + x[i];\n  "
    r.kernel.write_text(r.fast.replace(LOOP, passes + LOOP))
    tuned = "sources: [kernels/scale_cpu.c], params: {PASSES: 8}, # as it came\n    tune: {PASSES: [1, 8]}}"
    (r.repo / "pawl.yaml").write_text(SUITE.replace("sources: [kernels/scale_cpu.c]}", tuned))
    sha = r.commit("Have a parameter")
    inputs = {"kernel": "scale_cpu", "case": "small", "budget": "2m"}
    event = {"repository": {"full_name": REPOSITORY, "default_branch": "main"}, "inputs": inputs}
    before = len(r.forge.pulls)
    results = r.workflow("pawl-autotune.yml", "workflow_dispatch", event, "refs/heads/main", sha)
    r.expect("tuned, proposed", results["tune"] == results["propose"] == "success")
    pull = r.forge.pulls[-1]
    r.expect("one draft pull request", len(r.forge.pulls) == before + 1 and pull["draft"] is True)
    r.expect(f"titled '{pull['title']}'", pull["title"] == "Tune scale_cpu for small")
    r.expect("its text says how much faster, and with what", "times as fast" in pull["body"] and "PASSES=1" in pull["body"])
    branch = pull["head"]["ref"]
    changed = r.sh("git", "diff", "--unified=0", f"main..{branch}", folder=r.remote).splitlines()
    changed = [line for line in changed if line[0] in "+-" and line[:3] not in ("+++", "---")]
    r.expect("it changes one line, and keeps its comment",
             len(changed) == 2 and changed[1].endswith("params: {PASSES: 1}, # as it came"))
    results = r.workflow("pawl-autotune.yml", "workflow_dispatch", event, f"refs/heads/{branch}",
                         r.sh("git", "rev-parse", branch, folder=r.remote))
    r.expect("nothing better: no failure, and no proposal from a branch",
             (results["tune"], results["propose"]) == ("success", "skipped") and len(r.forge.pulls) == before + 1)
    results = r.workflow("pawl-autotune.yml", "schedule", {}, "refs/heads/main", sha)
    r.expect("each week only what a variable names", results["tune"] == "skipped")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    staged.add_home(parser)
    parser.add_argument("-v", action="store_true", dest="verbose")
    arguments = parser.parse_args()
    with staged.home(arguments) as home, tempfile.TemporaryDirectory(prefix="pawl-rehearsal-", ignore_cleanup_errors=True) as folder:
        rehearsal = Rehearsal(home, folder, arguments.verbose)
        rehearse(rehearsal)
        rehearsal.forge.close()
    print(f"{len(rehearsal.faults)} faults")
    return 1 if rehearsal.faults else 0


if __name__ == "__main__":
    sys.exit(main())
