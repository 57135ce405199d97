#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pawl run says why a kernel became slower or faster: on a GPU that is not there, under a program in ncu's place."""
import json
import os
import shutil
import subprocess
import unittest

import fake_gpu_case
import fake_ncu
from fake_ncu import RECORDED

SUITE = """version: 1
operators:
  scale: {{sources: [operators/scale.c]}}
kernels:
  scale_fake: {{operator: scale, device: cuda, build: {{command: [cp, {plugin}, fake.so], output: fake.so}}}}
cases:
  small: {{operator: scale, n: 1000, dtype: f32}}
check: {{scale: {{n: [1, 1000]}}}}
measure: {{warmup: 1, samples: 8, processes: 2, timeout: 20s}}
gate: {{tolerate: 20%, detect: 60%, improve: 80%, false_alarm: 5%, miss: 10%, max_blocks: 16}}
"""
CPU_SUITE = """version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}
cases:
  small: {operator: scale, n: 50000, dtype: f32}
check: {scale: {n: [1, 1000]}}
measure: {warmup: 1, samples: 8, processes: 2, timeout: 20s, threads: 1}
gate: {tolerate: 20%, detect: 60%, improve: 80%, false_alarm: 5%, miss: 10%, max_blocks: 16, busy: count}
"""
# The candidate has the counters of three kernels, its base those of one.
ONE_EACH = f'cat "{RECORDED}/saxpy_raw.csv"'  # each version launches one kernel
BOTH = f'case $2 in */base/*) cat "{RECORDED}/saxpy_raw.csv";; *) cat "{RECORDED}/sdpa_3backends_raw.csv";; esac'


