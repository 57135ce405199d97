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
    """The same on GitLab and on Forgejo."""

    def doctor(self, kind, address, settings, own_pipeline=False, device="cuda", pushed=True, bundled=True):
        """{name of a check: (ok, what it says)}, and the exit status. A name of `settings` that is None cannot be asked."""
        with tempfile.TemporaryDirectory() as folder:
            self.scratch = type("Scratch", (), {"name": folder})
            repo = self.repository(device=device)
            repo.git("remote", "add", "origin", address)
            repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
            if own_pipeline:
                repo.put(".gitlab-ci.yml", "stages: [build]\n")
            repo.init(forge=kind)
            pin(repo, "https://example.org/pawl-x86_64.tar.gz" if bundled else "")
            if pushed:
                repo.commit()
                repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
            forge = Forge(forgejo=kind != "gitlab")
            self.addCleanup(forge.close)
            forge.settings = settings
            self.requests = forge.requests
            names = {"gitlab": ("CI_API_V4_URL", "GITLAB_TOKEN"), }.get(kind, ("GITHUB_API_URL", "GITHUB_TOKEN"))
            environment = {**repo.environment, **dict(zip(names, (forge.url, TOKEN)))}
            return ask_doctor(self, repo, environment)

    def test_a_private_host_with_its_own_authority(self):
        repo = self.repository()
        repo.git("remote", "add", "origin", "git@gitlab.example.org:group/sub/k.git")
        repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
        repo.init(forge="gitlab")
        with release_page(self.scratch.name, {}) as (page, certificate):
            environment = {**repo.environment, "CI_API_V4_URL": page, "GITLAB_TOKEN": TOKEN}
            for words, found in ((("--ca-file", certificate), "HTTP 404"), ((), "the server's certificate is not trusted")):
                rows, _ = ask_doctor(self, repo, environment, words)
                self.assertIn(found, rows["default branch"][1])
        rows, _ = ask_doctor(self, repo, {**environment, "GITLAB_TOKEN": ""})
        self.assertIn("set GITLAB_TOKEN", rows["default branch"][1])

    TOKEN_OF_PROJECT = {"key": "GITLAB_TOKEN", "masked": True, "protected": False, "environment_scope": "pawl-report"}
    GITLAB = {"group%2Fsub%2Fk": {"default_branch": "main", "ci_allow_fork_pipelines_to_run_in_parent_project": False,
                                  "ci_push_repository_for_job_token_allowed": True},
              "protected_branches": [{"name": "main", "push_access_levels": [{"access_level": 40}]}],
              "variables": [TOKEN_OF_PROJECT],
              "runners": [{"id": 8, "description": "off", "status": "offline"}, {"id": 9, "description": "h200", "status": "online"}],
              "9": {"id": 9, "runner_type": "project_type", "locked": True, "run_untagged": False, "tag_list": ["gpu"]}}

    def gitlab(self, **changes):
        project = {**self.GITLAB["group%2Fsub%2Fk"], **changes.pop("project", {})}
        runner = {**self.GITLAB["9"], **changes.pop("runner", {})}
        given = {name: changes.pop(name) for name in ("own_pipeline", "device", "pushed", "bundled") if name in changes}
        settings = {**self.GITLAB, "group%2Fsub%2Fk": project, "9": runner, **changes}
        return self.doctor("gitlab", "git@gitlab.example.org:group/sub/k.git", settings, **given)

    def test_a_good_set_up_on_gitlab_without_a_gpu(self):
        rows, status = self.gitlab(device="cpu")
        self.assertEqual((status, [row for row in rows.items() if not row[1][0]]), (0, []))
        self.assertFalse({"report runner", "runner's scope"} & set(rows))
        rows, status = self.gitlab(device="cpu", bundled=False)
        self.assertEqual((rows["bundle"][0], status), (False, 69), "an image of a job has no pawl")

    def test_a_good_set_up_on_gitlab(self):
        rows, status = self.gitlab()
        self.assertEqual((status, [row for row in rows.items() if not row[1][0]]), (0, []))
        self.assertEqual(rows["runner"], (True, "h200"))
        self.assertEqual(len(rows), 12)
        self.assertEqual({tag for r in self.requests for tag in r["query"].get("tag_list", [])}, {"gpu", "pawl-report"})

    def test_what_is_wrong_on_gitlab(self):
        for check, changes, fails in (
                ("pipeline", {"own_pipeline": True}, True), ("default branch", {"project": {"default_branch": "trunk"}}, True),
                ("pipelines of forks", {"project": {"ci_allow_fork_pipelines_to_run_in_parent_project": True}}, True),
                ("pipelines of forks", {"project": {"ci_allow_fork_pipelines_to_run_in_parent_project": None}}, False),
                ("baseline", {"project": {"ci_push_repository_for_job_token_allowed": False}}, False),
                ("protected branch", {"protected_branches": [{"name": "release"}]}, False),
                ("GITLAB_TOKEN", {"variables": []}, False),
                ("GITLAB_TOKEN", {"variables": [{**self.TOKEN_OF_PROJECT, "environment_scope": "*"}]}, True),
                ("GITLAB_TOKEN", {"variables": [self.TOKEN_OF_PROJECT, {**self.TOKEN_OF_PROJECT, "environment_scope": "*"}]}, True),
                ("GITLAB_TOKEN", {"variables": [{**self.TOKEN_OF_PROJECT, "masked": False}]}, True),
                ("GITLAB_TOKEN", {"variables": None}, False),
                ("on that branch", {"pushed": False}, True), ("bundle", {"bundled": False}, False),
                ("runner", {"runners": [{"id": 8, "status": "offline"}]}, False),
                ("report runner", {"runners": [{"id": 8, "status": "offline"}]}, False),
                ("runner's scope", {"runner": {"runner_type": "instance_type"}}, False),
                ("runner's scope", {"runner": {"locked": False}}, False),
                ("runner's scope", {"runner": {"run_untagged": True}}, False)):
            rows, status = self.gitlab(**changes)
            self.assertEqual((rows[check][0], status), (False, 69 if fails else 0), (check, changes, rows))

    FORGEJO = {"k": {"default_branch": "main", "has_actions": True}, "tasks": {"workflow_runs": [{"status": "success"}]}, "PAWL_RUNNER": {"name": "PAWL_RUNNER", "data": '"gpu"'},
               "branch_protections": [{"rule_name": "main", "enable_push": True, "enable_push_whitelist": False,
                                       "enable_status_check": True, "status_check_contexts": ["pawl"]}]}

    def forgejo(self, **changes):
        rule = {**self.FORGEJO["branch_protections"][0], **changes.pop("rule", {})}
        given = {name: changes.pop(name) for name in ("device", "pushed", "bundled") if name in changes}
        settings = {**self.FORGEJO, "branch_protections": [rule], **changes}
        return self.doctor(changes.pop("kind", "forgejo"), "https://codeberg.org/o/k.git", settings, **given)

    def test_a_good_set_up_on_forgejo(self):
        for changes in ({}, {"kind": "gitea"}, {"device": "cpu", "PAWL_RUNNER": {}}):
            rows, status = self.forgejo(**changes)
            self.assertEqual((status, [row for row in rows.items() if not row[1][0]]), (0, []))
            self.assertEqual(len(rows), 10)
        self.assertEqual(rows["settings"], (True, '"cpu"'))

    def test_what_is_wrong_on_forgejo(self):
        for check, changes, fails in (
                ("default branch", {"k": {"default_branch": "trunk", "has_actions": True}}, True),
                ("on that branch", {"pushed": False}, True), ("bundle", {"bundled": False}, False),
                ("runner", {"tasks": {"workflow_runs": []}}, False),
                ("runner", {"tasks": {"workflow_runs": [{"status": "waiting"}]}}, False),
                ("actions", {"k": {"default_branch": "main", "has_actions": False}}, True),
                ("settings", {"PAWL_REPORT_RUNNER": {"name": "PAWL_REPORT_RUNNER", "data": '"gpu"'}}, True),
                ("protected branch", {"branch_protections": []}, False), ("protected branch", {"branch_protections": None}, False),
                ("required check", {"rule": {"status_check_contexts": ["ci"]}}, False),
                ("required check", {"rule": {"enable_status_check": False}}, False),
                ("baseline", {"rule": {"enable_push": False}}, False),
                ("baseline", {"rule": {"enable_push_whitelist": True}}, False)):
            rows, status = self.forgejo(**changes)
            self.assertEqual((rows[check][0], status), (False, 69 if fails else 0), (check, changes, rows))
