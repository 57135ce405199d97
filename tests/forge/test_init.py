# SPDX-License-Identifier: Apache-2.0
"""The workflows of `pawl init --forge`: in which repository they run, for which changes, and what is left to do."""

import pathlib
import subprocess
import tempfile
import unittest

import staged
from release_page import release_page
import yaml
from workflow import starts

HOME = None
FILES = {"github": ".github/workflows/pawl.yml", "forgejo": ".forgejo/workflows/pawl.yml", "gitlab": ".gitlab/pawl.yml",
         "gitea": ".gitea/workflows/pawl.yml"}


class Repository:
    def __init__(self, folder, branch="main"):
        self.root = pathlib.Path(folder) / "repo"
        self.root.mkdir()
        self.environment = staged.environment(HOME, pathlib.Path(folder) / "home")
        self.git("init", "-q", f"--initial-branch={branch}")

    def git(self, *words, folder=None):
        subprocess.run(["git", *words], cwd=folder or self.root, env=self.environment, check=True, capture_output=True)

    def put(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Start")

    def init(self, *words, forge="github", expect=0):
        done = subprocess.run(["pawl", "init", "--forge", forge, *words], cwd=self.root, env=self.environment,
                              capture_output=True, text=True)
        assert done.returncode == expect, done.stdout + done.stderr
        return done.stdout if expect == 0 else done.stderr

    def events(self, forge="github"):
        document = yaml.safe_load((self.root / FILES[forge]).read_text())
        return document[True]  # `on`, which is true in YAML 1.1


SUITE = """version: 1
operators: {{scale: {{sources: [{0}operators/scale.c]}}}}
kernels: {{fast: {{operator: scale, device: {1}, sources: [{0}src/fast.c], include_dirs: [{0}include]}}}}
cases: {{small: {{operator: scale, n: 1000, dtype: f32}}}}
"""


class Layout(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="pawl-init-")
        self.addCleanup(self.scratch.cleanup)

    def repository(self, branch="main", suite="pawl.yaml", up="", device="cuda"):
        repo = Repository(self.scratch.name, branch)
        repo.put(suite, SUITE.format(up, device))
        repo.put("operators/scale.c", '#include "common.h"\n')
        repo.put("operators/common.h")
        repo.put("src/fast.c", ' #  include <simd/wide.h>\n#include <stdio.h>\n#include "a+b.h"\n')
        repo.put("src/a+b.h")
        repo.put("include/simd/wide.h", '#if 0\n#include "narrow.h"\n#endif\n')
        repo.put("include/simd/narrow.h", '#include "wide.h"\n')
        repo.put("src/other.c")
        repo.put("include/other.h")
        repo.put("README.md")
        repo.commit()
        return repo


class Init(Layout):
    measured = ["operators/scale.c", "operators/common.h", "src/fast.c", "src/a+b.h", "include/simd/wide.h",
                "include/simd/narrow.h"]
    others = ["src/other.c", "include/other.h", "README.md", "perf/baseline.json", "src/fast.c.orig", "src/aab.h"]

    def check_filters(self, events, more=("pawl.yaml",), others=()):
        self.assertNotIn("paths", events["pull_request"], "a required check would wait for ever")
        for event in ("push",):
            for name in [*self.measured, *more]:
                self.assertTrue(starts(events[event]["paths"], name), (event, name))
            for name in [*self.others, *others]:
                self.assertFalse(starts(events[event]["paths"], name), (event, name))

    def test_sources_anywhere_and_no_remote(self):
        repo = self.repository()
        words = repo.init()
        self.check_filters(repo.events())
        self.assertEqual(repo.events()["push"]["branches"], ["main"])
        self.assertIn("wrote .github/workflows/pawl.yml", words)
        self.assertIn("https://github.com/OWNER/NAME/settings/actions", words)

    def test_every_host(self):
        repo = self.repository()
        for forge in ("forgejo", "gitlab", "gitea"):
            repo.init(forge=forge)
        self.check_filters(repo.events("forgejo"))
        self.check_filters(repo.events("gitea"))
        text = (repo.root / FILES["gitea"]).read_text()
        self.assertNotIn(".forgejo/", text)
        self.assertTrue((repo.root / ".gitea/actions/pawl/install.sh").exists())
        document = yaml.safe_load((repo.root / FILES["gitlab"]).read_text())
        self.assertEqual({name.replace("\\", "") for name in document["pawl"]["rules"][0]["changes"]},
                         {*self.measured, "pawl.yaml", ".gitlab/pawl.yml"})

    def test_a_template_of_theirs_and_a_link(self):
        repo = self.repository()
        repo.put("docs/PULL_REQUEST_TEMPLATE.md", "ours\n")
        self.assertIn("kept  docs/PULL_REQUEST_TEMPLATE.md", repo.init())
        self.assertFalse((repo.root / ".github/pull_request_template.md").exists())
        other = Repository(tempfile.mkdtemp(dir=self.scratch.name))
        for name in ("pawl.yaml", "operators/scale.c", "operators/common.h", "src/fast.c", "src/a+b.h", "include/simd/wide.h"):
            other.put(name, (repo.root / name).read_text())
        elsewhere = pathlib.Path(self.scratch.name) / "elsewhere"
        elsewhere.mkdir()
        (other.root / ".github").symlink_to(elsewhere)
        self.assertIn("'.github' is a link", other.init(expect=77))
        self.assertEqual(list(elsewhere.iterdir()), [])
        (other.root / ".github").unlink()
        (other.root / ".gitlab-ci.yml").symlink_to(elsewhere / "new")
        self.assertIn("'.gitlab-ci.yml' is a link", other.init(forge="gitlab", expect=77))
        self.assertEqual(list(elsewhere.iterdir()), [])
        (elsewhere / "new").write_text("theirs: {}\n")
        self.assertIn("kept  .gitlab-ci.yml", other.init(forge="gitlab"))
        self.assertEqual((elsewhere / "new").read_text(), "theirs: {}\n")

    def test_a_sub_folder(self):
        repo = self.repository(suite="bench/pawl.yaml", up="../")
        repo.init("bench")
        self.assertFalse((repo.root / "bench/.github").exists())
        self.check_filters(repo.events(), ["bench/pawl.yaml"], ["pawl.yaml", "bench/perf/baseline.json"])
        for name in ("pawl", "pawl-report", "pawl-autotune"):
            document = yaml.safe_load((repo.root / f".github/workflows/{name}.yml").read_text())
            self.assertEqual(document["defaults"]["run"]["working-directory"], "bench")
        text = (repo.root / FILES["github"]).read_text()
        self.assertEqual(text.count("perf/out"), text.count("bench/perf/out"))
        repo.init("bench", forge="gitlab")
        document = yaml.safe_load((repo.root / FILES["gitlab"]).read_text())
        self.assertEqual(document["pawl"]["script"], ["pawl -C bench ci measure"])
        self.assertEqual(document["pawl"]["artifacts"]["paths"], ["bench/perf/out"])

    def test_init_in_five_layouts(self):
        """In each, the workflow starts for exactly what is measured, on the repository's own branch, in the suite's folder."""
        for name, branch, suite, up, existing, remote in (
                ("a sub-folder", "main", "bench/pawl.yaml", "../", (), True), ("master", "master", "pawl.yaml", "", (), True),
                ("existing files", "main", "pawl.yaml", "", (".github/workflows/ci.yml", ".github/pull_request_template.md"), True),
                ("sources in src/", "main", "pawl.yaml", "", (), True), ("no remote", "main", "pawl.yaml", "", (), False)):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                self.scratch = type("Scratch", (), {"name": folder})
                repo = self.repository(branch, suite, up)
                for path in existing:
                    repo.put(path, "ours\n")
                if remote:
                    repo.git("remote", "add", "origin", "https://github.com/o/k.git")
                    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", f"refs/remotes/origin/{branch}")
                below = str(pathlib.Path(suite).parent)
                words = repo.init(below)
                events = repo.events()
                self.check_filters(events, (suite,))
                self.assertEqual(events["push"]["branches"], [branch])
                for path in ("pawl.yml", "pawl-measure.yml"):
                    document = yaml.safe_load((repo.root / ".github/workflows" / path).read_text())
                    self.assertEqual(document["defaults"]["run"]["working-directory"], below)
                self.assertIn("The steps that are left:\n1. ", words)
                self.assertEqual({path: (repo.root / path).read_text() for path in existing}, dict.fromkeys(existing, "ours\n"))

    def test_the_branch_of_the_remote(self):
        for branch, asked in (("master", False), ("trunk", True), ("it's", False)):
            with tempfile.TemporaryDirectory() as folder:
                self.scratch = type("Scratch", (), {"name": folder})
                repo = self.repository(branch)
                bare = pathlib.Path(folder) / "bare.git"
                repo.git("clone", "-q", "--bare", str(repo.root), str(bare))
                repo.git("remote", "add", "origin", str(bare))
                if not asked:
                    repo.git("fetch", "-q", "origin")
                    repo.git("remote", "set-head", "origin", branch)  # as a clone has it
                repo.git("checkout", "-q", "-b", "topic")
                repo.init()
                self.assertEqual(repo.events()["push"]["branches"], [branch])

    def test_existing_files_are_kept_and_listed(self):
        repo = self.repository()
        repo.put(".github/pull_request_template.md", "ours\n")
        repo.put(".github/workflows/ci.yml", "name: ci\n")
        words = repo.init()
        self.assertEqual((repo.root / ".github/pull_request_template.md").read_text(), "ours\n")
        self.assertIn("kept  .github/pull_request_template.md", words)
        self.assertIn("wrote .github/workflows/pawl.yml", words)
        words = repo.init()
        self.assertNotIn("wrote", words)
        self.assertEqual(words.count("kept  "), 7)

    def test_workflows_of_others_in_the_way(self):
        repo = self.repository()
        for name, text in (("pawl.yml", "name: theirs\non: push\njobs: {}\n"), ("pawl-report.yaml", "name: theirs too\n")):
            repo.put(f".github/workflows/{name}", text)
        words = repo.init()
        for name in ("pawl.yml", "pawl-report.yaml"):
            self.assertIn(f"other .github/workflows/{name}\n", words)
        self.assertIn("wrote .github/workflows/pawl-report.yml", words)
        self.assertIn("Rename or remove them, and run init again.", words)
        self.assertEqual((repo.root / ".github/workflows/pawl.yml").read_text(), "name: theirs\non: push\njobs: {}\n")
        for name in ("pawl.yml", "pawl-report.yaml"):
            (repo.root / f".github/workflows/{name}").rename(repo.root / f".github/workflows/their-{name}")
        words = repo.init()
        self.assertIn("wrote .github/workflows/pawl.yml", words)
        self.assertNotIn("other", words)

    def test_a_pipeline_of_gitlab_that_exists_includes_the_jobs(self):
        repo = self.repository()
        step = "include: [{local: .gitlab/pawl.yml}]"
        self.assertNotIn(step, repo.init(forge="gitlab"))
        self.assertEqual(yaml.safe_load((repo.root / ".gitlab-ci.yml").read_text())["include"], [{"local": ".gitlab/pawl.yml"}])
        for text, asked in (("stages: [build]\n", True), (f"{step}\nstages: [build, measure, report]\n", False)):
            repo.put(".gitlab-ci.yml", text)
            self.assertEqual(step in repo.init(forge="gitlab"), asked)
            self.assertEqual((repo.root / ".gitlab-ci.yml").read_text(), text)

    def test_a_step_names_the_folder_again(self):
        repo = self.repository(suite="bench/pawl.yaml", up="../")
        for forge in FILES:
            self.assertIn("/pawl-x86_64.tar.gz bench\n", repo.init("bench", forge=forge))
            self.assertIn("/pawl-x86_64.tar.gz\n", repo.init("-C", "bench", forge=forge))

    def test_the_pages_of_the_settings(self):
        for address in ("git@example.org:o/k.git", "ssh://git@example.org:22/o/k.git", "https://me@example.org/o/k",
                        "https://example.org/o/k.git/"):
            with tempfile.TemporaryDirectory() as folder:
                self.scratch = type("Scratch", (), {"name": folder})
                repo = self.repository()
                repo.git("remote", "add", "origin", address)
                repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
                self.assertIn("   https://example.org/o/k/settings/actions\n", repo.init())

    def test_the_page_of_an_ipv6_remote(self):
        for address in ("git@[2001:db8::1]:o/k.git", "ssh://git@[2001:db8::1]:22/o/k.git", "https://[2001:db8::1]/o/k"):
            with tempfile.TemporaryDirectory() as folder:
                self.scratch = type("Scratch", (), {"name": folder})
                repo = self.repository()
                repo.git("remote", "add", "origin", address)
                self.assertIn("   https://[2001:db8::1]/o/k/settings/actions\n", repo.init())

    def test_the_job_that_measures_comes_from_the_default_branch(self):
        for address, branch, wanted in (("https://github.com/o/k.git", "main", "o/k/{}@main"),
                                        ("git@github.com:o/k.git", "it's", "o/k/{}@it's"), (None, "main", "./{}")):
            with tempfile.TemporaryDirectory() as folder:
                self.scratch = type("Scratch", (), {"name": folder})
                repo = self.repository(branch)
                if address:
                    repo.git("remote", "add", "origin", address)
                    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", f"refs/remotes/origin/{branch}")
                words = repo.init()
                jobs = yaml.safe_load((repo.root / ".github/workflows/pawl.yml").read_text())["jobs"]
                self.assertEqual(jobs["measure"]["uses"], wanted.format(".github/workflows/pawl-measure.yml"))
                called = yaml.safe_load((repo.root / ".github/workflows/pawl-measure.yml").read_text())
                self.assertIn(wanted.format(".github/actions/pawl"), [s.get("uses") for s in called["jobs"]["measure"]["steps"]])
                owner = "o" if address else "OWNER"
                self.assertIn(f"https://github.com/organizations/{owner}/settings/actions/runner-groups\n", words)

    def test_a_suite_without_a_gpu_leaves_one_step(self):
        """On GitHub the machines are of the host, and the release is pinned: the commit is what is left."""
        name, digest = "pawl-x86_64.tar.gz", "ab" * 32
        steps = {"github": 1, "gitlab": 3, "forgejo": 2, "gitea": 2}
        repo = self.repository(device="cpu")
        repo.git("remote", "add", "origin", "https://github.com/o/k.git")
        repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
        with release_page(self.scratch.name, {"SHA256SUMS": f"{digest}  {name}\n".encode()}) as (page, certificate):
            for forge, count in steps.items():
                words = repo.init("--bundle", f"{page}/{name}", "--ca-file", certificate, forge=forge)
                numbered = [line for line in words.splitlines() if line[:1].isdigit()]
                self.assertEqual(len(numbered), count, words)
                self.assertEqual(numbered[-1], f"{count}. Commit the files, and push them to 'main': that push records the first baseline")
                self.assertEqual("'pawl doctor --forge' checks each step" in words, forge == "github")
                self.assertNotIn("gpu", words)
        jobs = {name: yaml.safe_load((repo.root / f".github/workflows/{name}.yml").read_text())
                for name in ("pawl", "pawl-measure", "pawl-autotune")}
        wanted = "${{ fromJSON(vars.PAWL_RUNNER || '\"ubuntu-24.04\"') }}"
        self.assertEqual([jobs["pawl-measure"]["jobs"]["measure"]["runs-on"], jobs["pawl-autotune"]["jobs"]["tune"]["runs-on"]], [wanted] * 2)
        for name in ("pawl", "pawl-measure"):
            self.assertEqual(jobs[name]["env"]["PAWL_RUNNER"], "${{ vars.PAWL_RUNNER || '\"ubuntu-24.04\"' }}")
        self.assertTrue(starts(jobs["pawl"][True]["push"]["paths"], FILES["github"]), "the first push measures nothing")
        document = yaml.safe_load((repo.root / FILES["gitlab"]).read_text())
        self.assertEqual((document["pawl"]["tags"], document["pawl report"]["tags"], document[".pawl"]["image"]), ([], [], "debian:13"))
        for forge in ("forgejo", "gitea"):
            document = yaml.safe_load((repo.root / FILES[forge]).read_text())
            self.assertEqual(document["jobs"]["measure"]["runs-on"], "${{ fromJSON(vars.PAWL_RUNNER || '\"cpu\"') }}")

    def test_a_history_on_a_server_gets_the_workflow_of_issues(self):
        repo = self.repository()
        for forge in ("github", "forgejo", "gitea"):
            path = repo.root / FILES[forge].replace("pawl.yml", "pawl-issues.yml")
            repo.init(forge=forge)
            self.assertFalse(path.exists(), "the history ends with the job")
        repo.put("pawl.yaml", (repo.root / "pawl.yaml").read_text() + "store: postgresql://db.example.org/pawl\n")
        for forge in ("github", "forgejo", "gitea"):
            path = repo.root / FILES[forge].replace("pawl.yml", "pawl-issues.yml")
            self.assertIn(f"wrote {path.relative_to(repo.root)}", repo.init(forge=forge))
            (job,) = yaml.safe_load(path.read_text())["jobs"].values()
            self.assertEqual([step["run"] for step in job["steps"] if "run" in step], ["pawl ci issues"])
            self.assertIn("PAWL_REPORT_RUNNER", job["runs-on"])
        self.assertEqual(job.get("permissions"), None)
        github = yaml.safe_load((repo.root / ".github/workflows/pawl-issues.yml").read_text())
        self.assertEqual((github["permissions"], github["jobs"]["issues"]["permissions"]), ({}, {"contents": "read", "issues": "write"}))

    def test_a_suite_with_a_gpu_needs_machines_with_one(self):
        repo = self.repository()
        for forge in FILES:
            self.assertIn("Add a runner with the", repo.init(forge=forge))
        measure = yaml.safe_load((repo.root / ".github/workflows/pawl-measure.yml").read_text())["jobs"]["measure"]
        self.assertEqual(measure["runs-on"], "${{ fromJSON(vars.PAWL_RUNNER || '[\"self-hosted\", \"gpu\"]') }}")
        document = yaml.safe_load((repo.root / FILES["gitlab"]).read_text())
        self.assertEqual((document["pawl"]["tags"], document["pawl report"]["tags"], "image" in document[".pawl"]), (["gpu"], ["pawl-report"], False))

    PINS = {"github": ".github/actions/pawl/action.yml", "forgejo": ".forgejo/actions/pawl/action.yml", "gitlab": ".gitlab/pawl.yml",
            "gitea": ".gitea/actions/pawl/action.yml"}

    def pinned(self, repo, forge):
        """The pins in the files of init: the bundle, its checksum, the repository that attests to it. None: no file."""
        path = repo.root / self.PINS[forge]
        if not path.exists():
            return None
        document = yaml.safe_load(path.read_text())
        found = document[".pawl"]["variables"] if forge == "gitlab" else document["runs"]["steps"][0]["env"]
        return [found[name] for name in ("PINNED_URL", "PINNED_SHA256", "PINNED_REPOSITORY")]

    def test_the_bundle_is_pinned_by_its_checksum(self):
        name, digest, scratch = "pawl-x86_64.tar.gz", "ab" * 32, self.scratch
        sums = f"{'cd' * 32}  pawl-armv64.tar.gz\n{'zz' * 32}  {name}\n{digest}  {name}\n"
        with release_page(self.scratch.name, {"SHA256SUMS": sums.encode()}) as (page, certificate):
            def init(url, expect=0, forge="github", authority=("--ca-file", certificate), device="cuda"):
                with tempfile.TemporaryDirectory() as folder:
                    self.scratch = type("Scratch", (), {"name": folder})
                    repo = self.repository(device=device)
                    if not authority:
                        repo.environment["SSL_CERT_FILE"] = certificate
                    words = repo.init("--bundle", url, *authority, forge=forge, expect=expect)
                    return words, self.pinned(repo, forge)

            for forge in FILES:
                for authority in (("--ca-file", certificate), ()):
                    words, pinned = init(f"{page}/{name}", forge=forge, authority=authority)
                    self.assertEqual(pinned, [f"{page}/{name}", digest, ""])  # only github.com keeps attestations
                    self.assertIn(f"The machines install {page}/{name} (SHA-256 abababababab...)", words)
                    self.assertNotIn("PAWL_BUNDLE_URL", words)
                for url, status, why in ((f"{page}/pawl-riscv.tar.gz", 76, "no SHA-256 of 'pawl-riscv.tar.gz'"),
                                         (f"{page}/absent/{name}", 66, "HTTP 404"), (f"{page}/{name}\n", 64, "no bundle"),
                                         ("http://example.org/p.tar.gz", 64, "https"), (f"{page}/pawl.zip", 64, ".tar.gz")):
                    words, pinned = init(url, status, forge)
                    self.assertIn(why, words)
                    self.assertIsNone(pinned, "something was written")
            self.assertIn("One step is left:\n1. Commit the files", init(f"{page}/{name}", device="cpu")[0])
            self.assertIn("SSL_CERT_FILE", init(f"{page}/{name}", 66, authority=("--ca-file", "/etc/hostname"))[0])
        self.scratch = scratch
        repo = self.repository()
        for forge in FILES:  # this build names no project: a step that is left
            self.assertIn(f"pawl init --forge {forge} --bundle", repo.init(forge=forge))
            self.assertEqual(self.pinned(repo, forge), ["", "", ""])
        done = subprocess.run(["pawl", "init", "--bundle", "https://x/y.tar.gz", "new"], cwd=repo.root, env=repo.environment,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, "'--bundle' needs '--forge'" in done.stderr), (64, True))

    def test_what_a_build_command_reads_is_not_known(self):
        repo = self.repository(suite="bench/pawl.yaml", up="../")
        text = (repo.root / "bench/pawl.yaml").read_text()
        repo.put("bench/pawl.yaml", text.replace("kernels: {", "kernels: {theirs: {operator: scale, device: cpu, "
                                                 "build: {command: [make], output: lib.so}}, "))
        repo.init("bench")
        for event in ("push",):
            self.assertTrue(starts(repo.events()[event]["paths"], "bench/any/file.c"))
            self.assertFalse(starts(repo.events()[event]["paths"], "README.md"))
        self.assertFalse(starts(repo.events()["push"]["paths"], "bench/perf/baseline.json"))

    def test_submodules_and_scripts(self):
        repo = self.repository()
        text = (repo.root / "pawl.yaml").read_text()
        repo.put("pawl.yaml", text.replace("include_dirs: [", "include_dirs: [lib/cut, ").replace("cases:",
                 "references: {py: {operator: scale, device: cpu, protocol: [python3, tools/ref.py], optional: true}}\ncases:"))
        repo.put("tools/ref.py", "import os\nfrom helper import f\n")
        repo.put("tools/helper.py")
        repo.put("lib/cut/.git", "gitdir: elsewhere\n")
        repo.put("lib/cut/deep/cut.h")
        repo.put("src/fast.c", "#include <deep/cut.h>\n")
        repo.init()
        paths = repo.events()["push"]["paths"]
        for name in ("lib/cut", "tools/ref.py", "tools/helper.py"):
            self.assertTrue(starts(paths, name), name)
        self.assertFalse(starts(paths, "lib/cut/deep/cut.h"))

    def test_a_folder_that_no_workflow_can_name(self):
        repo = self.repository(suite="my suite/pawl.yaml", up="../")
        self.assertIn("'my suite/'", repo.init("my suite", expect=78))
        self.assertFalse((repo.root / ".github").exists())
