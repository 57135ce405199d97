# SPDX-License-Identifier: Apache-2.0
"""`pawl ci measure`: what a machine that measures may hold, and how it confines code."""

import json
import subprocess
import unittest

from fake_forge import TOKEN
from job import REPOSITORY, job
from test_ci import FORK, event

HOME = None


class Measure(unittest.TestCase):
    def test_a_machine_that_measures_holds_no_token(self):
        with job(HOME) as j:
            for name in ("GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN"):
                tokens = {"GITHUB_TOKEN": None, "GH_TOKEN": None, "GITLAB_TOKEN": None, name: TOKEN}
                done = j.pawl("ci", "measure", **tokens)
                self.assertEqual((done.returncode, name in done.stderr), (77, True), done.stderr)
            subprocess.run(["git", "init", "-q", "."], cwd=j.work, check=True)
            subprocess.run(["git", "config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic x"],
                           cwd=j.work, check=True)
            done = j.pawl("ci", "measure", GITHUB_TOKEN=None)
            self.assertEqual(done.returncode, 77)
            self.assertIn("persist-credentials: false", done.stderr)
            subprocess.run(["git", "config", "--unset", "http.https://github.com/.extraheader"], cwd=j.work, check=True)
            (j.folder / "home").mkdir(exist_ok=True)
            (j.folder / "home/.netrc").write_text(f"machine host.example login x password {TOKEN}\n")
            done = j.pawl("ci", "measure", GITHUB_TOKEN=None, HOME=str(j.folder / "home"))
            self.assertEqual((done.returncode, ".netrc" in done.stderr), (77, True), done.stderr)

    def test_a_build_is_as_confined_as_a_kernel(self):
        """A build writes nowhere but into its own folder, and leaves no process behind, also where nobody asks for it."""
        with job(HOME) as j:
            if "isolation          full" not in j.pawl("doctor", "--quick").stdout:
                self.skipTest("this machine has no full sandbox")
            home = j.folder / "home"
            home.mkdir(exist_ok=True)
            done = j.pawl("init", "--example", "minimal", str(j.folder / "suite"))
            self.assertEqual(done.returncode, 0, done.stderr)
            suite, script = j.folder / "suite/pawl.yaml", j.folder / "suite/b.sh"
            script.write_text("#!/bin/sh\necho out >$HOME/written\n(setsid sleep 300.25 >/dev/null 2>&1 &)\n"
                              "exec cc -O2 -shared -fPIC -I\"$PAWL_INCLUDE_DIR\" -o x.so kernels/scale_cpu.c\n")
            script.chmod(0o755)
            plain = suite.read_text()
            self.assertIn("sources: [kernels/scale_cpu.c]", plain)
            command = plain.replace("sources: [kernels/scale_cpu.c]", "build: {command: [./b.sh], output: x.so}")
            for text, isolation in ((plain, "required"), (command, "required"), (command, None)):
                suite.write_text(text)
                done = j.pawl("-C", str(j.folder / "suite"), "check", HOME=str(home), PAWL_ISOLATION=isolation)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual([path.name for path in home.iterdir() if path.name == "written"], [])
            self.assertFalse((j.folder / "suite/x.so").exists())
            left = subprocess.run(["pgrep", "-f", "sleep 300[.]25"], capture_output=True, text=True).stdout
            self.assertEqual(left, "", "no process of the build is left")

    def test_the_token_of_a_gitlab_job_is_out_of_reach(self):
        with job(HOME) as j:
            def git(*words):
                return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=j.work, check=True,
                                      capture_output=True, text=True).stdout.strip()
            url = f"https://gitlab-ci-token:{TOKEN}@gitlab.example/acme/kernels.git"
            (j.work / "pawl.yaml").write_text('version: 1\nkernels: {k: {device: cpu, command: [sh, show.sh], parse: plain}}\n')
            (j.work / "show.sh").write_text("env >&2; cat .git/config >&2; echo the kernel ran >&2; exit 1\n")
            git("init", "-q", "--initial-branch=main")
            git("add", "-A")
            git("commit", "-q", "-m", "Start")
            git("remote", "add", "origin", url)
            done = j.pawl("ci", "measure", GITHUB_TOKEN=None, GITHUB_ACTIONS=None, GITLAB_CI="true", CI_PROJECT_ID="5",
                          CI_API_V4_URL=j.forge.url, CI_COMMIT_SHA=git("rev-parse", "HEAD"), CI_MERGE_REQUEST_IID="3",
                          CI_MERGE_REQUEST_SOURCE_PROJECT_ID="5", CI_JOB_TOKEN=TOKEN, CI_REPOSITORY_URL=url)
            self.assertIn("the kernel ran", done.stdout + done.stderr)
            for path in (j.work / "perf/out").iterdir():
                self.assertNotIn(TOKEN.encode(), path.read_bytes(), path)
            self.assertEqual(git("remote", "get-url", "origin"), "https://gitlab.example/acme/kernels.git")

    def test_a_verdict_that_the_change_brings_along_is_removed(self):
        with job(HOME) as j:
            j.measured("faster.json")
            (j.work / "pawl.yaml").unlink()
            j.event("push", {"repository": {"default_branch": "main"}})
            done = j.pawl("ci", "measure", GITHUB_TOKEN=None)
            self.assertNotEqual(done.returncode, 0)
            self.assertFalse((j.work / "perf/out/verdict.json").exists())

    def test_the_code_of_forks_is_refused(self):
        with job(HOME) as j:
            j.event("pull_request", event(head=FORK))
            done = j.pawl("ci", "measure", GITHUB_TOKEN=None)
            self.assertEqual(done.returncode, 77)
            self.assertIn("::error", done.stdout)
            j.forge.login = "pawl-bot"
            ci = {"GITLAB_CI": "true", "CI_API_V4_URL": j.forge.url, "CI_PROJECT_ID": "12", "CI_MERGE_REQUEST_IID": "3",
                  "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "13"}
            self.assertEqual(j.pawl("ci", "measure", GITHUB_TOKEN=None, **ci).returncode, 77)


class Isolation(unittest.TestCase):
    """The suite of a fork must not decide how its code is confined."""

    def measured(self, head, **variables):
        """The isolation in results.json, for a suite that wants none; without results the output of pawl."""
        with job(HOME) as j:
            self.assertEqual(j.pawl("init", "--example", "minimal", ".").returncode, 0)
            suite = (j.work / "pawl.yaml").read_text()
            self.assertIn("measure: {", suite)
            quick = "measure: {warmup: 1, samples: 4, processes: 1, cache: warm, isolation: off}\n"
            (j.work / "pawl.yaml").write_text(suite[:suite.index("measure: {")].replace("n: 1000000", "n: 1000") + quick)
            j.event("pull_request", event(head=head))
            done = j.pawl("ci", "measure", GITHUB_TOKEN=None, PAWL_RUNNER='"ubuntu-24.04"', **variables)
            path = j.work / "perf/out/results.json"
            rows = json.loads(path.read_text())["results"] if path.exists() else []
            found = {row.get("environment", {}).get("isolation") for row in rows if row["outcome"] == "ok"}
            return "".join(found) if found else done.stdout + done.stderr

    def test_the_code_of_a_fork_is_isolated_whatever_its_suite_says(self):
        self.assertEqual(self.measured(REPOSITORY), "none")  # our own suite decides for our own code
        self.assertEqual(self.measured(FORK, PAWL_ISOLATION=""), "none")  # the owner of the machine may leave it to the suite
        fork = self.measured(FORK)
        self.assertEqual(fork, self.measured(REPOSITORY, PAWL_ISOLATION="required"))
        self.assertTrue(fork == "full" or "isolation" in fork, fork)  # full, or refused on a machine that has no sandbox

    def test_the_base_decides_for_a_pull_request(self):
        """A change moves `isolation` and names a folder outside of the repository, in a tree that is not even committed."""
        with job(HOME) as j:
            def git(*words):
                subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=j.work, check=True, capture_output=True)

            def put(old, new):
                text = (j.work / "pawl.yaml").read_text()
                self.assertIn(old, text)
                (j.work / "pawl.yaml").write_text(text.replace(old, new))

            full = "isolation          full" in j.pawl("doctor", "--quick").stdout
            self.assertEqual(j.pawl("init", "--example", "minimal", ".").returncode, 0)
            put("n: 1000000", "n: 1000")
            put("warmup: 5, samples: 60, processes: 6, cache: cold", "warmup: 1, samples: 4, processes: 1, cache: warm")
            put("n: [1, 1000, 65537]", "n: [1]")
            for words in (("init", "-q", "--initial-branch=main"), ("add", "-A"), ("commit", "-q", "-m", "Start"),
                          ("update-ref", "refs/remotes/origin/main", "HEAD"), ("checkout", "-q", "-b", "faster")):
                git(*words)
            outside = j.folder / "outside"
            outside.mkdir()
            put("cache: warm", "cache: warm, isolation: off")
            put("sources: [kernels/scale_cpu.c]", f"sources: [kernels/scale_cpu.c], include_dirs: [{outside}]")
            j.event("pull_request", event(head=REPOSITORY))
            done = j.pawl("ci", "measure", GITHUB_TOKEN=None, PAWL_RUNNER='"ubuntu-24.04"')
            self.assertIn(f"the builds of this change do not see '{outside}'", done.stdout + done.stderr)
            rows = json.loads((j.work / "perf/out/results.json").read_text())["results"]
            self.assertNotEqual({row["environment"]["isolation"] for row in rows}, {"none"})
            if full:
                self.assertEqual({row["environment"]["isolation"] for row in rows}, {"full"})
