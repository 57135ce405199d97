# SPDX-License-Identifier: Apache-2.0
"""The workflow that tunes: what runs kernels may not write, what writes runs none."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / "templates/forge/github/dot.github/workflows/pawl-autotune.yml"
HOME = None


class Autotune(unittest.TestCase):
    def setUp(self):
        text = "\n".join(line for line in WORKFLOW.read_text().splitlines() if not line.lstrip().startswith("#"))
        self.jobs = dict(re.findall(r"(?ms)^  (\w+):\n(.*?)(?=^  \w+:\n|\Z)", text[text.index("\njobs:\n"):]))

    def test_what_runs_kernels_may_only_read(self):
        tune = self.jobs["tune"]
        self.assertIn("permissions:\n      contents: read\n", tune)
        self.assertIn("persist-credentials: false", tune)
        for bad in ("write", "secrets.", "github.token"):
            self.assertNotIn(bad, tune)

    def test_what_writes_runs_no_kernel_and_believes_no_file(self):
        propose = self.jobs["propose"]
        self.assertIn("permissions:\n      contents: write\n      pull-requests: write\n", propose)
        self.assertEqual(re.findall(r"\brun: ([^\n]*)", propose), ['pawl ci propose --from "$RUNNER_TEMP/tune"'])

    def test_artifacts_are_kept_thirty_days(self):
        self.assertIn("retention-days: 30", self.jobs["tune"])
