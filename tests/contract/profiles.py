#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pawl profile on a GPU that is not there, under a program in ncu's place that plays a recorded profile."""
import json
import pathlib
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
  scale_cpu: {{operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}}
cases:
  small: {{operator: scale, n: 1000, dtype: f32}}
measure: {{warmup: 1, samples: 8, processes: 2, timeout: 20s}}
"""

class Profile(fake_gpu_case.FakeGpuCase):
    def write_suite(self):
        (self.work / "pawl.yaml").write_text(SUITE.format(plugin="scale_fake.so"))

    def profile(self, *words, kernel="scale_fake", json_out=False, status=0, **parts):
        """pawl profile under an ncu of these parts: (stdout, stderr)."""
        tools = fake_ncu.install(self.scratch, **parts)
        before = ["--json"] if json_out else []
        return self.pawl(*before, "profile", kernel, "--case", "small", *words, status=status,
                         PATH=f"{tools}:{self.environment['PATH']}")

    def test_one_call_is_profiled_and_explained(self):
        out, _ = self.profile()
        self.assertIn("bound by DRAM bandwidth: DRAM at 71 % of its peak", out.splitlines()[0])
        folder = self.work / "perf/out/profile"
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["profile-dark.png", "profile-dark.svg", "profile.json", "profile.png", "profile.svg", "profile.txt",
                          "roofline-dark.png", "roofline-dark.svg", "roofline.png", "roofline.svg",
                          "scale_fake-small.csv", "scale_fake-small.ncu-rep"])
        self.assertEqual((folder / "profile.txt").read_text(), out)
        told = json.loads((folder / "profile.json").read_text())
        self.assertEqual((told["gpu"], told["profiler"]), ("NVIDIA H200", "Nsight Compute, Version 2025.3.1.0"))
        words = (self.scratch / "ncu.words").read_text()
        for option in ("--profile-from-start off", "--metrics gpu__time_duration.sum,", "--section LaunchStats", "--clock-control none",
                       "--cache-control all", "--target-processes all"):
            self.assertIn(option, words)
        for other in ("--set", "launch__", "derived__"):
            self.assertNotIn(other, words)

    def test_a_chip_without_a_metric_gets_all_sections(self):
        refuse = 'case "$*" in *--metrics*) echo "==ERROR== Failed to find metric regex:^x$"; exit 9;; esac'
        out, _ = self.profile(refuse=refuse)
        self.assertIn("bound by DRAM bandwidth", out.splitlines()[0])
        self.assertIn("--set full", (self.scratch / "ncu.words").read_text())

    def test_a_warm_suite_is_profiled_with_warm_caches(self):
        suite = self.work / "pawl.yaml"
        suite.write_text(suite.read_text().replace("measure: {", "measure: {cache: warm, "))
        self.profile()
        self.assertIn("--cache-control none", (self.scratch / "ncu.words").read_text())

    def test_only_the_second_call_is_in_the_range(self):
        self.profile()
        log = (self.scratch / "cuda.log").read_text().splitlines()
        self.assertEqual([line for line in log if line.startswith("profiler")], ["profiler start", "profiler stop"])

    def test_a_base_explains_the_change(self):
        out, _ = self.profile("--base", str(RECORDED / "sdpa_3backends_raw.csv"), "-o", "there")
        self.assertRegex(out.splitlines()[0], r"^268 us -> 939 us \(\+250\.\d %\)")
        self.assertTrue((self.work / "there/scale_fake-small.ncu-rep").exists())
        out, _ = self.profile("--base", str(RECORDED / "saxpy_raw.csv"), json_out=True)
        self.assertEqual(json.loads(out)["change"]["kernels"][0]["changes"], [])

    def test_a_revision_explains_the_change(self):
        """Both arms are built and profiled: of the base another recorded profile is played."""
        self.pawl("clean")
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
            subprocess.run(["git", *words], cwd=self.work, check=True, env=self.environment, capture_output=True)
        play = f'case $2 in */base/*) cat "{RECORDED}/sdpa_3backends_raw.csv";; *) cat "{RECORDED}/saxpy_raw.csv";; esac'
        out, _ = self.profile("--against", "HEAD", read=play)
        self.assertRegex(out.splitlines()[0], r"^268 us -> 939 us ")
        self.assertTrue((self.work / "perf/out/profile/base/scale_fake-small.ncu-rep").exists())
        _, error = self.profile("--against", "nowhere", status=None)
        self.assertIn("nowhere", error)

    def test_a_report_that_comes_late_is_waited_for(self):
        out, _ = self.profile(late="sleep 3")
        self.assertIn("saxpy", out)

    def test_what_keeps_ncu_from_it(self):
        """Each has its exit status and says what to do."""
        nothing = {"write": ":"}
        permission = {"log": 'echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission" >"$log"', **nothing}
        busy = {"log": 'echo "==ERROR== the driver resource was unavailable" >"$log"', **nothing}
        old = {"refuse": 'echo "==ERROR== unrecognised option \'--set\'"; exit 1'}
        other = {"log": 'echo "==ERROR== Something else" >"$log"', **nothing}
        broken = {"read": "echo cannot load the report >&2; exit 1"}
        cut = {"read": f'head -c 150000 "{RECORDED}/saxpy_raw.csv"'}
        for parts, status, words in ((permission, 77, "NVreg_RestrictProfilingToAdminUsers=0"),
                                     (busy, 69, "dcgmi profile --pause"),
                                     (old, 69, "this ncu is too old; install a newer Nsight Compute"),
                                     (other, 69, "ncu took no profile: Something else; its log is "),
                                     (nothing, 1, "ncu saw no kernel in the call"),
                                     (broken, 69, "cannot load the report"),
                                     (cut, 65, "the file is cut off")):
            with self.subTest(words=words):
                out, error = self.profile(status=status, **parts)
                self.assertIn(words, error)
                self.assertEqual(out, "")

    def test_kernels_of_pawl_itself_are_no_part_of_the_call(self):
        rename = f"sed 's/saxpy(/pawl_spin(/' \"{RECORDED}/saxpy_raw.csv\""
        _, error = self.profile(status=1, read=rename)
        self.assertIn("ncu saw no kernel in the call", error)

    @unittest.skipIf(shutil.which("ncu") or pathlib.Path("/usr/local/cuda/bin/ncu").exists(), "ncu is here")
    def test_without_ncu(self):
        _, error = self.pawl("profile", "scale_fake", "--case", "small", status=69)
        self.assertIn("cannot find 'ncu': install NVIDIA Nsight Compute", error)

    def test_a_cpu_kernel_is_counted_by_its_worker(self):
        out, _ = self.pawl("--json", "profile", "scale_cpu", "--case", "small")
        told = json.loads(out)
        kernel, = told["kernels"]
        counters = kernel["counters"]
        self.assertGreater(counters["cpu_s"], 0)
        self.assertGreater(counters["duration_s"], 0)
        self.assertEqual(counters["dram_pct"], None)
        if told["missing"]:  # no counters of the processor here: in a container, in a virtual machine
            self.assertEqual(counters["cpu_instructions"], None)
            self.assertRegex(told["missing"], "perf_event_paranoid|virtual PMU")
        else:
            self.assertGreater(counters["cpu_instructions"], 1000)  # n of them at least
        text, _ = self.pawl("profile", "scale_cpu")  # the suite has one case
        self.assertRegex(text, r"^scale_cpu, [0-9.]+ [nu]s: ")
        self.assertEqual("no counters of the processor" in text, bool(told["missing"]))

    def test_what_cannot_be_profiled(self):
        _, error = self.pawl("profile", "scale_fake", "--case", "smal", status=64)
        self.assertIn("did you mean 'small'?", error)
        _, error = self.pawl("profile", status=64)
        self.assertIn("has 2 kernels; name one: scale_fake or scale_cpu", error)


if __name__ == "__main__":
    fake_gpu_case.main(Profile)
