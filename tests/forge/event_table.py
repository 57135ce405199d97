#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays through each event and its effects: the workflows of `pawl init --forge github` in a repository whose suite lies
in a folder and whose branch is master, a bare git remote, the fake code host, and what GitHub itself does (filters,
concurrency groups, cancelling, the workflow that runs after a workflow). Changes touch only comments, so that the machine
code is the baseline's and no time decides.

Usage: event_table.py --build DIR | --home DIR [-v]"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import staged  # noqa: E402
from fake_forge import TOKEN, Forge  # noqa: E402
from job import REPOSITORY, pull_request_event, workflow_run_event  # noqa: E402
from workflow import Workflow  # noqa: E402

FORK = "stranger/kernels"
OURS = {"PAWL_RUNNER": '["self-hosted", "gpu"]'}  # each event has it, unless it says HOSTED
HOSTED = {"PAWL_RUNNER": '"ubuntu-24.04"'}
LABELED = {"PAWL_ONLY_LABELED": "true"}
KERNEL, OTHER = "bench/kernels/scale_cpu.c", "README.md"


class Table:
    def __init__(self, home, folder, verbose):
        self.folder, self.verbose, self.runs, self.rows, self.faults = pathlib.Path(folder), verbose, 0, 0, 0
        self.forge = Forge()
        self.environment = staged.environment(home, self.folder / "home")
        self.environment.pop("SOURCE_DATE_EPOCH")
        self.environment.update(GITHUB_API_URL=self.forge.url, GITHUB_SERVER_URL="https://github.example",
                                GITHUB_REPOSITORY=REPOSITORY)
        self.remote, self.repo = self.folder / "remote.git", self.folder / "repo"

    def sh(self, *words, folder=None):
        done = subprocess.run(words, cwd=folder or self.repo, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"event_table: {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def start(self):
        self.sh("git", "init", "-q", "--bare", "--initial-branch=master", str(self.remote), folder=self.folder)
        self.sh("git", "clone", "-q", str(self.remote), str(self.repo), folder=self.folder)
        self.sh("git", "symbolic-ref", "HEAD", "refs/heads/master")
        self.sh("git", "remote", "set-url", "origin", f"https://github.com/{REPOSITORY}.git")
        self.sh("git", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/master")
        self.sh("pawl", "init", "--example", "minimal", "--forge", "github", "bench")
        self.sh("git", "remote", "set-url", "origin", str(self.remote))
        self.suite = self.repo / "bench/pawl.yaml"
        self.suite.write_text(SUITE)
        self.base = self.change("master", KERNEL)
        self.forge.merge_base = self.base

    def change(self, branch, *files):
        """A commit that adds a comment to each of the files."""
        self.sh("git", "checkout", "-q", "-B", branch)
        for name in files:
            path = self.repo / name
            path.write_text((path.read_text() if path.exists() else "") + f"// {self.runs} {branch}\n")
        self.sh("git", "add", "-A")
        self.sh("git", "commit", "-q", "--allow-empty", "-m", f"Change {branch}")
        self.sh("git", "push", "-q", "-f", "origin", f"{branch}:{branch}")
        return self.sh("git", "rev-parse", "HEAD")

    def pull(self, number, sha, action="synchronize", head=REPOSITORY, label=None, labels=()):
        event = pull_request_event(number, sha, head)
        event["action"], event["ref"] = action, "refs/heads/"
        event["repository"]["default_branch"] = "master"
        event["pull_request"]["base"].update(sha=self.base, ref="master")
        event["pull_request"]["labels"] = [{"name": name} for name in labels]
        if label:
            event["label"] = {"name": label}
        pulls = [p for p in self.forge.pulls if p["number"] != number]
        self.forge.pulls = [*pulls, {"number": number, "state": "open", "head": event["pull_request"]["head"]}]
        return event

    def workflow(self, name, variables):
        return Workflow(self.repo / ".github/workflows" / name, self.folder / "runner", str(self.remote),
                        self.environment, TOKEN, {**OURS, **(variables or {})})

    def play(self, event_name, event, sha, changed, variables=None, run_id=None, approved=True, **how):
        """Whether the event measures, and what the workflow after the workflow then does. None: it starts no run."""
        workflow = self.workflow("pawl.yml", variables)
        self.forge.files = list(changed)
        if not workflow.starts(event_name, event, changed):
            return None
        if run_id is None:
            self.runs += 1
            run_id = self.runs
        ref = f"refs/pull/{event['number']}/merge" if event_name == "pull_request" else event["ref"]
        self.group = workflow.group(event_name, event, ref, sha, run_id)
        results = {}
        if approved:
            results = workflow.run(event_name, event, ref, sha, run_id, self.folder / f"artifacts-{run_id}", **how)
            if self.verbose:
                print(*workflow.log, sep="\n")
        states = set(results.values())
        conclusion = ("action_required" if not approved else "cancelled" if "cancelled" in states else
                      "failure" if "failure" in states else "success")
        self.called = workflow.called.get("measure", {})
        self.after(event_name, event, sha, run_id, conclusion, variables, how.get("attempt", 1))
        return results.get("measure")

    def after(self, event_name, event, sha, run_id, conclusion, variables, attempt, wanted="success"):
        head = event.get("pull_request", {}).get("head", {}).get("repo", {}).get("full_name", REPOSITORY)
        run = workflow_run_event(sha, head, "faster")
        run["action"] = "completed"
        run["workflow_run"].update(id=run_id, run_attempt=attempt, event=event_name, conclusion=conclusion)
        results = self.workflow("pawl-report.yml", variables).run(
            "workflow_run", run, "refs/heads/master", self.base, run_id, self.folder / f"artifacts-{run_id}")
        self.expect("the workflow after the workflow", results["report"], wanted)

    def expect(self, what, found, wanted):
        self.rows += 1
        if found != wanted:
            self.faults += 1
        print(f"  {'ok  ' if found == wanted else 'FAIL'} {what}: {found}{'' if found == wanted else f', not {wanted}'}")

    def checks(self, sha):
        return [run.get("conclusion", "open") for run in self.forge.check_runs.values() if run["head_sha"] == sha]

    def comments(self, number):
        return len(self.forge.comments.get(number, []))


SUITE = """version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}
cases:
  small: {operator: scale, n: 20000, dtype: f32}
check:
  scale: {n: [1, 1000]}
measure: {warmup: 2, samples: 20, processes: 2, cache: warm}
gate: {tolerate: 5%, detect: 30%, improve: 20%, max_blocks: 30, busy: count}
"""


CALL = """    needs: plan
    if: needs.plan.outputs.measure == 'true'
"""


GPU_SUITE = """version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  rows: {operator: scale, device: cuda, sources: [kernels/rows.c], flags: [-O1]}
cases:
  small: {operator: scale, n: 20000, dtype: f32}
check:
  scale: {n: [1, 1000]}
"""
PROVES = {"PAWL_CODE_RUNNER": '"nvcc"', "PAWL_SHARDS": "2"}


def proofs(t):
    """A suite of the GPU, on machines without one: `prove` decides whether the machine with the GPU starts. A C file stands for a
    kernel's source, so that the machine needs no nvcc."""
    print("== machine code without a GPU")
    t.sh("git", "checkout", "-q", "-B", "master", t.base)
    bench, measured = t.repo / "bench", t.base
    rows, t.environment["PAWL_CUDA_LIBRARY"] = bench / "kernels/rows.c", "/none/libcuda.so.1"
    t.suite.write_text(GPU_SUITE)
    plain = (bench / "kernels/scale_cpu.c").read_text().replace("PAWL_CPU", "PAWL_CUDA").replace('"scale_cpu"', '"rows"')
    rows.write_text(plain)
    anchor = t.change("master")
    entry = {"kernel_name": "rows", "case_name": "small", "hardware": "NVIDIA H200", "config": {"n": 20000, "dtype": "f32"},
             "median_ms": 0.05, "ci_95_low": 0.04, "ci_95_high": 0.06, "git_commit": anchor, "timestamp": "2026-11-29T10:00:00Z",
             "code": {"arch": "sm_90a", "registers": 40}}
    (bench / "perf").mkdir(exist_ok=True)
    (bench / "perf/baseline.json").write_text(json.dumps({"schema_version": 1, "moves": [], "entries": [entry]}))
    t.base = t.forge.merge_base = t.change("master")

    def expect(what, number, measures, check, change=lambda: None, lost=(), variables=PROVES):
        t.sh("git", "checkout", "-q", "-f", "-B", "topic", t.base)
        change()
        sha = t.change("topic")
        t.play("pull_request", t.pull(number, sha, "opened"), sha, ["bench/kernels/rows.c"], variables, lost=lost)
        t.expect(f"{what}: the GPU", t.called["measure"], measures)
        t.expect("the check", t.checks(sha), [check])

    def change(old, new, path=rows):
        def edit():
            text = path.read_text()
            assert old in text
            path.write_text(text.replace(old, new))
        return edit

    def judge_itself():
        change("2 * x[i]", "2 * x[i] * x[i]")()
        itself = t.change("topic")
        change(anchor, itself, bench / "perf/baseline.json")()

    expect("a comment", 11, "skipped", "success", change("2 * x[i]", "2 /* twice */ * x[i]"))
    t.expect("its comment", "MAINTAINED" in t.forge.comments[11][0]["body"], True)
    expect("no machine that proves", 12, "success", "success", variables={})
    expect("the machine that proves dies", 21, "success", "success", change("2 * x[i]", "2 /* once more */ * x[i]"), lost=["prove"])
    expect("other machine code", 13, "failure", "action_required", change("2 * x[i]", "2 * x[i] * x[i]"))
    expect("the suite no longer has the kernel", 14, "failure", "failure", change("  rows: {", "  columns: {", t.suite))
    expect("a kernel that may be left out", 15, "skipped", "success", change("device: cuda,", "device: cuda, optional: true,", t.suite))
    expect("a second kernel, of the CPU", 16, "success", "success", change("  rows: {", "  scale_cpu: {operator: scale, device: cpu, "
           "sources: [kernels/scale_cpu.c]}\n  rows: {", t.suite))
    expect("a baseline without the entry", 17, "skipped", "success", change(f'[{json.dumps(entry)}]', "[]", bench / "perf/baseline.json"))
    expect("a baseline whose base is the change itself", 18, "failure", "action_required", judge_itself)
    expect("another matrix, which judges after the merge", 19, "skipped", "success", change("n: [1, 1000]", "n: [1, 1000, 2000]", t.suite))
    expect("a build that fails", 20, "failure", "failure", change("#include", "#error no\n#include"))
    del t.environment["PAWL_CUDA_LIBRARY"]
    t.sh("git", "checkout", "-q", "-f", "-B", "master", measured)
    t.sh("git", "push", "-q", "-f", "origin", "master:master")
    t.base = t.forge.merge_base = measured


def hostile(t):
    print("== a hostile fork: its own workflow file")
    t.sh("git", "checkout", "-q", "-B", "hostile", t.base)
    workflows, mark = t.repo / ".github/workflows", t.folder / "taken-over"
    text = (workflows / "pawl.yml").read_text()
    assert CALL in text
    (workflows / "pawl.yml").write_text(text.replace(CALL, "").replace("${{ needs.plan.outputs.shards }}", "'[1]'"))
    steps = (workflows / "pawl-measure.yml").read_text()
    (workflows / "pawl-measure.yml").write_text(steps.replace("run: pawl ci measure", f"run: touch {mark}; pawl ci measure"))
    sha = t.change("hostile", KERNEL)
    body = t.pull(3, sha, "opened", FORK)
    t.expect("without plan, on a machine of ours: refused", t.play("pull_request", body, sha, [KERNEL]), "failure")
    t.expect("its steps did not run", mark.exists(), False)
    t.expect("the check", t.checks(sha), ["failure"])

    print("== a hostile fork: its own artifact and verdict")
    for claim in ("improvement", "maintained"):
        sha = t.change("hostile", KERNEL)
        t.pull(3, sha, "synchronize", FORK)
        t.runs += 1
        part = t.folder / f"artifacts-{t.runs}/pawl-1-1"
        shutil.copytree(t.measured, part)
        for name in ("verdict.json", "results.json"):
            document = json.loads((part / name).read_text())
            document["commit"] = sha
            if name == "verdict.json":
                counted = {"improvement": "improvements"}.get(claim, claim)
                document.update(verdict=claim, failed=False)
                document["totals"].update(dict.fromkeys(document["totals"], 0), configurations=1, **{counted: 1})
                document["comparisons"][0].update(verdict=claim, baseline_time_ms=2.0, current_time_ms=1.0, paired=None)
            (part / name).write_text(json.dumps(document))
        t.after("pull_request", t.pull(3, sha, "synchronize", FORK), sha, t.runs, "success", HOSTED, 1, wanted="failure")
        t.expect(f"'{claim}' without blocks: the check", t.checks(sha), ["failure"])
        t.expect("comments", t.comments(3), 0)
    t.sh("git", "checkout", "-q", "-f", "master")


def play(t):
    t.start()
    push = {"ref": "refs/heads/master", "repository": {"full_name": REPOSITORY, "default_branch": "master"}}
    print("== a push to the default branch")
    t.expect("measures", t.play("push", push, t.base, [KERNEL]), "success")
    t.expect("the check", t.checks(t.base), ["success"])
    t.sh("git", "fetch", "-q", "origin")
    t.expect("the baseline's commit", t.sh("git", "diff", "--name-only", t.base, "origin/master"), "bench/perf/baseline.json")
    t.expect("which starts no run", t.play("push", push, t.base, ["bench/perf/baseline.json"]), None)
    t.expect("a change of something else", t.play("push", push, t.base, [OTHER]), None)
    t.expect("another branch", t.play("push", {**push, "ref": "refs/heads/topic"}, t.base, [KERNEL]), None)
    t.sh("git", "reset", "-q", "--hard", "origin/master")
    t.base = t.forge.merge_base = t.sh("git", "rev-parse", "HEAD")

    print("== a pull request of ours")
    first = t.change("faster", KERNEL)
    for action, count in (("opened", 1), ("reopened", 2)):
        t.expect(f"{action}: measures", t.play("pull_request", t.pull(1, first, action), first, [KERNEL]), "success")
        t.expect("the check", t.checks(first), ["success"] * count)
        t.expect("comments", t.comments(1), 1)
    other = t.change("other", OTHER)
    t.expect("a change of something else", t.play("pull_request", t.pull(4, other, "opened"), other, [OTHER]), "skipped")
    t.expect("closes the check", (t.checks(other), t.comments(4)), (["success"], 0))
    t.expect("the baseline alone: measures", t.play("pull_request", t.pull(4, other), other, ["bench/perf/baseline.json"]), "success")
    other = t.change("other", OTHER)
    body = t.pull(4, other, "opened", FORK)
    t.expect("of a fork", t.play("pull_request", body, other, [OTHER], HOSTED), "skipped")
    t.expect("closes the check", (t.checks(other), t.comments(4)), (["success"], 1))
    t.expect("a new header beside a source: measures",
             t.play("pull_request", t.pull(4, other), other, [{"filename": "bench/kernels/new.h", "status": "added"}]), "success")
    t.expect("a merge queue: measures", t.play("merge_group", {
        "action": "checks_requested", "ref": "refs/heads/gh-readonly-queue/master/pr-1", "repository": push["repository"],
        "merge_group": {"head_sha": first, "base_sha": t.base}}, first, [KERNEL]), "success")
    t.expect("of something else", t.play("merge_group", {
        "action": "checks_requested", "ref": "refs/heads/gh-readonly-queue/master/pr-1", "repository": push["repository"],
        "merge_group": {"head_sha": first, "base_sha": t.base}}, first, [OTHER]), "skipped")
    t.forge.check_runs = {key: run for key, run in t.forge.check_runs.items() if run["head_sha"] != first}
    t.play("pull_request", t.pull(1, first), first, [KERNEL])
    t.play("pull_request", t.pull(1, first), first, [KERNEL])
    t.expect("run again: measures", t.play("pull_request", t.pull(1, first), first, [KERNEL], run_id=t.runs, attempt=2), "success")
    t.expect("a check for each attempt", t.checks(first), ["success"] * 3)
    t.expect("comments", t.comments(1), 1)
    t.expect("closed", t.play("pull_request", t.pull(1, first, "closed"), first, [KERNEL]), None)

    print("== labels")
    body = t.pull(1, first, "labeled", label="docs", labels=["docs"])
    t.expect("a label: measures nothing", t.play("pull_request", body, first, [KERNEL]), "skipped")
    label_group = t.group
    t.expect("opens nothing", t.checks(first), ["success"] * 3)
    t.play("pull_request", t.pull(1, first), first, [KERNEL])
    t.expect("and cancels nothing", label_group[0] != t.group[0], True)
    body = t.pull(1, first, "labeled", label="benchmark", labels=["benchmark"])
    t.expect("benchmark, not needed", t.play("pull_request", body, first, [KERNEL]), "skipped")
    t.expect("cancels nothing", t.group[0] in ("pawl-1", "pawl-refs/pull/1/merge"), False)
    unasked = t.change("unasked", KERNEL)
    t.expect("a push without the label", t.play("pull_request", t.pull(5, unasked), unasked, [KERNEL], LABELED), "skipped")
    t.expect("closes the check", t.checks(unasked), ["neutral"])
    t.sh("git", "checkout", "-q", "faster")
    t.expect("benchmark, needed: measures", t.play("pull_request", body, first, [KERNEL], LABELED), "success")
    t.expect("in the group of the pushes", t.group, ("pawl-1", True))
    t.expect("comments", t.comments(1), 1)

    print("== two pushes in a minute")
    older = t.change("faster", KERNEL)
    result = t.play("pull_request", t.pull(1, older), older, [KERNEL], cancelled_after="plan")
    before = t.group
    newer = t.change("faster", KERNEL)
    t.expect("the newer: measures", t.play("pull_request", t.pull(1, newer), newer, [KERNEL]), "success")
    t.expect("in the older one's group", (before, t.group), (("pawl-1", True),) * 2)
    t.expect("the older", result, "cancelled")
    t.expect("the checks", (t.checks(older), t.checks(newer)), (["cancelled"], ["success"]))
    t.expect("comments", t.comments(1), 1)

    print("== the run of an older commit, once more")
    before = t.forge.comments[1][0]["body"]
    body = t.pull(1, older)
    t.pull(1, newer)
    t.expect("measures", t.play("pull_request", body, older, [KERNEL]), "success")
    t.expect("the comment stays", t.forge.comments[1][0]["body"] == before, True)

    print("== cancelled, and a machine that dies")
    sha = t.change("faster", KERNEL)
    t.expect("cancelled while measuring", t.play("pull_request", t.pull(1, sha), sha, [KERNEL], cancelled_after="measure"), "success")
    t.expect("the check", t.checks(sha), ["cancelled"])
    sha = t.change("faster", KERNEL)
    t.expect("its machine dies", t.play("pull_request", t.pull(1, sha), sha, [KERNEL], lost=["measure"]), "failure")
    t.expect("the check", t.checks(sha), ["failure"])
    t.expect("the comment says so", "NO VERDICT" in t.forge.comments[1][0]["body"], True)
    sha = t.change("faster", KERNEL)
    t.expect("all its machines die", t.play("pull_request", t.pull(1, sha), sha, [KERNEL], lost=["measure", "report"]), "failure")
    t.expect("the check", t.checks(sha), ["failure"])
    t.expect("comments", t.comments(1), 1)

    print("== forks")
    sha = t.change("fork", KERNEL)
    body = t.pull(2, sha, "opened", FORK)
    t.expect("the first time, not approved", t.play("pull_request", body, sha, [KERNEL], HOSTED, approved=False), None)
    t.expect("leaves nothing", (t.checks(sha), t.comments(2)), ([], 0))
    t.expect("on a machine of ours", t.play("pull_request", body, sha, [KERNEL]), "skipped")
    t.expect("the check", t.checks(sha), ["failure"])
    sha = t.change("fork", KERNEL)
    body = t.pull(2, sha, "synchronize", FORK)
    t.expect("again, on a hosted one: measures", t.play("pull_request", body, sha, [KERNEL], HOSTED), "success")
    t.measured = t.folder / f"artifacts-{t.runs}/pawl-1-1"
    t.expect("never green", (t.checks(sha), t.comments(2)), (["action_required"], 1))
    again = t.change("fork", KERNEL)
    body = t.pull(2, again, "labeled", FORK, label="docs")
    t.expect("a label: measures nothing", t.play("pull_request", body, again, [KERNEL], HOSTED), "skipped")
    t.expect("leaves nothing", (t.checks(again), t.comments(2)), ([], 1))

    hostile(t)
    proofs(t)

    print("== a merge")
    t.sh("git", "checkout", "-q", "-B", "master", t.base)
    t.sh("git", "merge", "-q", "--no-ff", "-m", "Merge", "faster")
    t.sh("git", "push", "-q", "-f", "origin", "master:master")
    merged = t.sh("git", "rev-parse", "HEAD")
    t.expect("measures", t.play("push", push, merged, [KERNEL]), "success")
    t.expect("in a group of its own, which cancels nothing", t.group, (f"pawl-{merged}", False))
    t.expect("the check", t.checks(merged), ["success"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    staged.add_home(parser)
    parser.add_argument("-v", action="store_true", dest="verbose")
    arguments = parser.parse_args()
    with staged.home(arguments) as home, tempfile.TemporaryDirectory(prefix="pawl-events-", ignore_cleanup_errors=True) as folder:
        table = Table(home, folder, arguments.verbose)
        play(table)
        table.forge.close()
    print(f"{table.rows} outcomes, {table.faults} faults")
    return 1 if table.faults else 0


if __name__ == "__main__":
    sys.exit(main())
