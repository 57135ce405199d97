# SPDX-License-Identifier: Apache-2.0
"""`pawl doctor --forge`: the settings of a repository, against a fake code host."""

import json
import subprocess
import tempfile

import job
from fake_forge import TOKEN, Forge
from release_page import release_page
import test_init

HOME = None


def ask_doctor(test, repo, environment, words=()):
    """The rows of `pawl doctor --forge` by name, and the exit status. Without --quick doctor would measure the spread of
    times for ten seconds."""
    done = subprocess.run(["pawl", "--json", "doctor", "--quick", "--forge", *words], cwd=repo.root, env=environment,
                          capture_output=True, text=True)
    test.assertNotIn(TOKEN, done.stdout + done.stderr)
    rows = json.loads(done.stdout)["forge"]
    return {row["name"]: (row["ok"], row.get("found") or row["reason"]) for row in rows}, done.returncode


def pin(repo, url):
    """Names a bundle in the files of init, as a release does."""
    for name in test_init.Init.PINS.values():
        path = repo.root / name
        if path.exists():
            path.write_text(path.read_text().replace('PINNED_URL: ""', f'PINNED_URL: "{url}"'))


class Doctor(test_init.Layout):
    """`pawl doctor --forge`: what of the set-up can be asked with a token."""

    GOOD = {
        "k": {"default_branch": "main"}, "workflows": {"workflows": [{"path": ".github/workflows/pawl.yml", "state": "active"}]},
        "fork-pr-contributor-approval": {"approval_policy": "all_external_contributors"},
        "variables": {"variables": [{"name": "PAWL_RUNNER", "value": '{"group": "perf", "labels": ["self-hosted", "gpu"]}'}]},
        "runner-groups": {"runner_groups": [{"name": "Default"}, {"name": "perf", "restricted_to_workflows": True, "selected_workflows": [
            "o/k/.github/workflows/pawl-measure.yml@refs/heads/main", "o/k/.github/workflows/pawl-autotune.yml@refs/heads/main"]}]},
        "runners": {"runners": [{"name": "h200-1", "status": "online", "labels": [{"name": "self-hosted"}, {"name": "GPU"}]}]},
        "main": [{"type": "required_status_checks",
                  "parameters": {"required_status_checks": [{"context": "pawl"}], "strict_required_status_checks_policy": False}},
                 {"type": "pull_request",
                  "parameters": dict(dismiss_stale_reviews_on_push=False, require_code_owner_review=False,
                                     require_last_push_approval=False, required_approving_review_count=1,
                                     required_review_thread_resolution=False)}]}

    def doctor(self, **changes):
        """{name of a check: (ok, what it says)}, and the exit status."""
        with tempfile.TemporaryDirectory() as folder:
            self.scratch = type("Scratch", (), {"name": folder})
            repo = self.repository(device=changes.pop("device", "cuda"))
            repo.git("remote", "add", "origin", "https://github.com/o/k.git")
            repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
            if not changes.pop("without", False):
                repo.init()
            pin(repo, changes.pop("bundle", "https://github.com/o/pawl/releases/download/v1/pawl-x86_64.tar.gz"))
            if changes.pop("local", False):
                path = repo.root / test_init.FILES["github"]
                path.write_text(path.read_text().replace("'o/k/.github/workflows/pawl-measure.yml@main'", "./.github/workflows/pawl-measure.yml"))
            if changes.pop("more", False):
                repo.put("src/new.h")
                repo.put("src/fast.c", '#include "new.h"\n')
            forge = Forge()
            self.addCleanup(forge.close)
            forge.settings = {**self.GOOD, **changes}
            url = f"{job.OFFICIAL}/u/{forge.server.server_port}" if job.OFFICIAL else forge.url
            environment = {**repo.environment, "GITHUB_API_URL": url, "GITHUB_TOKEN": TOKEN}
            return ask_doctor(self, repo, environment)

    def group(self, **changes):
        first, ours = self.GOOD["runner-groups"]["runner_groups"]
        return {"runner-groups": {"runner_groups": [first, {**ours, **changes}]}}

    def test_a_good_set_up(self):
        rows, status = self.doctor(variables={"variables": [*self.GOOD["variables"]["variables"],
                                                            {"name": "PAWL_BASELINE_BY", "value": "pull-request"}]})
        self.assertEqual((status, [name for name, row in rows.items() if not row[0]]), (0, []))
        self.assertEqual(rows["runner"], (True, "h200-1"))
        self.assertGreater(len(rows), 7)

    def test_what_is_wrong(self):
        rows, _ = self.doctor()
        self.assertEqual(rows["baseline"], (False, "the branch is protected"))
        for check, changes, fails in (
                ("workflow", {"without": True}, True), ("workflow", {"more": True}, True),
                ("default branch", {"k": {"default_branch": "trunk"}}, True),
                ("approval", {"fork-pr-contributor-approval": {"approval_policy": "first_time_contributors"}}, True),
                ("settings", {"variables": {"variables": [{"name": "PAWL_REPORT_RUNNER", "value": '"gpu"'}]}}, True),
                ("on that branch", {"workflows": {"workflows": []}}, True), ("runner", {"runners": {"runners": []}}, False),
                ("runner group", {"variables": {"variables": []}}, False), ("runner group", self.group(restricted_to_workflows=False), False),
                ("runner group", self.group(name="other"), False), ("runner group", self.group(selected_workflows=[]), False),
                ("runner group", self.group(selected_workflows=["o/k/.github/workflows/pawl-measure.yml@refs/heads/any"]), False),
                ("runner group", {"runner-groups": None}, False), ("measuring job", {"local": True}, False), ("required check", {"main": []}, False)):
            rows, status = self.doctor(**changes)
            self.assertEqual((rows[check][0], status), (False, 69 if fails else 0), (check, rows))

    def test_a_good_set_up_without_a_gpu(self):
        """A machine of GitHub needs neither a group nor an approval, but a bundle."""
        hosted = {"device": "cpu", "variables": {"variables": [{"name": "PAWL_BASELINE_BY", "value": "pull-request"}]}}
        rows, status = self.doctor(**hosted, runners={"runners": []})
        self.assertEqual((status, [name for name, row in rows.items() if not row[0]]), (0, []), rows)
        self.assertEqual(rows["runner"], (True, "a machine of GitHub"))
        self.assertFalse({"approval", "runner group"} & set(rows))
        for changes in ({**hosted, "bundle": ""}, {"device": "cuda", "bundle": ""}):
            rows, status = self.doctor(**changes)
            self.assertEqual((rows["bundle"][0], status), (False, 69 if changes["device"] == "cpu" else 0), rows)
        named = {"variables": [{"name": "PAWL_BUNDLE_URL", "value": "https://example.org/p.tar.gz"}]}
        rows, _ = self.doctor(device="cpu", bundle="", variables=named)
        self.assertEqual(rows["bundle"], (True, "https://example.org/p.tar.gz"))
        rows, status = self.doctor(variables={"variables": [{"name": "PAWL_RUNNER", "value": '"ubuntu-24.04"'}]})
        self.assertEqual((rows["runner"][0], status), (False, 69), "a machine without a GPU for a kernel of one")

    def test_what_the_token_may_not_ask(self):
        rows, status = self.doctor(runners=None, variables=None)
        self.assertIn("cannot be asked", rows["variables"][1])
        self.assertEqual(status, 0)


