#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that judge kernels in pairs on GPUs that are not there: where a row's own time comes from, and what is found out
about a kernel although nothing measures it alone.

Usage: fake_gpu_pairs.py BUILD"""

import collections
import ctypes
import json
import os
import pathlib
import re
import time

import fake_gpu_case

SUITE = """version: 1
operators:
  scale: {{sources: [operators/scale.c]}}
kernels:
  scale_fake: {{operator: scale, device: cuda, build: {{command: [cp, {plugin}, fake.so], output: fake.so}}}}
  scale_cpu: {{operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}}
cases:
  small: {{operator: scale, n: 1000, dtype: f32}}
  tiny: {{operator: scale, n: 100, dtype: f32}}
check:
  scale: {{n: [1, 1000]}}
# the fakes write what they do into files
measure: {{warmup: 1, samples: 8, processes: 2, timeout: 20s, isolation: off}}
gate: {{tolerate: 20%, detect: 60%, improve: 80%, false_alarm: 5%, miss: 10%, max_blocks: 10}}
# a profile is one context more
profile: {{regression: false, improvement_over: 100%}}
"""
PR_SET_CHILD_SUBREAPER = 36  # from <linux/prctl.h>
SYMBOLIZER = "llvm-symbolizer"  # a sanitizer's own
WARMUP = 24
SAMPLES = 10  # the fewest that an arm may have in a block


def collect_children():
    """The names of our children, those that end a moment later too."""
    names, deadline = [], time.monotonic() + 10
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return names
        if not ended and time.monotonic() > deadline:
            return [*names, "one that runs"]
        if not ended:
            time.sleep(0.01)
            continue
        names.append(pathlib.Path(f"/proc/{ended.si_pid}/comm").read_text().strip())
        os.waitpid(ended.si_pid, 0)


class Pairs(fake_gpu_case.FakeGpuCase):
    def write_suite(self):
        (self.work / "pawl.yaml").write_text(SUITE.format(plugin="scale_fake.so"))

    def setUp(self):
        """A commit, and a working tree in which the kernel on the GPU has other machine code."""
        super().setUp()
        (self.work / ".gitignore").write_text("/.pawl/\n/perf/out/\n/fake.so\n")
        self.git("add", "-A"), self.git("commit", "-q", "-m", "Begin")
        suite = self.work / "pawl.yaml"
        suite.write_text(suite.read_text().replace("scale_fake.so", "scale_fake_otherwise.so"))
        self.git("commit", "-qam", "Compute it otherwise")

    def run_all(self, *words, **environment):
        """The rows of the results. On a busy machine the verdict may be anything."""
        _, error = self.pawl("run", "--against", "HEAD~1", *words, status=None, **environment)
        path = self.work / "perf/out/results.json"
        self.assertTrue(path.exists(), error)
        return json.loads(path.read_text())["results"]

    def run_pawl(self, *words, **environment):
        """(rows of the results, those of the verdict, the notices), rows by case."""
        rows = self.run_all("scale_fake", *words, **environment)
        verdict = json.loads((self.work / "perf/out/verdict.json").read_text())
        return {r["case"]: r for r in rows}, {c["case"]: c for c in verdict["comparisons"]}, verdict["notices"]

    def contexts(self):
        return len((self.scratch / "cuda.log").read_text().splitlines())

    def test_a_row_has_its_time_from_the_blocks(self):
        """No process times the kernel alone: contexts are those of the check and of blocks."""
        rows, compared, _ = self.run_pawl("--case", "small", PAWL_AHEAD="0")
        row, pair = rows["small"], compared["small"]["paired"]
        self.assertEqual((row["outcome"], row["environment"]["timed"]), ("ok", "in pairs"))
        self.assertEqual([len(p["samples_ms"]) for p in row["processes"]], [SAMPLES] * len(pair["blocks"]))
        self.assertEqual(len(row["performance"]["samples_ms"]), SAMPLES * len(pair["blocks"]))
        self.assertGreater(row["performance"]["median_ms"], 0)
        self.assertTrue(row["correctness"]["passed"])
        self.assertTrue(row["gpu_state"]["after"]["frequency_mhz"])
        self.assertEqual(self.contexts(), 1 + 2 * len(pair["blocks"]))

    def test_a_process_warms_up_once(self):
        """It serves both cases. For the second one each set has one call before its samples."""
        suite, launches, calls = self.work / "pawl.yaml", self.scratch / "launches", collections.defaultdict(collections.Counter)
        suite.write_text(suite.read_text().replace("warmup: 1", f"warmup: {WARMUP}"))
        self.git("commit", "-q", "--amend", "-a", "--no-edit")
        self.run_all("scale_fake", PAWL_AHEAD="0", SCALE_FAKE_LAUNCHES=str(launches))
        for line in launches.read_text().splitlines():
            process, elements, _ = line.split()
            calls[process][elements] += 1  # a dictionary keeps the order
        both = [list(counts.values()) for counts in calls.values() if len(counts) == 2]
        self.assertGreater(min(first for first, _ in both), WARMUP + SAMPLES)
        self.assertLess(min(second for _, second in both), WARMUP, "a block without further pairs of calls")

    def change_the_cpu_kernel(self):
        """Other machine code: equal code is not timed."""
        with open(self.work / "kernels/scale_cpu.c", "a") as source:
            source.write("int more(int n) {\n  return 3 * n;\n}\n")

    def test_the_first_pairs_start_beside_the_check(self):
        """Where nothing is timed between the two."""
        self.change_the_cpu_kernel()
        line, told = r"pairs of processes start beside the check\n(?s:.*)^check: ", []
        drawn = r"^the first block has new inputs for \d+ of 12 calls\n(?s:.*)a block took "
        for words in (["scale_fake"], []):
            _, error = self.pawl("-v", "run", *words, "--against", "HEAD~1", "--case", "small", status=None)
            told.append((bool(re.search(line, error, re.MULTILINE)), bool(re.search(drawn, error, re.MULTILINE))))
        self.assertEqual(told, [(True, True), (False, False)], error)

    def test_a_kernel_that_fails_beside_waiting_processes_is_checked_again_alone(self):
        for behaviour, again in (("error", True), ("nothing", False)):
            _, error = self.pawl("-v", "run", "scale_fake", "--against", "HEAD~1", "--case", "small", status=1,
                                 SCALE_FAKE_OTHERWISE=behaviour)
            self.assertIn("start beside the check", error)
            self.assertEqual("pawl checks it again alone" in error, again)
            rows = json.loads((self.work / "perf/out/results.json").read_text())["results"]
            self.assertEqual([r["outcome"] for r in rows], ["crashed" if again else "wrong"])

    def test_a_run_leaves_no_process_behind(self):
        """Not even one that has ended: where process 1 of a container collects nobody's children it would stay."""
        self.assertEqual(ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0)
        self.addCleanup(lambda: ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0))
        suite = self.work / "pawl.yaml"
        suite.write_text(suite.read_text().replace(", isolation: off", ""))  # with the first processes of sandboxes
        self.git("commit", "-qam", "Isolate")
        self.pawl("run", "scale_fake", "--against", "HEAD~2", "--case", "small", status=None, FAKE_CUDA_LOG="")
        self.assertEqual([name for name in collect_children() if name != SYMBOLIZER], [])

    def test_tools_list_the_machine_code_before_the_first_block(self):
        """The only context then is that of the check. The verdict does not wait for tools that begin after the last block."""
        tools, seen = self.scratch / "tools", self.scratch / "seen"
        tools.mkdir()
        (tools / "cuobjdump").write_text(f"#!/bin/sh\ncat {self.scratch}/cuda.log >{seen}.part 2>/dev/null; mv {seen}.part {seen}\n")
        (tools / "cuobjdump").chmod(0o755)
        _, error = self.pawl("-v", "run", "scale_fake", "--against", "HEAD~1", "--case", "small", status=None, PAWL_AHEAD="0",
                             PATH=f"{tools}:{self.environment['PATH']}")
        self.assertRegex(error, r"pawl waited \d+\.\d\d s for 4 lists of instructions")
        self.assertLessEqual(len(seen.read_text().splitlines()), 1)

    def test_rows_stand_in_the_order_of_the_suite(self):
        self.change_the_cpu_kernel()
        rows = self.run_all()
        self.assertEqual([(r["kernel_name"], r["case"]) for r in rows],
                         [("scale_fake", "small"), ("scale_fake", "tiny"), ("scale_cpu", "small"), ("scale_cpu", "tiny")])
        self.assertEqual([r["environment"].get("timed") for r in rows], ["in pairs", "in pairs", None, None])

    def test_a_kernel_that_stores_results_is_found_out(self):
        rows, compared, _ = self.run_pawl("--case", "small", SCALE_FAKE_OTHERWISE="stores")
        self.assertEqual(rows["small"]["outcome"], "wrong")
        self.assertIn("it stores results: ", rows["small"]["reason"])
        self.assertEqual(compared["small"]["verdict"], "broken")

    def test_a_kernel_that_is_wrong_where_it_is_timed_is_broken(self):
        rows, compared, _ = self.run_pawl("--case", "small", SCALE_FAKE_OTHERWISE="captured")
        self.assertEqual(rows["small"]["outcome"], "wrong")
        self.assertIn("of 1000 elements of 'y' are unwritten or NaN", rows["small"]["reason"])
        self.assertEqual(compared["small"]["verdict"], "broken")

    def test_where_the_base_fails_the_kernel_is_measured_alone(self):
        rows, compared, notices = self.run_pawl("--case", "small", SCALE_FAKE="error", SCALE_FAKE_OTHERWISE="honest")
        self.assertIsNone(compared["small"]["paired"])
        self.assertIn("launch returned error 7", " ".join(notices))
        self.assertEqual([len(p["samples_ms"]) for p in rows["small"]["processes"]], [4, 4])
        self.assertNotIn("timed", rows["small"]["environment"])

    def test_where_all_blocks_were_throttled_there_is_no_time(self):
        rows, compared, _ = self.run_pawl("--case", "small", FAKE_NVML_REASONS="0x40")
        self.assertEqual(rows["small"]["outcome"], "inconclusive")
        self.assertIn("the device was throttled each of ", rows["small"]["reason"])
        self.assertEqual(compared["small"]["verdict"], "inconclusive")

    def test_a_gpu_that_is_lost_decides_nothing(self):
        rows, compared, _ = self.run_pawl("--case", "small", FAKE_CUDA_LOST="0:3", PAWL_AHEAD="0")
        self.assertEqual((rows["small"]["outcome"], compared["small"]["verdict"]), ("inconclusive", "inconclusive"))
        self.assertIn("was lost", rows["small"]["reason"])

    def test_memory_is_the_kernels_alone(self):
        """Both arms take 3 MiB by themselves, of a GPU whose memory they share, and serve both cases."""
        used = {"FAKE_CUDA_USED": str(self.scratch / "used")}
        plain, _, _ = self.run_pawl(**used)
        own, _, _ = self.run_pawl(SCALE_FAKE="allocates", **used)
        for case in ("small", "tiny"):
            taken = own[case]["performance"]["peak_memory_mb"] - plain[case]["performance"]["peak_memory_mb"]
            self.assertAlmostEqual(taken, 3, delta=0.1, msg=case)


if __name__ == "__main__":
    fake_gpu_case.main(Pairs)
