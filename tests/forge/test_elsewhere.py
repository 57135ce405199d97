# SPDX-License-Identifier: Apache-2.0
"""Every step of the workflows for GitLab and Forgejo, on machines without pawl: init pins a release bundle, and the steps
install it, measure for real, post to the fake code host and commit the baseline. Changes touch only a comment, so that
no time decides."""

import copy
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import staged
import yaml
from fake_forge import TOKEN, Forge
from job import REPOSITORY, pull_request_event
from release_page import release_page
from test_install import NAME, bundle
from workflow import Workflow

HOME = None
SUITE = """version: 1
operators: {scale: {sources: [operators/scale.c]}}
kernels: {scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}}
cases: {small: {operator: scale, n: 20000, dtype: f32}}
check: {scale: {n: [1, 1000]}}
measure: {warmup: 2, samples: 20, processes: 2, cache: warm}
"""


class Pipeline:
    """A pipeline of GitLab: its jobs in order, with their rules, variables, artifacts and scripts. Only what the template
    uses; anything else is an error."""

    KEYS = {"stage", "tags", "rules", "variables", "before_script", "script", "artifacts", "environment", "needs", "interruptible", "image"}

    def __init__(self, path, folder, remote, environment, token):
        main = yaml.safe_load(path.read_text())
        (included,) = main.pop("include")
        document = {**yaml.safe_load((path.parent / included["local"]).read_text()), **main}
        self.stages, self.folder, self.remote, self.token = document.pop("stages"), folder, str(remote), token
        self.environment, self.log, self.jobs = environment, [], {}
        hidden = {name: document.pop(name) for name in list(document) if name.startswith(".")}
        for name, job in document.items():
            base = copy.deepcopy(hidden.get(job.pop("extends", None), {"before_script": []}))
            self.jobs[name] = {**base, **job}
            if not set(self.jobs[name]) <= self.KEYS:
                raise ValueError(f"{name} has {set(self.jobs[name]) - self.KEYS}")

    @staticmethod
    def holds(condition, variables):
        def value(word):
            return variables.get(word[1:], "") if word.startswith("$") else json.loads(word)
        sides = [part.split(" == ") for part in condition.split(" && ")]
        return all(value(left) == value(right) for left, right in sides)

    def run(self, variables, changed=True):
        """{job: success | failed | skipped}; a job that no rule adds is absent. changed: a file of `changes` differs."""
        results, kept = {}, {}
        for name, job in sorted(self.jobs.items(), key=lambda item: self.stages.index(item[1]["stage"])):
            rule = next((rule for rule in job["rules"] if (changed or "changes" not in rule) and self.holds(rule["if"], variables)), None)
            if not rule or rule.get("when") == "never":
                continue
            if rule.get("when") != "always" and any(results.get(need["job"]) == "failed" for need in job.get("needs", [])):
                results[name] = "skipped"
                continue
            results[name] = "success" if self.run_job(name, job, variables, kept) == 0 else "failed"
        return results

    def run_job(self, name, job, variables, kept):
        work = self.folder / f"{name.replace(' ', '-')}" / "project"
        shutil.rmtree(work.parent, ignore_errors=True)
        environment = {**self.environment, **variables, **job["variables"], "CI_PROJECT_DIR": str(work)}
        if job.get("environment", {}).get("name") == "pawl-report":  # the scope of the variable
            environment["GITLAB_TOKEN"] = self.token
        for words in (["git", "clone", "-q", self.remote, str(work)], ["git", "-C", str(work), "checkout", "-q", "--detach", variables["CI_COMMIT_SHA"]]):
            subprocess.run(words, env=environment, check=True, capture_output=True)
        for need in job.get("needs", []):
            for path, source in kept.get(need["job"], {}).items():
                shutil.copytree(source, work / path, dirs_exist_ok=True)
        script = "\n".join([*job["before_script"], *job["script"]])
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=work, env=environment, capture_output=True, text=True)
        self.log.append(f"--- {name} ({done.returncode})\n{done.stdout}{done.stderr}")
        artifacts = job.get("artifacts", {})
        kept[name] = {path: work / path for path in artifacts.get("paths", []) if (work / path).exists()}
        junit = artifacts.get("reports", {}).get("junit")
        if kept[name] and junit and not (work / junit).exists():
            raise ValueError(f"{name} leaves no {junit}")
        return done.returncode


