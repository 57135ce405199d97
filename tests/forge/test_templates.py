# SPDX-License-Identifier: Apache-2.0
"""The workflows as a security engineer reads them."""

import pathlib
import re
import shutil
import subprocess
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
GITHUB = ROOT / "templates/forge/github/dot.github"
FORGEJO = ROOT / "templates/forge/forgejo/dot.forgejo/workflows/pawl.yml"
GITLAB = ROOT / "templates/forge/gitlab/dot.gitlab/pawl.yml"
WORKFLOWS = sorted((ROOT / "templates/forge").rglob("*.yml"))
HOME = None


class Templates(unittest.TestCase):
    def code(self, path):
        return "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith("#"))

    def test_the_action_is_the_one_of_the_repository(self):
        template = (GITHUB / "actions/pawl/action.yml").read_text()
        template = template.replace("/install.sh", "/templates/forge/install.sh")
        self.assertEqual(re.sub(r"@BUNDLE_[A-Z0-9]+@", "", template), (ROOT / "action.yml").read_text())

    def test_no_step_hides_a_failure(self):
        for path in WORKFLOWS:
            for bad in ("continue-on-error", "|| true", "set +e", "allow_failure", "always()"):
                self.assertNotIn(bad, self.code(path), path)

    def test_nothing_from_outside_is_pasted_into_a_script(self):
        for path in WORKFLOWS:
            for step in re.findall(r"(?m)^( +)run: \|?(.*(?:\n\1  .*)*)", self.code(path)):
                self.assertNotIn("${{", step[1], path)

    def test_shell_is_under_ten_lines(self):
        for folder in (path for path in (ROOT / "templates/forge").iterdir() if path.is_dir()):
            lines = [line for path in WORKFLOWS if folder in path.parents and path.name != "action.yml"
                     for line in re.findall(r"(?m)^ +(?:- )?run: (.+)$|^    - (pawl .*)$", self.code(path))]
            self.assertTrue(0 < len(lines) < 10, lines)
            self.assertTrue(all(re.match(r"pawl (-C @FOLDER@ )?ci ", "".join(line)) for line in lines), lines)
        for path, key in ((GITHUB / "actions/pawl/action.yml", "run"), (GITLAB, "before_script")):  # and what installs pawl
            block = re.search(rf"(?m)^( +){key}:.*((?:\n\1  .*)+)", self.code(path))[2]
            self.assertLess(block.count("\n"), 3, path)
            self.assertRegex(block, r"bin=\$\(sh \S+install(-pawl)?\.sh")

    def test_never_strangers_code_with_the_bases_rights(self):
        for path in WORKFLOWS:
            self.assertNotIn("pull_request_target", self.code(path))
        report = self.code(GITHUB / "workflows/pawl-report.yml")
        self.assertNotIn("head_sha", report)  # no checkout of the fork
        self.assertNotIn("pawl ci measure", report)

    def test_only_a_proof_keeps_a_change_from_the_gpu(self):
        """Without a machine that proves, after its failure, and for the default branch, the GPU measures."""
        for path in (GITHUB / "workflows/pawl-measure.yml", FORGEJO):
            jobs = yaml.safe_load(path.read_text())["jobs"]
            self.assertIn("!cancelled() && ", jobs["measure"]["if"])
            self.assertIn("needs.prove.outputs.measure != 'false'", jobs["measure"]["if"])
            self.assertIn("vars.PAWL_CODE_RUNNER && ", jobs["prove"]["if"])
            self.assertIn("github.event_name == 'pull_request'", jobs["prove"]["if"])
            self.assertEqual([step["if"] for step in jobs["prove"]["steps"] if "upload-artifact@" in step.get("uses", "")],
                             ["${{ !cancelled() && steps.prove.outputs.measure == 'false' }}"])

    def test_least_rights(self):
        for path in (GITHUB / "workflows").glob("*.yml"):
            text = self.code(path)
            self.assertIn("\npermissions: {}\n", text)
            self.assertNotIn("write-all", text)
        text = self.code(GITHUB / "workflows/pawl.yml")
        jobs = dict(re.findall(r"(?ms)^  (\w+):\n(.*?)(?=^  \w+:\n|\Z)", text[text.index("\njobs:\n"):]))
        self.assertEqual({name for name, job in jobs.items() if "contents: write" in job}, {"baseline"})
        self.assertEqual({name for name, job in jobs.items() if "secrets." in job}, {"baseline"})
        measuring = self.code(GITHUB / "workflows/pawl-measure.yml")
        for word in ("write", "github.token", "secrets", "inherit"):  # where the change's code runs
            self.assertNotIn(word, jobs["measure"] + measuring)
        for name in ("plan", "report"):  # they may write, and read files of the base alone
            self.assertIn("ref: ${{ github.event.pull_request.base.sha || github.sha }}", jobs[name])
        called = measuring[measuring.index("\njobs:\n"):]
        for name, job in {**jobs, "measure": called}.items():
            self.assertIn("timeout-minutes", job, name)
            kept = job.count("actions/checkout@") - job.count("persist-credentials: false")
            self.assertEqual(kept, 1 if name == "baseline" else 0, name)

    def test_what_measures_is_the_default_branchs(self):
        """The steps around the code of a change are not of the change: neither the workflow nor the action."""
        self.assertIn('uses: "@MEASURE@"', self.code(GITHUB / "workflows/pawl.yml"))
        text = self.code(GITHUB / "workflows/pawl-measure.yml")
        self.assertEqual(re.findall(r"\n  workflow_call:|\n  \w+:(?=\n    inputs)", text), ["\n  workflow_call:"])
        self.assertIn('uses: "@ACTION@"', text)
        self.assertNotIn("uses: ./", text)

    def test_actions_are_pinned(self):
        for path in WORKFLOWS:
            for name in re.findall(r"\buses: (\S+)", self.code(path)):
                self.assertRegex(name, r'^("@(MEASURE|ACTION)@"$|\./\.(github|forgejo)/actions/pawl$|(https://data\.forgejo\.org/forgejo|actions)/'
                                       r"[a-z-]+@[0-9a-f]{40})$")
        pins = {pin for folder in (GITHUB, ROOT / ".github") for path in folder.rglob("*.yml")
                for pin in re.findall(r"\buses: (actions/\S+) # v\d", path.read_text())}
        names = [pin.partition("@")[0] for pin in pins]
        self.assertEqual(len(names), len(set(names)), pins)  # each action has one version everywhere

    def test_what_measures_does_not_post(self):
        for path in WORKFLOWS:
            jobs = yaml.safe_load(path.read_text()).get("jobs", {})
            for name, job in jobs.items():
                if "uses" in job:
                    self.assertEqual(job["uses"], "@MEASURE@")
                    continue
                posts = "PAWL_REPORT_RUNNER" in str(job["runs-on"])
                self.assertEqual(posts, name not in ("measure", "prove", "tune"), (path, name))

    def test_artifacts_are_kept_thirty_days(self):
        for name in ("pawl.yml", "pawl-measure.yml"):
            text = self.code(GITHUB / "workflows" / name)
            self.assertEqual(text.count("upload-artifact@"), text.count("retention-days: 30"))
            self.assertGreater(text.count("upload-artifact@"), 0)

    def test_two_guards_against_loops(self):
        text = self.code(GITHUB / "workflows/pawl.yml")
        push = text[text.index("  push:"):text.index("  workflow_dispatch:")]
        self.assertIn('"!@BELOW@perf/**"', push)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze")
    def test_the_service_is_confined(self):
        unit = ROOT / "packaging/systemd/pawl-webhook.service"
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=15", str(unit)],
                              capture_output=True, text=True)
        if "Unknown option" in done.stderr or "unrecognized option" in done.stderr:
            self.skipTest("this systemd-analyze cannot rate a file")
        self.assertEqual(done.returncode, 0, done.stdout[-400:] + done.stderr)