class ProfileRun(fake_gpu_case.FakeGpuCase):
    def write_suite(self):
        self.suite, self.changed = self.work / "pawl.yaml", False
        self.suite.write_text(SUITE.format(plugin="scale_fake.so"))
        (self.work / ".gitignore").write_text("/.pawl/\n/perf/out/\n/fake.so\n")

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.work, check=True, env=self.environment, capture_output=True)

    def commit(self, message):
        self.git("add", "-A"), self.git("commit", "-q", "-m", message)

    def change(self, old, new):
        """The kernel of the working tree is another than the committed one."""
        self.suite.write_text(self.suite.read_text().replace(f"{old}.so", f"{new}.so"))

    def run_changed(self, *words, profile="", before="scale_fake", after="scale_fake_slow", status=1, gpus=(), environment=(),
                    ncu=True, **parts):
        """(report, verdict.json) of a run whose kernel changed from `before` to `after`."""
        if not self.changed:
            self.git("init", "-q", "-b", "main")
            self.change("scale_fake", before)
            self.commit("Begin")
            self.change(before, after)
            self.changed = True
        if profile:
            self.suite.write_text(self.suite.read_text() + f"profile: {profile}\n")
        tools = fake_ncu.install(self.scratch, **{"read": BOTH, **parts}) if ncu else self.scratch
        out, _ = self.pawl(*gpus, "run", "--against", "HEAD", *words, status=status, **dict(environment),
                           PATH=f"{tools}:{self.environment['PATH']}")
        return out, json.loads((self.work / "perf/out/verdict.json").read_text())

    def test_a_regression_opens_with_what_changed(self):
        out, verdict = self.run_changed()
        self.assertRegex(out, r"\n  why, scale_fake on small: \+[\d.]+ % in pairs, but the profile shows another change: 939 us -> 268 us .*\n    limit: .*\n    try: ")
        lines = [line for line in (self.work / "perf/out/report.md").read_text().splitlines() if line]
        self.assertRegex(lines[0], r"REGRESSION.*1 of 1 configuration slower")
        self.assertRegex(lines[1], r"Why.*scale_fake.*small.*939 us -> 268 us.*The limit is now.*Try: ")
        row, = verdict["profiles"]
        self.assertEqual((row["kernel_name"], row["case"], row["missing"]), ("scale_fake", "small", None))
        self.assertIn(row["change"], lines[1].replace("`", ""))
        self.assertEqual(row["folder"], "profiles/scale_fake-small")
        files = self.work / "perf/out" / row["folder"]
        self.assertEqual((files / "profile.txt").read_text(), row["text"])
        self.assertTrue((files / "scale_fake-small.ncu-rep").exists())
        self.assertTrue((files / "base/scale_fake-small.ncu-rep").exists())
        self.assertEqual(json.loads((files / "profile.json").read_text())["gpu"], "NVIDIA H200")
        self.assertGreater(verdict["phases"]["profile"], 0)
        page, _ = self.pawl("report", "perf/out", "-o", "page.md")
        self.assertIn(row["change"], (self.work / "page.md").read_text())

    def test_an_improvement_is_explained_above_its_threshold(self):
        out, verdict = self.run_changed(before="scale_fake_slow", after="scale_fake", status=0)
        self.assertIn("IMPROVEMENT", out.splitlines()[0])
        self.assertEqual(len(verdict["profiles"]), 1)
        out, verdict = self.run_changed(profile="{improvement_over: 100%}", status=0)
        self.assertIn("IMPROVEMENT", out.splitlines()[0])
        self.assertEqual(verdict["profiles"], [])
        self.assertFalse((self.work / "perf/out/profiles").exists())

    def test_a_suite_may_ask_for_none(self):
        for profile in ("{regression: false}", "{max_kernels: 0}"):
            with self.subTest(profile=profile):
                self.setUp()
                out, verdict = self.run_changed(profile=profile, refuse="exit 9")
                self.assertIn("REGRESSION", out.splitlines()[0])
                self.assertEqual(verdict["profiles"], [])

    def test_the_loop_goes_on_without_a_profile(self):
        """The verdict stands, and the report says what to do."""
        nothing = {"write": ":"}
        permission = {"log": 'echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission" >"$log"', **nothing}
        old = {"refuse": 'echo "==ERROR== unrecognised option \'--set\'"; exit 1'}
        slow = {"log": "sleep 30", "profile": "{timeout: 500ms}"}
        for parts, words in ((permission, "NVreg_RestrictProfilingToAdminUsers=0"),
                             (old, "this ncu is too old; install a newer Nsight Compute"),
                             (nothing, "ncu saw no kernel in the call"),
                             (slow, "'timeout' of 'profile' in pawl.yaml")):
            with self.subTest(words=words):
                out, verdict = self.run_changed(**parts)
                self.assertIn("REGRESSION", out.splitlines()[0])
                self.assertIn(words, out)
                row, = verdict["profiles"]
                self.assertIn(words, row["missing"])
                self.assertEqual((row["text"], row["folder"]), (None, None))

    @unittest.skipIf(shutil.which("ncu", path=f"{os.environ['PATH']}:/usr/local/cuda/bin:/opt/cuda/bin"), "this machine has Nsight Compute")
    def test_the_loop_goes_on_without_ncu(self):
        """Nothing is profiled, the verdict is the same, and its file and its report say what to install."""
        out, verdict = self.run_changed(ncu=False, environment={"CUDA_HOME": str(self.scratch / "nowhere")})
        words = "no profile: cannot find 'ncu': install NVIDIA Nsight Compute"
        self.assertIn("REGRESSION", out.splitlines()[0])
        row, = verdict["profiles"]
        self.assertEqual((row["text"], row["folder"]), (None, None))
        self.assertTrue(row["missing"].startswith("CUPTI took no profile: no CUPTI: "), row["missing"])
        self.assertIn("; " + words, row["missing"])
        self.assertIn(words, out)
        self.assertIn(words, (self.work / "perf/out/report.md").read_text().replace("`", ""))

    def test_cupti_counts_both_arms_before_ncu(self):
        out, verdict = self.run_changed(environment={"PAWL_CUPTI_LIBRARY": str(self.fakes / "fake_cupti.so")})
        self.assertIn("REGRESSION", out.splitlines()[0])
        row, = verdict["profiles"]
        self.assertEqual(row["missing"], None)
        self.assertIn("DRAM at 91 % of its peak", row["limit"])
        files = self.work / "perf/out" / row["folder"]
        self.assertTrue((files / "base/scale_fake-small.csv").exists())
        self.assertEqual(json.loads((files / "profile.json").read_text())["profiler"], "CUPTI, API version 130001")

    def test_a_cpu_kernel_names_the_line_that_costs_the_time(self):
        """Its threads are sampled, so the loop of one line has the time of both versions."""
        self.suite.write_text(CPU_SUITE)
        kernel = self.work / "kernels/scale_cpu.c"
        kernel.write_text(kernel.read_text().replace("y[i] = 2 * x[i];", "\n    y[i] = 2 * x[i];"))
        self.git("init", "-q", "-b", "main")
        self.commit("Begin")
        kernel.write_text(kernel.read_text().replace("2 * x[i];", "2 * x[i] + 0 * (x[n - 1 - i]" + " / (3 + x[i] * x[i])" * 12 + ");"))
        out, _ = self.pawl("run", "--against", "HEAD", status=1)
        verdict = json.loads((self.work / "perf/out/verdict.json").read_text())
        row, = verdict["profiles"]
        if row["no_lines"] and "perf_event_open" in row["no_lines"]:
            self.skipTest(row["no_lines"])
        line = row["lines"][0]
        number = 1 + kernel.read_text().splitlines().index(next(text for text in kernel.read_text().splitlines() if "x[n - 1 - i]" in text))
        self.assertEqual((line["file"], line["line"], row["no_lines"]), ("kernels/scale_cpu.c", number, None))
        self.assertGreater(line["candidate_s"] - line["base_s"], 0.5 * (row["candidate_s"] - row["base_s"]))
        change = r"\+[\d.]+ us(?: of|, other lines -[\d.]+ us, together) \+[\d.]+ us"
        self.assertRegex(out, r"\n    kernels/scale_cpu.c:%d `y\[i\] = [^`]*`: %s: .*came" % (number, change))
        self.assertTrue((self.work / "perf/out" / row["folder"] / "base/scale_cpu-small.samples.json").exists())

    def test_a_gpu_kernel_without_lines_says_why(self):
        """ncu samples both versions; the build command of this kernel gives no lines."""
        _, verdict = self.run_changed(read=ONE_EACH)
        row, = verdict["profiles"]
        self.assertEqual(row["lines"], [])
        why = "a line table that pawl cannot read" if os.environ.get("PAWL_TEST_SANITIZED") else "the build command writes no line table"
        self.assertIn(why, row["no_lines"])  # clang's own table is of DWARF 5
        self.assertIn("no time of source lines: ", (self.work / "perf/out/report.md").read_text())
        self.assertIn("group:smsp__pcsamp_warp_stall_reasons", (self.scratch / "ncu.words").read_text())
        self.assertEqual((self.scratch / "ncu.words").read_text().count("group:smsp"), 1)  # one process of both versions
        self.assertTrue((self.work / "perf/out" / row["folder"] / "scale_fake-small-samples.csv").exists())

    def test_versions_that_fail_in_one_process_are_sampled_alone(self):
        """Another profiler holds the counters during the first try."""
        busy = f'[ "$page" != raw ] || ! mkdir "{self.scratch}/once" 2>/dev/null || {{ echo "==ERROR== a driver resource was unavailable" >"$log"; exit 9; }}'
        _, verdict = self.run_changed(read=ONE_EACH, log=busy, samples=self.one_sampled())
        self.assertTrue((self.scratch / "once").exists())
        self.assertEqual((self.scratch / "ncu.words").read_text().count("group:smsp"), 3)
        self.assertIn("line table", verdict["profiles"][0]["no_lines"])

    def test_samples_of_another_number_of_kernels_are_of_neither_version(self):
        """One process launches fewer kernels than the two profiles have, and each version alone as many as its own."""
        _, verdict = self.run_changed(read=ONE_EACH, samples=self.one_sampled())
        self.assertEqual((self.scratch / "ncu.words").read_text().count("group:smsp"), 3)
        self.assertIn("line table", verdict["profiles"][0]["no_lines"])

    def one_sampled(self):
        rows = (RECORDED / "transpose_samples.csv").read_text().splitlines(keepends=True)
        path = self.scratch / "one.csv"
        path.write_text("".join(rows[:-1]))
        return path

    def test_a_table_without_samples_costs_only_the_lines(self):
        _, verdict = self.run_changed(read=ONE_EACH, samples="/dev/null")
        row, = verdict["profiles"]
        self.assertIn("has no samples", row["no_lines"])
        self.assertIsNotNone(row["change"])

    def test_a_base_without_a_profile_leaves_the_limit(self):
        play = f'case $2 in */base/*) exit 3;; *) cat "{RECORDED}/saxpy_raw.csv";; esac'
        out, verdict = self.run_changed(read=play)
        row, = verdict["profiles"]
        self.assertRegex(row["missing"], r"^the base [0-9a-f]{12}: ")
        self.assertIn("bound by DRAM bandwidth", row["limit"])
        self.assertIn(row["limit"], out.replace("`", ""))

    def test_of_several_gpus_the_files_are_kept(self):
        _, verdict = self.run_changed(gpus=("--device", "0,1"), environment={"FAKE_CUDA_NAME": "GPU"})
        files = self.work / "perf/out" / verdict["profiles"][0]["folder"]
        self.assertIsNone(verdict["shard"])
        self.assertTrue((files / "profile.txt").exists())
        self.assertTrue((files / "base/scale_fake-small.ncu-rep").exists())


if __name__ == "__main__":
    fake_gpu_case.main(ProfileRun)