class Elsewhere(unittest.TestCase):
    def start(self, kind, forgejo=False):
        """A repository with a suite in `bench`, workflows that pin a bundle, and a bare remote; a machine without pawl."""
        scratch = tempfile.TemporaryDirectory(prefix=f"pawl-{kind}-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.forge = Forge(forgejo)
        self.forge.login = "pawl-bot"
        self.addCleanup(self.forge.close)
        self.environment = staged.environment(HOME, self.folder / "home")
        self.environment.pop("SOURCE_DATE_EPOCH")
        self.repo, self.remote = self.folder / "repo", self.folder / "remote.git"
        release = bundle(text=f'#!/bin/sh\nexec "{HOME}/bin/pawl" "$@"\n'.encode())
        files = {NAME: release, "SHA256SUMS": f"{hashlib.sha256(release).hexdigest()}  {NAME}\n".encode()}
        page = release_page(self.folder, files)
        address, certificate = page.__enter__()
        self.addCleanup(page.__exit__, None, None, None)
        self.sh("git", "init", "-q", "--bare", "--initial-branch=main", str(self.remote), folder=self.folder)
        self.sh("git", "init", "-q", "--initial-branch=main", str(self.repo), folder=self.folder)
        self.sh("git", "remote", "add", "origin", str(self.remote))
        self.sh("pawl", "init", "--example", "minimal", "--forge", kind, "--bundle", f"{address}/{NAME}", "--ca-file", certificate, "bench")
        (self.repo / "bench/pawl.yaml").write_text(SUITE)
        self.environment.update(PATH="/usr/bin:/bin", SSL_CERT_FILE=certificate)
        self.files = files
        return self.commit("main")

    def sh(self, *words, folder=None):
        done = subprocess.run(words, cwd=folder or self.repo, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def commit(self, branch):
        self.sh("git", "checkout", "-q", "-B", branch)
        with open(self.repo / "bench/kernels/scale_cpu.c", "a") as file:
            file.write(f"// {branch}\n")
        self.sh("git", "add", "-A")
        self.sh("git", "commit", "-q", "-m", f"Change {branch}")
        self.sh("git", "push", "-q", "-f", "origin", f"{branch}:{branch}")
        return self.sh("git", "rev-parse", "HEAD")

    def expect_the_baseline(self):
        subject = self.sh("git", "log", "-1", "--format=%s", "main", folder=self.remote)
        self.assertRegex(subject, r"^perf: ratchet baseline forward.*\[skip ci\]$")
        self.assertEqual(self.sh("git", "show", "--format=", "--name-only", "main", folder=self.remote), "bench/perf/baseline.json")
        self.sh("git", "pull", "-q", "--ff-only", "origin", "main")

    def test_the_pipeline_of_gitlab_step_by_step(self):
        sha = self.start("gitlab")
        pipeline = Pipeline(self.repo / ".gitlab-ci.yml", self.folder / "builds", self.remote, self.environment, TOKEN)
        server = {"GITLAB_CI": "true", "CI_API_V4_URL": self.forge.url, "CI_PROJECT_ID": "12", "CI_DEFAULT_BRANCH": "main", "CI_JOB_ID": "9",
                  "CI_PROJECT_URL": "https://gitlab.example/o/k"}

        def run(sha, wanted, changed=True, **variables):
            pipeline.log.clear()
            self.assertEqual(pipeline.run({**server, "CI_COMMIT_SHA": sha, **variables}, changed), wanted, "\n".join(pipeline.log))

        def merge_request(sha, wanted, source="12", changed=True):
            run(sha, wanted, changed, CI_PIPELINE_SOURCE="merge_request_event", CI_MERGE_REQUEST_IID="3", CI_MERGE_REQUEST_PROJECT_ID="12",
                CI_MERGE_REQUEST_SOURCE_PROJECT_ID=source, CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main",
                CI_MERGE_REQUEST_DIFF_BASE_SHA=self.sh("git", "rev-parse", "origin/main"))

        push = {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "main", "CI_COMMIT_REF_NAME": "main"}
        run(sha, {"pawl": "success", "pawl report": "success", "pawl baseline": "success"}, **push)
        self.expect_the_baseline()
        self.assertEqual([s["state"] for s in self.forge.statuses], ["success"])
        sha = self.commit("faster")
        merge_request(sha, {"pawl": "success", "pawl report": "success"})
        self.assertEqual(len(self.forge.notes), 1)
        merge_request(sha, {"pawl unchanged": "success"}, changed=False)  # "Pipelines must succeed" needs a pipeline
        run(sha, {}, changed=False, **push)
        merge_request(sha, {"pawl": "failed"}, source="99")  # a fork
        self.assertIn("fork", pipeline.log[-1])
        self.files[NAME] += b"."  # somebody replaces the release
        merge_request(sha, {"pawl": "failed", "pawl report": "failed"})
        self.assertIn("has the SHA-256", pipeline.log[0])
        self.assertNotIn(TOKEN, "".join(pipeline.log))

    def test_the_workflow_of_forgejo_step_by_step(self):
        sha = self.start("forgejo", forgejo=True)
        server = {**self.environment, "GITHUB_API_URL": self.forge.url, "GITHUB_SERVER_URL": "https://forgejo.example", "GITHUB_REPOSITORY": REPOSITORY}

        def run(event_name, event, ref, sha, wanted, variables=None):
            (self.folder / "runner").mkdir(exist_ok=True)
            workflow = Workflow(self.repo / ".forgejo/workflows/pawl.yml", self.folder / "runner", str(self.remote), server, TOKEN, variables)
            results = workflow.run(event_name, event, ref, sha, os.urandom(4).hex(), self.folder / f"artifacts-{sha}-{event_name}")
            self.assertEqual(results, wanted, "\n".join(workflow.log))
            for job, step, environment in workflow.commands:
                if job in ("measure", "prove"):
                    self.assertNotIn(TOKEN, str(environment), step)
            return "\n".join(workflow.log)

        event = {"repository": {"full_name": REPOSITORY, "default_branch": "main"}}
        good = {**dict.fromkeys(("plan", "measure", "report"), "success"), "prove": "skipped"}
        run("push", event, "refs/heads/main", sha, {**good, "baseline": "success"})
        self.expect_the_baseline()
        sha, base = self.commit("faster"), self.sh("git", "rev-parse", "main")

        def pull_request(wanted, head=REPOSITORY, variables=None):
            event = pull_request_event(7, sha, head)
            event["action"] = "synchronize"
            event["pull_request"]["base"]["sha"], event["pull_request"]["labels"] = base, []
            return run("pull_request", event, "refs/pull/7/head", sha, wanted, variables)

        pull_request({**good, "baseline": "skipped"})
        self.assertEqual(len(self.forge.comments[7]), 1)
        apart = {"PAWL_CODE_RUNNER": '"nvcc"'}  # no machine code proves a kernel of the CPU
        self.assertIn("measure this change: ", pull_request({**good, "prove": "success", "baseline": "skipped"}, variables=apart))
        refused = {"plan": "failure", "prove": "skipped", "measure": "skipped", "report": "skipped", "baseline": "skipped"}
        self.assertIn("fork", pull_request(refused, head="stranger/kernels"))
        self.files[NAME] += b"."  # somebody replaces the release
        self.assertIn("has the SHA-256", pull_request(refused))
