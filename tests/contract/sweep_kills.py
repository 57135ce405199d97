#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pawl sweep` on a CPU, killed at any moment, ends as an undisturbed one. One kernel opens files, so the files of the
repository belong to its code; the folder of the sweep does not.

Usage: sweep_kills.py BUILD"""
import gzip
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import staged  # noqa: E402

SHIM = pathlib.Path(__file__).with_name("killed_at.c")
SUITE = """references:
  slow: {operator: scale, device: cpu, sources: [kernels/slow.c]}
gate: {busy: count}
sweep:
  scale: {n: [100, 5000]}
"""
SLOW = """
#include <glob.h>
#include <stdio.h>
static const char *supports(const struct pawl_shape *shape) {
  glob_t found;
  if (!glob("*", 0, NULL, &found) && found.gl_pathc) {
    FILE *file = fopen(found.gl_pathv[0], "r");
    if (file) fclose(file);
  }
"""


class SweepKills(unittest.TestCase):
    build = home = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="pawl-sweep-kills-", ignore_cleanup_errors=True)
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.environment = staged.environment(self.home, self.scratch / "home")
        self.shim = self.scratch / "killed_at.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.shim, SHIM, "-ldl"], check=True)
        self.work = self.scratch / "work"
        subprocess.run([self.environment["PAWL_UNDER_TEST"], "-q", "init", "--example", "minimal", self.work], check=True, env=self.environment)
        with (self.work / "pawl.yaml").open("a") as suite:
            suite.write(SUITE)
        text = (self.work / "kernels/scale_cpu.c").read_text()
        opening, line = "\nstatic const char *supports(const struct pawl_shape *shape) {\n", "i++) y[i] = 2 * x[i];"
        self.assertTrue(opening in text and line in text)
        text = text.replace(opening, SLOW).replace(line, "i++)\n    for (volatile int k = 0; k < 50; k++) y[i] = 2 * x[i];")
        (self.work / "kernels/slow.c").write_text(text.replace('"scale_cpu"', '"slow"'))
        self.out = self.work / "perf/out/sweep"

    def sweep(self, at=None, timeout=None):
        """Returns its exit status. A kill at a change of the samples or after some seconds gives -9."""
        environment = self.environment if at is None else {
            **self.environment, "LD_PRELOAD": str(self.shim), "KILL_AT": at, "KILL_BELOW": "perf/out/sweep/samples.ndjson"}
        sweep = subprocess.Popen([self.environment["PAWL_UNDER_TEST"], "-q", "sweep", "--precision", "50", "--blocks", "8", "--max-blocks", "8",
                                  "--no-png"], cwd=self.work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            return sweep.wait(timeout)
        except subprocess.TimeoutExpired:
            sweep.kill()
            return sweep.wait()

    def blocks(self):
        packed, journal = self.out / "samples.ndjson.gz", self.out / "samples.ndjson"
        text = gzip.decompress(packed.read_bytes()).decode() if packed.exists() else journal.read_text() if journal.exists() else ""
        return [line for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def result(self):
        """Returns what does not depend on the times: the order of starts of each block, and the claims."""
        self.assertEqual(subprocess.run([self.environment["PAWL_UNDER_TEST"], "-q", "verify", self.out], env=self.environment,
                                        capture_output=True).returncode, 0)
        blocks = [json.loads(line) for line in self.blocks()]
        claims = json.loads((self.out / "claims.json").read_text())
        return (sorted((block["point"], block["number"], block["first_arm"]) for block in blocks),
                sorted((one["kernel"], one["reference"], one["case"], one["verdict"], one["blocks"]) for one in claims["claims"]),
                claims["complete"], sorted(path.name for path in self.out.iterdir()))

    def check_kills(self):
        self.assertEqual(self.sweep(), 0)
        whole = self.result()
        self.assertEqual([claim[3] for claim in whole[1]], ["faster", "faster"])
        shutil.rmtree(self.out)
        kept = []
        rng = random.Random(5)
        # between a block and its line, in the middle of a line, behind it
        for at, lines in (("2", 1), ("3h", 2), ("1a", 1), ("4", 3)):
            self.assertEqual(self.sweep(at), -signal.SIGKILL)
            self.assertEqual(len(self.blocks()), len(kept) + lines)
            self.assertEqual(self.blocks()[:len(kept)], kept)
            kept = self.blocks()
        for _ in range(2):
            self.sweep(timeout=rng.uniform(0.1, 2))
            self.assertEqual(self.blocks()[:len(kept)], kept)
            kept = self.blocks()
        self.assertEqual(self.sweep(), 0)
        self.assertEqual(self.blocks()[:len(kept)], kept)
        self.assertEqual(self.result(), whole)
        # before and behind the packed samples, and behind the end of the journal
        text, plan = "".join(self.blocks()), (self.out / "sweep.json").read_bytes()
        for at in ("1", "1a", "2", "2a"):
            shutil.rmtree(self.out)
            self.out.mkdir()
            (self.out / "sweep.json").write_bytes(plan)
            (self.out / "samples.ndjson").write_text(text)
            self.assertEqual(self.sweep(at), -signal.SIGKILL, at)
            self.assertEqual(self.sweep(), 0)
            self.assertEqual(self.result(), whole, at)

    @unittest.skipIf("PAWL_TEST_SANITIZED" in os.environ, "a sanitizer must be loaded first")
    def test_without_git(self):
        self.check_kills()

    @unittest.skipIf("PAWL_TEST_SANITIZED" in os.environ, "a sanitizer must be loaded first")
    def test_in_a_repository(self):
        """perf/out need not be ignored."""
        for words in (["init", "--quiet"], ["add", "--all"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "a"]):
            subprocess.run(["git", *words], cwd=self.work, check=True, env=self.environment)
        self.check_kills()


if __name__ == "__main__":
    SweepKills.build = pathlib.Path(sys.argv.pop(1)).resolve()
    with tempfile.TemporaryDirectory(prefix="pawl-stage-") as stage:
        SweepKills.home = staged.install(SweepKills.build, stage)
        unittest.main(verbosity=1)
