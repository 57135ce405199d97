#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pawl profile: a library in CUPTI's place counts on a GPU that is not there."""
import json
import os
import unittest

import fake_gpu_case
import fake_ncu

SUITE = """version: 1
operators:
  scale: {{sources: [operators/scale.c]}}
kernels:
  scale_fake: {{operator: scale, device: cuda, build: {{command: [cp, {plugin}, fake.so], output: fake.so}}}}
  scale_python: {{operator: scale, device: cuda, protocol: [python3, scale.py]}}
cases:
  small: {{operator: scale, n: 1000, dtype: f32}}
measure: {{warmup: 1, samples: 8, processes: 2, timeout: 20s}}
"""


class ProfileCupti(fake_gpu_case.FakeGpuCase):
    def write_suite(self):
        (self.work / "pawl.yaml").write_text(SUITE.format(plugin="scale_fake.so"))
        self.environment.update(PAWL_CUPTI_LIBRARY=str(self.fakes / "fake_cupti.so"), FAKE_CUPTI_LOG=str(self.scratch / "cupti.log"))

    def profile(self, *words, kernel="scale_fake", before=(), status=0, ncu="echo unrecognised option; exit 1", **environment):
        tools = fake_ncu.install(self.scratch, refuse=ncu)
        return self.pawl(*before, "profile", kernel, "--case", "small", *words, status=status,
                         PATH=f"{tools}:{self.environment['PATH']}", **environment)

    def test_one_call_is_counted_and_explained(self):
        out, _ = self.profile()
        self.assertRegex(out.splitlines()[0], "^scale, 50 us: bound by DRAM bandwidth: DRAM at 91 % of its peak: 200 MB read, 100 MB written")
        self.assertIn("counted by CUPTI, API version 130001", out)
        folder = self.work / "perf/out/profile"
        self.assertTrue((folder / "profile.svg").exists())
        told = json.loads((folder / "profile.json").read_text())
        self.assertEqual((told["profiler"], told["gpu"], told["compute_capability"]), ("CUPTI, API version 130001", "Fake GPU 0", "9.0"))
        kernel, = told["kernels"]
        counters = kernel["counters"]
        for key, value in {"duration_s": 50e-6, "sm_clock_hz": 1.98e9, "dram_read_bytes": 2e8, "coalesced_loads_pct": 100, "grid_blocks": 2000,
                           "block_threads": 256, "registers": 40, "shared_bytes": 1024 + 4096, "sm_count": 132,
                           "limit_blocks": 32, "limit_warps": 8, "limit_registers": 6, "limit_shared": 38,
                           "occupancy_most_pct": 75, "waves": 2000 / 6 / 132, "compulsory_bytes": 8000}.items():
            self.assertAlmostEqual(counters[key] / value, 1, msg=key)
        for key in ("l2_hit_pct", "spill_requests", "tensor_pct"):  # CUPTI does not say
            self.assertIsNone(counters[key], key)
        self.assertAlmostEqual(kernel["stalls_pct"]["long_scoreboard"], 90)

    def test_a_call_for_each_pass_and_the_first_known_name_of_each_counter(self):
        self.profile()
        log = (self.scratch / "cupti.log").read_text().splitlines()
        self.assertEqual(log.count("pass"), 3)
        self.assertEqual(log.count("sm__cycles_elapsed.avg"), 1)
        self.assertEqual(log.count("gpu__time_duration.sum"), 1)
        self.assertEqual(log.count("gpu__time_duration.avg"), 0)

    def test_its_table_is_a_base_and_a_file_to_import(self):
        out, _ = self.profile("-o", "first")
        table = str(self.work / "first/scale_fake-small.csv")
        imported, _ = self.pawl("profile", "--import", table)
        self.assertEqual(imported.splitlines()[0], out.splitlines()[0])
        out, _ = self.profile("--base", table)
        self.assertIn("50 us -> 50 us", out.splitlines()[0])

    def test_cupti_comes_first_and_ncu_counts_in_its_place(self):
        out, _ = self.profile(ncu=":")
        self.assertIn("counted by CUPTI", out)
        out, _ = self.profile(ncu=":", FAKE_CUPTI="crashes")
        self.assertIn("counted by Nsight Compute", out)

    def test_cupti_and_ncu_start_at_once_and_count_in_turns(self):
        """CUPTI and ncu have a process each for both versions. No worker goes on before the other has started."""
        self.commit_base("scale_fake.so")
        started = self.scratch / "started"
        started.mkdir()
        worker = self.scratch / "worker"
        worker.write_text(f"""#!/bin/sh
[ "$1" != kernel ] || : >"{started}/$$"
for i in $(seq 600); do
  [ "$1" = kernel ] && [ "$(ls "{started}" | wc -l)" -lt 2 ] || exec "{self.home}/libexec/pawl/pawl-worker" "$@"
  sleep .1
done
exit 1
""")
        worker.chmod(0o755)
        tools = fake_ncu.install(self.scratch)
        _, error = self.pawl("-v", "profile", "scale_fake", "--case", "small", "--against", "HEAD", PAWL_WORKER=str(worker),
                             PATH=f"{tools}:{self.environment['PATH']}")
        self.assertEqual(len(list(started.iterdir())), 2)
        log = (self.scratch / "cupti.log").read_text().splitlines()
        self.assertEqual((log.count("schedule"), log.count("pass")), (1, 6))
        for version in ("base", "candidate"):
            for what in ("counters", "samples"):
                self.assertRegex(error, rf"scale_fake, {version}: the {what} took [\d.]+ s to start, [\d.]+ s to wait for the turn, [\d.]+ s to prepare, [\d.]+ s of calls, ")

    def commit_base(self, plugin):
        suite = self.work / "pawl.yaml"
        text = suite.read_text().replace("measure: {", "measure: {isolation: off, ")
        (self.work / ".gitignore").write_text("/.pawl/\n/perf/out/\n/fake.so\n")
        suite.write_text(text.replace("scale_fake.so", plugin))
        self.git("init", "-q"), self.git("add", "-A"), self.git("commit", "-q", "-m", "Begin")
        suite.write_text(text)

    def passes_against(self, base, ncu, status=0):
        """(passes that CUPTI counted, what pawl said) of a profile whose base behaves so."""
        self.commit_base("scale_fake_otherwise.so")
        _, error = self.profile("--against", "HEAD", before=["-v"], status=status, ncu=ncu,
                                SCALE_FAKE_OTHERWISE=base, SCALE_FAKE="honest")
        return (self.scratch / "cupti.log").read_text().splitlines().count("pass"), error

    def test_a_version_that_dies_ends_no_other(self):
        """ncu takes its turn for the version that failed, and not the whole turn of both."""
        passes, error = self.passes_against("dies", "sleep 1; echo unrecognised option; exit 1", status=69)
        self.assertEqual(passes, 3)
        self.assertIn("the call works, and fails under CUPTI: kernel 'scale_fake' was killed by SIGABRT", error)

    def test_a_version_after_one_that_spoils_its_process_gets_its_own(self):
        """CUPTI counts it again, and not ncu, whose numbers are others."""
        passes, _ = self.passes_against("spoils", ":")
        self.assertEqual(passes, 6)
        told = json.loads((self.work / "perf/out/profile/profile.json").read_text())
        self.assertEqual(told["profiler"], "CUPTI, API version 130001")

    def test_one_process_counts_the_rows_of_a_run(self):
        """Both kernels are slower. So does one process under ncu sample them."""
        suite = self.work / "pawl.yaml"
        suite.write_text(suite.read_text().replace("  scale_python: {operator: scale, device: cuda, protocol: [python3, scale.py]}\n",
                         "  scale_two: {operator: scale, device: cuda, build: {command: [cp, scale_fake.so, two.so], output: two.so}}\n")
                         + "gate: {tolerate: 20%, detect: 60%, improve: 80%, false_alarm: 5%, miss: 10%, max_blocks: 16, busy: count}\n")
        self.commit_base("scale_fake.so")
        suite.write_text(suite.read_text().replace("cp, scale_fake.so", "cp, scale_fake_slow.so"))
        page = (fake_ncu.RECORDED / "transpose_samples.csv").read_text().splitlines(keepends=True)
        samples = self.scratch / "four.csv"
        samples.write_text("".join(page + page[-2:]))
        calls = self.scratch / "calls"
        tools = fake_ncu.install(self.scratch, samples=samples, log=f'export SCALE_FAKE_CALLS="{calls}"')
        self.pawl("run", "--against", "HEAD", status=1, PATH=f"{tools}:{self.environment['PATH']}")
        profiles = json.loads((self.work / "perf/out/verdict.json").read_text())["profiles"]
        self.assertEqual(sorted((row["folder"], row["missing"]) for row in profiles), [("profiles/scale_fake-small", None), ("profiles/scale_two-small", None)])
        log = (self.scratch / "cupti.log").read_text().splitlines()
        self.assertEqual((log.count("schedule"), log.count("pass")), (1, 12))
        self.assertEqual((self.scratch / "ncu.words").read_text().count("group:smsp"), 1)
        self.assertEqual(len(calls.read_text().splitlines()), 8)  # two of each version of each kernel
        for row in profiles:
            self.assertIn("line table", row["no_lines"])  # not: no samples

    def test_a_full_profile_is_that_of_ncu(self):
        out, _ = self.profile("--full", ncu=":")
        self.assertIn("counted by Nsight Compute", out)
        self.assertTrue((self.work / "perf/out/profile/scale_fake-small.ncu-rep").exists())
        out, error = self.profile("--full", status=69)
        self.assertEqual(out, "")
        self.assertNotIn("CUPTI", error)

    def test_what_keeps_cupti_from_it(self):
        """Each has its exit status and says what to do; that of ncu comes after it."""
        for behaviour, status, words in (("refuses", 77, "NVreg_RestrictProfilingToAdminUsers=0"),
                                         ("busy", 69, "CUPTI_ERROR_HARDWARE_BUSY (26); another profiler holds the GPU's counters"),
                                         ("crashes", 69, "the call works, and fails under CUPTI: kernel 'scale_fake' was killed by SIGABRT"),
                                         ("knows_none", 69, "this CUPTI knows no metric of the chip GH100; install a newer CUDA toolkit"),
                                         ("endless", 69, "it asked for more than 200 passes"),
                                         ("misses", 69, "the call launches 1 kernel, and CUPTI counted 0"),
                                         ("nothing", 69, "it saw no launch in the call")):
            with self.subTest(behaviour=behaviour):
                out, error = self.profile(status=status, FAKE_CUPTI=behaviour)
                self.assertIn(words, error)
                self.assertEqual(out, "")
                self.assertEqual(len(error.splitlines()), 1)

    def test_a_library_that_does_not_do(self):
        for library, words in ((self.fakes / "fake_cupti_older.so",
                                "this CUPTI has no function cuptiRangeProfilerGetCounterDataInfo; install the CUPTI of CUDA 12.8 or later"),
                               (self.scratch / "absent.so", "CUPTI took no profile: no CUPTI: ")):
            with self.subTest(words=words):
                _, error = self.profile(status=69, PAWL_CUPTI_LIBRARY=str(library))
                self.assertIn(words, error)

    def test_a_sandbox_that_is_required_leaves_ncu_out(self):
        """ncu works in no sandbox; CUPTI counts in the worker, which has one."""
        required = {"PAWL_ISOLATION": "required"}
        out, _ = self.profile(ncu=":", **required)
        self.assertIn("counted by CUPTI", out)
        _, error = self.profile(ncu=":", status=69, PAWL_CUPTI_LIBRARY=str(self.scratch / "absent.so"), **required)
        self.assertRegex(error, "cannot run 'scale_fake' under '.*/ncu' with 'isolation: required': that works in no sandbox")

    def test_doctor_names_it(self):
        def row(**environment):
            out, _ = self.pawl("--json", "doctor", "--quick", **environment)
            return next(row for row in json.loads(out)["tools"] if row["name"] == "CUPTI")
        self.assertEqual(row()["found"], "API version 130001")
        absent = row(PAWL_CUPTI_LIBRARY=str(self.scratch / "absent.so"))
        self.assertIn("needed for profiles of CUDA kernels in seconds", absent["reason"])
        self.assertEqual(absent["remedy"], "install the CUDA toolkit 12.8 or later")

    def write_python(self, call, end=""):
        (self.work / "scale.py").write_text(
            "import ctypes, os\nimport pawl_protocol\n\ndriver = ctypes.CDLL(os.environ['PAWL_CUDA_LIBRARY'])\n"
            "nothing = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda argument: None)\n\n\n"
            "class Scale(pawl_protocol.Kernel):\n    name, operator, device = 'scale_python', 'scale', 'cuda'\n\n"
            "    def prepare(self, sets, shape, threads):\n"
            "        context, self.stream = ctypes.c_void_p(), ctypes.c_void_p()\n"
            "        driver.cuInit(0), driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), driver.cuCtxSetCurrent(context)\n"
            "        driver.cuStreamCreate(ctypes.byref(self.stream), 0)\n\n"
            f"    def call(self, tensors, shape):\n        {call}\n"
            "        tensors['y'].write([2 * x for x in tensors['x'].values()])\n\n\n"
            f"{end}\npawl_protocol.serve(Scale())\n")

    @unittest.skipIf(os.environ.get("PAWL_TEST_SANITIZED"), "Python cannot load a library of a sanitizer")
    def test_a_kernel_in_python_is_counted(self):
        launch = "driver.fake_cuda_enqueue(self.stream, nothing, b'x', ctypes.c_size_t(1)), driver.cuCtxSynchronize()"
        self.write_python(launch)
        out, _ = self.profile(kernel="scale_python")
        self.assertIn("counted by CUPTI, API version 130001", out)
        self.assertEqual((self.scratch / "cupti.log").read_text().splitlines().count("pass"), 3)
        self.write_python("if getattr(self, 'called', False): raise KeyError('lost')\n        self.called = True")
        _, error = self.profile(kernel="scale_python", status=69)
        self.assertIn("the call works, and fails under CUPTI: kernel 'scale_python': KeyError: 'lost'", error)

    @unittest.skipIf(os.environ.get("PAWL_TEST_SANITIZED"), "Python cannot load a library of a sanitizer")
    def test_a_kernel_in_another_program_needs_ncu(self):
        self.write_python("pass", end="import pawl_counters\npawl_counters.count = lambda kernel, tensors, shape, params: {'ns': 1000}")
        _, error = self.profile(kernel="scale_python", status=69)
        self.assertIn("CUPTI took no profile: the kernel's program does not count; install NVIDIA Nsight Compute", error)

    def test_a_kernel_that_fails_by_itself_is_not_cuptis_fault(self):
        _, error = self.profile(status=1, SCALE_FAKE="error")
        self.assertIn("kernel 'scale_fake': launch returned error 7", error)
        self.assertNotIn("under CUPTI", error)


if __name__ == "__main__":
    fake_gpu_case.main(ProfileCupti)
