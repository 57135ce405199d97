# SPDX-License-Identifier: Apache-2.0
"""A job on the fake code host: its environment, its event, the output of a run, and pawl called in it."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import sample_results  # noqa: E402
import staged  # noqa: E402
from fake_forge import TOKEN, Forge  # noqa: E402

DATA = sample_results.folder()
SHA = "4f3a" * 10
REPOSITORY = "owner/kernels"
STEADY = "version: 1\ngate: {between_runs: 1%, max_blocks: 60}\n"
OFFICIAL = None  # the server made of GitHub's description that stands before the fake code host: see official.py


def pull_request_event(number=7, sha=SHA, head=REPOSITORY):
    return {"action": "synchronize", "number": number, "repository": {"full_name": REPOSITORY, "default_branch": "main"},
            "pull_request": {"number": number, "head": {"sha": sha, "ref": "faster", "repo": {
                "full_name": head, "owner": {"login": head.split("/")[0]}}}, "base": {"ref": "main"}}}


def workflow_run_event(sha=SHA, head="stranger/kernels", branch="faster"):
    return {"repository": {"full_name": REPOSITORY, "default_branch": "main"},
            "workflow_run": {"id": 55, "run_attempt": 2, "event": "pull_request", "head_sha": sha,
                             "head_branch": branch, "pull_requests": [],
                             "head_repository": {"full_name": head, "owner": {"login": head.split("/")[0]}}}}


class Job:
    def __init__(self, home, folder, forge):
        self.home, self.folder, self.forge = home, pathlib.Path(folder), forge
        self.work = self.folder / "work"
        (self.work / "perf/out").mkdir(parents=True)
        self.environment = staged.environment(home, self.folder / "home")
        before = OFFICIAL and not forge.forgejo
        url = f"{OFFICIAL}/u/{forge.server.server_port}" if before else forge.url
        self.environment.update(GITHUB_API_URL=url, GITHUB_SERVER_URL="https://github.example",
                                GITHUB_REPOSITORY=REPOSITORY, GITHUB_TOKEN=TOKEN, GITHUB_RUN_ID="123",
                                GITHUB_RUN_ATTEMPT="1", GITHUB_STEP_SUMMARY=str(self.folder / "summary.md"))
        self.event("pull_request", pull_request_event())

    def event(self, name, event):
        path = self.folder / "event.json"
        path.write_text(json.dumps(event))
        self.environment.update(GITHUB_EVENT_NAME=name, GITHUB_EVENT_PATH=str(path))

    def pawl(self, *words, **changes):
        environment = {**self.environment, **{k: v for k, v in changes.items() if v is not None}}
        for name in [k for k, v in changes.items() if v is None]:
            environment.pop(name, None)
        done = subprocess.run(["pawl", *words], cwd=self.work, env=environment, capture_output=True, text=True,
                              timeout=120)
        for stream in (done.stdout, done.stderr):
            assert TOKEN not in stream, f"the token leaks: {stream}"
        return done

    def ci(self, *words, expect=0, **changes):
        done = self.pawl("ci", *words, **changes)
        assert done.returncode == expect, f"ci {words}: {done.returncode}, not {expect}\n{done.stdout}{done.stderr}"
        return done

    def plan(self, **changes):
        return self.ci("plan", **changes)

    def report(self, *words, **changes):
        return self.ci("report", *words, **changes)

    def measured(self, candidate, base="base.json", commit=SHA):
        """perf/out as a run of `candidate` against `base` leaves it."""
        self.base(base)
        return self.judged(json.loads((DATA / candidate).read_text()), commit)

    def many(self, count, more="", slower=None):
        """The same for one kernel on `count` cases, all of them or those of `slower` slower."""
        names = [f"case_{i}{more}" for i in range(count)]
        documents = [json.loads((DATA / name).read_text()) for name in ("base.json", "slower.json", "base.json")]
        before, loss, same = (document["results"][0] for document in documents)
        for document, row in zip(documents, (before, loss)):
            rows = [row if slower is None or i in slower else same for i in range(count)]
            document["results"] = [{**row, "case": name} for name, row in zip(names, rows)]
        self.base(text=json.dumps(documents[0]))
        return self.judged(documents[1])

    def judged(self, results, commit=SHA):
        """perf/out with these results, and with what pawl says of them beside the baseline."""
        results["commit"] = commit
        (self.work / "perf/out/results.json").write_text(json.dumps(results))
        steady = self.folder / "steady.yaml"  # two runs of the same code lie less than 1 % apart: changes are called
        steady.write_text(STEADY)
        done = self.pawl("-f", str(steady), "--json", "ratchet", "perf/out/results.json", "--baseline", "perf/baseline.json")
        verdict = json.loads(done.stdout)
        verdict["commit"] = commit
        self.write(verdict)
        return verdict

    def base(self, base="base.json", suite="", text=None):
        """The checkout of the job that posts: the suite and the baseline of the base."""
        if suite or not (self.work / "pawl.yaml").exists():
            (self.work / "pawl.yaml").write_text(STEADY + suite)
        (self.work / "perf/baseline.json").write_text(text or (DATA / base).read_text())

    def write(self, verdict):
        text = verdict if isinstance(verdict, str) else json.dumps(verdict)
        (self.work / "perf/out/verdict.json").write_text(text)

    def sent(self, method, path=""):
        return [r for r in self.forge.requests if r["method"] == method and path in r["path"]]


@contextlib.contextmanager
def job(home, forgejo=False):
    forge = Forge(forgejo)
    with tempfile.TemporaryDirectory(prefix="pawl-forge-") as folder:
        try:
            yield Job(home, folder, forge)
        finally:
            forge.close()