class DoctorElsewhere(test_init.Layout):
    """A private GitHub, and other hosts."""

    def test_a_private_host_with_its_own_authority(self):
        repo = self.repository()
        repo.git("remote", "add", "origin", "git@github.example.org:o/k.git")
        repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
        repo.init()
        with release_page(self.scratch.name, {}) as (page, certificate):
            environment = {**repo.environment, "GITHUB_API_URL": page, "GITHUB_TOKEN": TOKEN}
            for words, found in ((("--ca-file", certificate), "HTTP 404"), ((), "the server's certificate is not trusted")):
                rows, _ = ask_doctor(self, repo, environment, words)
                self.assertIn(found, rows["default branch"][1])

    def test_without_a_repository_nothing_is_looked_at(self):
        repo = self.repository()
        environment = {name: value for name, value in repo.environment.items() if not name.startswith("GITHUB_")}
        done = subprocess.run(["pawl", "doctor", "--forge"], cwd=repo.root, capture_output=True, text=True, env=environment)
        self.assertEqual((done.returncode, done.stdout), (64, ""))
        self.assertIn("run git remote add origin https://github.com/OWNER/NAME", done.stderr)

    def test_another_host_gets_no_token(self):
        for address, forge in (("git@gitlab.com:o/k.git", "gitlab"), ("https://codeberg.org/o/k.git", "forgejo"), ("https://example.org/o/k.git", "gitea"),
                               ("https://gitlab.com/o/k.git", "github")):
            with self.subTest(address=address), tempfile.TemporaryDirectory() as folder:
                self.scratch = type("Scratch", (), {"name": folder})
                repo = self.repository()
                repo.git("remote", "add", "origin", address)
                repo.init(forge=forge)
                host = Forge()
                self.addCleanup(host.close)
                done = subprocess.run(["pawl", "doctor", "--quick", "--forge"], cwd=repo.root, capture_output=True, text=True,
                                      env={**repo.environment, "GITHUB_API_URL": host.url, "GITHUB_TOKEN": TOKEN})
                self.assertEqual((done.returncode, host.requests), (64, []), done.stderr)
                self.assertIn("checks the settings of GitHub alone", done.stderr)
