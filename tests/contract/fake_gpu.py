#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole program on GPUs that are not there: `pawl` with the driver and NVML of tests/plugins/fake, a kernel that
runs on them, and what GPUs do to measurements: throttling, impossible times, two of them at once, locked clocks.

Usage: fake_gpu.py BUILD"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import fake_gpu_case

FAKES = pathlib.Path(__file__).resolve().parent.parent / "plugins/fake"
REPORTS = pathlib.Path(__file__).resolve().parent.parent / "data" / "sanitizer"
UUID = "GPU-ab000000-0000-0000-0000-00000000000%d"
SUITE = """version: 1
operators:
  scale: {{sources: [operators/scale.c]}}
kernels:
  scale_fake: {{operator: scale, device: cuda, build: {{command: [cp, {plugin}, fake.so], output: fake.so}}}}
cases:
  small: {{operator: scale, n: 1000, dtype: f32}}
  tiny: {{operator: scale, n: 100, dtype: f32}}
  large: {{operator: scale, n: 2000000, dtype: f32}}
check:
  scale: {{n: [1, 1000]}}
# the fakes write what they do into files
measure: {{warmup: 1, samples: 8, processes: 2, timeout: 20s, isolation: off{measure}}}
"""


COARSE = "gate: {tolerate: 20%, detect: 60%, improve: 80%, false_alarm: 5%, miss: 10%, max_blocks: 10}\n"


class Helpers(fake_gpu_case.FakeGpuCase):
    def write_suite(self, measure=""):
        (self.work / "pawl.yaml").write_text(SUITE.format(plugin="scale_fake.so", measure=measure))

    def bench(self, *words, before=(), status=0, **environment):
        """The rows of the results."""
        out, _ = self.pawl("--json", *before, "bench", *words, status=status, **environment)
        return json.loads(out)["results"]

    def log(self, name):
        path = self.scratch / name
        return path.read_text().splitlines() if path.exists() else []

    def kill_in_the_middle(self, command, is_middle, *words):
        """Kills pawl there; every process with these words must end."""
        process = subprocess.Popen([str(self.home / "bin/pawl"), *command], cwd=self.work, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while not is_middle() and time.monotonic() < until:
            time.sleep(0.05)
        self.assertGreater(len(self.workers(*words)), 0)
        process.kill()
        process.wait()
        until = time.monotonic() + 20
        while self.workers(*words) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(self.workers(*words), [])

    def workers(self, *words):
        """The processes that have code of this test's suite, or these words in their command."""
        found, words = [], [word.encode() for word in words or ("pawl-worker", str(self.work))]
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                command = entry.read_bytes()
            except OSError:
                continue
            if command and all(word in command for word in words):
                found.append(entry.parent.name)
        return found

    def python_reference(self, body="", words=""):
        """Its environment, when a PyTorch that is none stands in: who imported that, and whose child each process is."""
        packages = self.scratch / "packages/torch"
        packages.mkdir(parents=True, exist_ok=True)
        (packages / "__init__.py").write_text("import os\nIMPORTED_BY = os.getpid()\n")
        (self.work / "scale.py").write_text(
            "import os, sys\nimport pawl_protocol\nimport torch\n\n\n"
            "class Scale(pawl_protocol.Kernel):\n"
            "    name, operator, device = 'scale_py', 'scale', 'cuda'\n\n"
            "    def environment(self):\n"
            "        return {'forked': str(torch.IMPORTED_BY != os.getpid()), 'words': ' '.join(sys.argv),\n"
            "                'alone': str(torch.IMPORTED_BY == os.getpid()),\n"
            "                'variable': os.environ['CUDA_DEVICE_MAX_CONNECTIONS']}\n\n"
            "    def call(self, tensors, shape):\n"
            "        tensors['y'].write([2 * x for x in tensors['x'].values()])\n\n\n"
            f"{body}\npawl_protocol.serve(Scale())\n")
        suite = self.work / "pawl.yaml"
        text = suite.read_text().partition("references:")[0]
        suite.write_text(text + "references:\n  known: {operator: scale, device: cuda, protocol: "
                         f"[{sys.executable}, scale.py, a, b]}}\n")
        row = self.bench("known", "--case", "small", status=None, PYTHONPATH=str(packages.parent))[0]
        return row


class Gpu(Helpers):
    # --- who has the driver open

    def test_pawl_itself_does_not_open_the_driver(self):
        """A child does, beside git and the build, once for all of the run."""
        inits = self.scratch / "inits"
        done = subprocess.Popen(["pawl", "bench", "--case", "tiny"], cwd=self.work, stdout=subprocess.DEVNULL,
                                env={**self.environment, "FAKE_CUDA_INITS": str(inits)})
        self.assertEqual(done.wait(100), 0)
        opened = inits.read_text().split()
        self.assertNotIn(str(done.pid), opened)
        self.assertEqual(len(opened), 1 + 2, "the search, and two processes that are timed")

    def test_a_driver_that_crashes_costs_only_the_gpu(self):
        _, error = self.pawl("bench", "--case", "tiny", status=69, FAKE_CUDA_FAULT="crash")
        self.assertIn("the NVIDIA driver ended the process that looks for GPUs: Aborted", error)

    def test_what_looks_for_gpus_keeps_nothing_of_pawls(self):
        """Its output ends with pawl, although the child may end later; and it does end."""
        seen = self.scratch / "inits"
        self.bench("--case", "tiny", FAKE_CUDA_INITS=str(seen))
        end = time.monotonic() + 10
        while (left := [p for p in seen.read_text().split() if os.path.exists(f"/proc/{p}")]) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(left, [])

    # --- throttling

    def throttle(self, readings):
        path = self.scratch / "throttled"
        path.write_text(str(readings))
        return {"FAKE_NVML_THROTTLED": str(path)}

    def test_a_throttled_process_is_repeated(self):
        row = self.bench("--case", "small", **self.throttle(1))[0]  # after the first process's round
        self.assertEqual(row["outcome"], "ok")
        self.assertEqual([len(p["samples_ms"]) for p in row["processes"]], [4, 4])
        self.assertIn("left out 1 throttled process: the clock was throttled: hw_slowdown", row["warnings"])
        self.assertEqual(row["gpu_state"]["after"]["event_reasons"], "")

    def test_where_all_were_throttled_there_is_no_time(self):
        row = self.bench("--case", "small", status=2, FAKE_NVML_REASONS="0x40")[0]
        self.assertEqual(row["outcome"], "inconclusive")
        self.assertEqual(row["reason"], "the device was throttled each of 3 times: the clock was throttled: "
                                        "hw_thermal_slowdown")
        self.assertIsNone(row["performance"])
        self.assertEqual(row["gpu_state"]["after"]["event_reasons"], "hw_thermal_slowdown")
        out, _ = self.pawl("bench", "--case", "small", status=2, FAKE_NVML_REASONS="0x40")
        self.assertRegex(out, r"(?m)^inconclusive: scale_fake on small: the device was throttled")

    def test_a_run_while_throttled_decides_nothing(self):
        out, _ = self.pawl("run", FAKE_NVML_REASONS="0x40")
        self.assertIn("INCONCLUSIVE", out.splitlines()[0])

    # --- times that cannot be

    def test_outputs_written_beside_the_timed_region_are_found_out(self):
        """Right for the usual inputs, stable, and faster than memory can be read; not for those that change behind it."""
        row = self.bench("--case", "large", status=1, SCALE_FAKE="watches")[0]
        self.assertEqual(row["outcome"], "wrong")
        self.assertIn("elements of 'y' are out of tolerance", row["reason"])
        row = self.bench("--case", "large", "--samples", "4")[0]
        self.assertEqual(row["outcome"], "ok", row["reason"])

    def test_calls_that_do_nothing_are_found_out(self):
        row = self.bench("--case", "small", "--samples", "40", status=1, SCALE_FAKE="skips")[0]
        self.assertEqual(row["outcome"], "wrong")
        # by chance calls on new inputs come first
        self.assertRegex(row["reason"], "^a (timed call|call on new inputs) did not write its outputs$")

    def test_timed_outputs_are_themselves_compared(self):
        """Right wherever a call is not captured to be timed."""
        self.pawl("check", SCALE_FAKE="captured")
        for behaviour, reason in (("captured", "of 1000 elements of 'y' are unwritten or NaN"),
                                  ("recalls", "of 1000 elements of 'y' are out of tolerance")):
            row = self.bench("--case", "small", status=1, SCALE_FAKE=behaviour)[0]
            self.assertEqual(row["outcome"], "wrong")
            self.assertIn(reason, row["reason"])

    def test_work_left_out_of_batches_is_found_out(self):
        self.write_suite(measure=", cache: warm")
        self.assertEqual(self.bench("--case", "small")[0]["outcome"], "ok")
        for _ in range(5):  # a call that the machine held up is a batch of its own, in which nothing can be left out
            row = self.bench("--case", "small", status=None, SCALE_FAKE="stands")[0]
            if row["outcome"] != "ok":
                break
        self.assertEqual((row["outcome"], row["reason"]),
                         ("wrong", "it skips work in repeated calls: it does not write its outputs again after "
                          "pawl overwrote them between two calls"))

    def test_cold_is_cold(self):
        environment = self.bench("--case", "small")[0]["environment"]
        l2 = environment["device"]["last_level_cache_bytes"]
        self.assertEqual(l2, 2 << 20)
        self.assertGreaterEqual(environment["flush_bytes"], 2 * l2)
        self.assertEqual((environment["cache"], environment["buffer_sets"]), ("cold", 4))
        self.assertTrue(environment["cpu"])  # the host that launches the kernels
        for fault in "persisting", "no_persisting":  # in the L2, whatever is flushed; and where there is no such thing
            self.assertEqual(self.bench("--case", "small", FAKE_CUDA_FAULT=fault)[0]["outcome"], "ok")

    # --- a host that is late

    def test_times_in_which_the_gpu_waited_for_the_host_are_named(self):
        def waits(**environment):
            return [text for text in self.bench("--case", "small", **environment)[0]["warnings"] if "waited for the host" in text]
        self.assertEqual(waits(FAKE_CUDA_FAULT="slow_host"), [])
        launches = waits(SCALE_FAKE="waits")
        self.assertEqual(len(launches), 1)
        self.assertRegex(launches[0], r"^the device waited for the host in (\d+) of \1 samples: these times are too long, or the "
                                      r"launch itself waits$")

    # --- memory

    def test_memory_that_a_kernel_takes_by_itself_counts(self):
        plain = self.bench("--case", "small")[0]["performance"]["peak_memory_mb"]
        own = self.bench("--case", "small", SCALE_FAKE="allocates")[0]["performance"]["peak_memory_mb"]
        self.assertAlmostEqual(own - plain, 3, delta=0.1)
        self.assertAlmostEqual(plain, 2 * 4000 / 2**20, delta=0.001)

    def test_a_shape_larger_than_the_gpu_is_refused_before_it_is_filled(self):
        _, says = self.pawl("bench", "--case", "small", "--set", "n=100000000", status=78, FAKE_CUDA_MIB="512")
        self.assertRegex(says, r"n=100000000,\S* needs 0\.7 GiB for the tensors .*, but this GPU has 0\.5 GiB of memory")

    # --- compute-sanitizer

    def write_sanitizer(self, report, end='shift 8; exec "$@"'):
        """A program in its place, which writes a report and runs the worker; the folder where it is."""
        tools = self.scratch / "tools"
        tools.mkdir(exist_ok=True)
        (tools / "compute-sanitizer").write_text(f'#!/bin/sh\n[ "$1" != --version ] || {{ echo "Version 2025.1.0"; exit 0; }}\n'
                                                 f"{report}\n{end}\n")
        (tools / "compute-sanitizer").chmod(0o755)
        return tools

    def test_what_the_sanitizer_finds_fails_the_kernel(self):
        """The reports are real ones."""
        tools = self.write_sanitizer(f'cp "{REPORTS}/$2.txt" "$4"')
        path = {"PATH": f"{tools}:{self.environment['PATH']}"}
        out, _ = self.pawl("--json", "check", "--sanitize", "memcheck,racecheck", status=1, **path)
        self.assertEqual([(r["tool"], r["ran"], bool(r["findings"])) for r in json.loads(out)["sanitizer"]],
                         [("memcheck", True, True), ("racecheck", True, True)])
        self.write_sanitizer(":")
        out, _ = self.pawl("--json", "check", "--sanitize", "memcheck", status=2, **path)
        self.assertEqual(json.loads(out)["sanitizer"][0]["reason"], "the sanitizer wrote no summary")
        for trouble in ("Unable to find injection library libsanitizer-collection.so",
                        "Error: Target application terminated before first instrumented API call",
                        "Error: No attachable process found. compute-sanitizer timed-out."):  # the tool cannot start
            for end in ("exit 1", 'shift 8; exec "$@"'):
                self.write_sanitizer(f'printf "========= COMPUTE-SANITIZER\\n========= {trouble}\\n" >"$4"', end)
                out, _ = self.pawl("check", "--sanitize", "memcheck", status=69, **path)
                self.assertRegex(out, f"scale_fake: memcheck on .*: not run: compute-sanitizer does not start: {trouble}; install ")

    # --- several GPUs

    def test_the_gpu_that_is_named_is_the_one_that_works(self):
        for name in ("1", UUID % 1):
            row = self.bench("--case", "small", before=("--device", name))[0]
            self.assertEqual(row["environment"]["device"]["uuid"], UUID % 1)
        self.assertEqual(set(self.log("cuda.log")), {"context 1"})

    def test_two_gpus_share_the_cases(self):
        rows = self.bench("--samples", "4", before=("--device", "0,1"), FAKE_CUDA_NAME="GPU")
        self.assertEqual(sorted(r["case"] for r in rows), ["large", "small", "tiny"])
        on = {r["case"]: r["environment"]["device"]["uuid"] for r in rows}
        self.assertEqual(on, {"small": UUID % 0, "large": UUID % 0, "tiny": UUID % 1})
        self.assertEqual({r["case"]: r["gpu_state"]["after"]["frequency_mhz"] for r in rows},
                         {"small": 1980, "large": 1980, "tiny": 1981})  # each read from its own GPU
        self.assertEqual(set(self.log("cuda.log")), {"context 0", "context 1"})
        out, _ = self.pawl("--device", "0,1", "bench", "--samples", "4", "-o", "both.json", FAKE_CUDA_NAME="GPU")
        self.assertRegex(out, r"tiny .* 1\n")
        self.assertEqual(len(json.loads((self.work / "both.json").read_text())["results"]), 3)

    def test_four_gpus_check_bench_and_run(self):
        """All, by `all`: every case and row once, each on one GPU, as one GPU alone would have it."""
        four = {"FAKE_CUDA_NAME": "GPU", "FAKE_CUDA_COUNT": "4"}
        one, _ = self.pawl("--json", "check", **four)
        out, _ = self.pawl("--json", "--device", "all", "check", **four)
        key = ("row", "config", "distribution", "seed", "outcome", "max_abs_error", "correlation")
        ours, theirs = (json.loads(text)["kernels"][0] for text in (out, one))
        self.assertEqual([[r[k] for k in key] for r in ours["rows"]], [[r[k] for k in key] for r in theirs["rows"]])
        self.assertEqual([r["gpu"] for r in ours["rows"]], [UUID % (r["row"] % 4) for r in ours["rows"]])
        self.assertEqual({r["gpu"] for r in theirs["rows"]}, {UUID % 0})
        self.assertEqual((ours["passed"], ours["rows_passed"]), (True, theirs["rows_passed"]))
        text, _ = self.pawl("--device", "3,1", "check", "-o", "check.json", **four)
        self.assertEqual(text.splitlines()[0], f"scale_fake: {ours['rows_passed']} of {ours['rows_passed']} passed")
        self.assertEqual({r["gpu"] for r in json.loads((self.work / "check.json").read_text())["kernels"][0]["rows"]},
                         {UUID % 3, UUID % 1})
        self.pawl("--device", "all", "check", "--case", "tiny", "--reduced", **four)  # fewer rows than GPUs
        rows = self.bench("--samples", "4", before=("--device", "all"), **four)
        self.assertEqual({r["case"]: r["environment"]["device"]["uuid"] for r in rows},
                         {"small": UUID % 0, "tiny": UUID % 1, "large": UUID % 2})
        out, _ = self.pawl("--device", "all", "run", "--against", "none", **four)
        self.assertIn("no baseline yet for 3 of 3 configurations", out.splitlines()[0])
        self.assertRegex(out, r"new +scale_fake +tiny +- +[0-9.]+ [num]?s")
        self.assertEqual(self.on(), {"small": UUID % 0, "tiny": UUID % 1, "large": UUID % 2})

    def on(self):
        """The GPU of each case in the last run."""
        rows = json.loads((self.work / "perf/out/results.json").read_text())["results"]
        return {r["case"]: r["environment"]["device"]["uuid"] for r in rows}

    def test_a_run_on_two_gpus_pairs_each_case_on_one(self):
        suite, both = self.work / "pawl.yaml", {"FAKE_CUDA_NAME": "GPU"}
        text = suite.read_text().replace("  large: {operator: scale, n: 2000000, dtype: f32}\n", "")
        suite.write_text(text + COARSE)
        (self.work / ".gitignore").write_text("/.pawl/\n/perf/out/\n/fake.so\n")
        self.git("add", "-A"), self.git("commit", "-q", "-m", "Begin")
        self.pawl("--device", "0,1", "run", "--update-baseline", **both)
        self.git("add", "-A"), self.git("commit", "-q", "-m", "Record")
        entries = json.loads((self.work / "perf/baseline.json").read_text())["entries"]
        self.assertEqual(sorted(e["case_name"] for e in entries), ["small", "tiny"])
        self.assertEqual(len({e["hardware"] for e in entries}), 1)
        suite.write_text(suite.read_text().replace("scale_fake.so", "scale_fake_otherwise.so"))
        self.git("commit", "-qam", "Compute it otherwise")
        (self.scratch / "cuda.log").unlink()
        out, _ = self.pawl("--device", "0,1", "run", **both, status=None)  # on a busy machine it may say anything
        verdict = json.loads((self.work / "perf/out/verdict.json").read_text())
        self.assertIsNone(verdict["shard"])
        pairs = {c["case"]: c["paired"] for c in verdict["comparisons"]}
        self.assertEqual({case: pair["gpu"] for case, pair in pairs.items()}, self.on(), out)
        self.assertEqual(self.on(), {"small": UUID % 0, "tiny": UUID % 1})
        self.assertTrue(all(pair["blocks"] and not pair["identical_code"] for pair in pairs.values()))
        self.assertEqual(set(self.log("cuda.log")), {"context 0", "context 1"})

    def test_an_interrupt_of_several_gpus_writes_the_decided_rows(self):
        """The fifth call of the large case in a process never returns. The other GPU's part is decided, and the CPU's has not begun."""
        (self.work / "fake.c").write_text(
            '#include <fcntl.h>\nstatic unsigned stands(long n) {\n  static int calls;\n'
            '  if (n <= 1000 || ++calls <= 4) return 0;  /* a check calls it less often */\n'
            f'  return open("{self.scratch}/stands", O_CREAT | O_WRONLY, 0600) < 0 ? 0 : 100000;\n}}\n'
            f'#define SCALE_FAKE_SLEEP_MS(n) stands(n)\n#include "{FAKES}/scale_fake.c"\n')
        suite = self.work / "pawl.yaml"
        build = f"cc -std=gnu11 -shared -fPIC -I{FAKES} -I{self.home}/include fake.c -o fake.so".replace(" ", ", ")
        suite.write_text(suite.read_text().replace("cp, scale_fake.so, fake.so", build).replace("timeout: 20s", "timeout: 90s").replace(
            "kernels:\n", "kernels:\n  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}\n"))
        for number, again in ((signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGINT, True)):
            shutil.rmtree(self.work / "perf", ignore_errors=True)
            (self.scratch / "stands").unlink(missing_ok=True)
            run = subprocess.Popen(["pawl", "--device", "0,1", "run", "--against", "none"], cwd=self.work, text=True,
                                   env={**self.environment, "FAKE_CUDA_NAME": "GPU"}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            until = time.monotonic() + 90
            while (not (self.scratch / "stands").exists() or self.workers("--shard", "2/3")) and time.monotonic() < until:
                time.sleep(0.05)
            if again:  # a stopped part cannot end before the second signal
                os.kill(int(self.workers("--shard", "1/3")[0]), signal.SIGSTOP)
            run.send_signal(number)
            self.assertIn("stopping; pawl writes the report", run.stderr.readline())
            if again:
                run.send_signal(number)
            out, error = run.communicate(timeout=60)
            self.assertEqual(run.returncode, -number, out + error)
            self.assertNotIn("stopping", error)  # once, not by each part
            path = self.work / "perf/out/verdict.json"
            rows = json.loads(path.read_text())["comparisons"] if path.exists() else []
            decided = [(r["kernel_name"], r["case"]) for r in rows if "was interrupted" not in r["reason"]]
            self.assertEqual((len(rows), decided), (0, []) if again else (6, [("scale_fake", "small"), ("scale_fake", "tiny")]))

    def test_kernels_for_the_cpu_wait_until_the_gpus_are_done(self):
        suite = self.work / "pawl.yaml"
        suite.write_text(suite.read_text().replace(
            "kernels:\n", "kernels:\n  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}\n"))
        rows = self.bench("--samples", "4", before=("--device", "all"), FAKE_CUDA_NAME="GPU")
        self.assertEqual(len(rows), 6)
        self.assertEqual([r["device"] for r in rows], ["cuda"] * 3 + ["cpu"] * 3)
        last = max(r["timestamp"] for r in rows if r["device"] == "cuda")
        self.assertTrue(all(r["timestamp"] >= last for r in rows if r["device"] == "cpu"))
        out, _ = self.pawl("--device", "all", "run", "--against", "none", FAKE_CUDA_NAME="GPU")
        self.assertIn("no baseline yet for 6 of 6 configurations", out.splitlines()[0])
        _, error = self.pawl("--device", "all", "run", "--update-baseline", status=64, FAKE_CUDA_NAME="GPU")
        self.assertIn("the suite also has CPU kernels", error)

    def test_the_build_before_several_gpus_is_under_the_budget(self):
        """Without it the build would take 100 s. The GPUs, and then the CPU, get what is left of the budget."""
        suite, text = self.work / "pawl.yaml", (self.work / "pawl.yaml").read_text()
        suite.write_text(text.replace("kernels:\n", 'kernels:\n  slow: {operator: scale, build: {command: [sleep, "100"], output: no.so}}\n'))
        out, _ = self.pawl("--device", "all", "run", "--against", "none", "--budget", "3s", FAKE_CUDA_NAME="GPU", status=2)
        self.assertIn("INCONCLUSIVE", out.splitlines()[0])
        self.assertIn("not measured: the budget of 3 s ended", out)
        self.assertNotIn("no baseline yet", out)

    def test_a_gpu_is_lost_while_the_other_goes_on(self):
        both = {"FAKE_CUDA_NAME": "GPU", "FAKE_CUDA_LOST": "1:1"}
        rows = self.bench("--samples", "4", before=("--device", "0,1"), status=2, **both)
        self.assertEqual({r["case"]: r["outcome"] for r in rows},
                         {"small": "ok", "large": "ok", "tiny": "inconclusive"})
        reason = next(r["reason"] for r in rows if r["case"] == "tiny")
        self.assertIn(f"GPU 1 ({UUID % 1}) was lost: ", reason)
        (self.scratch / "cuda.log").unlink()
        out, _ = self.pawl("--device", "0,1", "check", status=2, **both)
        self.assertRegex(out, r"scale_fake: (\d+) of \1 passed\n")
        self.assertIn("  the check is incomplete: GPU 1 (", out)
        (self.scratch / "cuda.log").unlink()
        out, _ = self.pawl("--device", "0,1", "run", "--against", "none", **both)
        self.assertIn("INCONCLUSIVE", out.splitlines()[0])
        rows = json.loads((self.work / "perf/out/results.json").read_text())["results"]
        self.assertEqual({r["case"]: r["outcome"] for r in rows},
                         {"small": "ok", "large": "ok", "tiny": "inconclusive"})

    def test_a_gpu_that_fails_from_the_start_is_told_too(self):
        """Nothing says that it is lost but that nothing can be started on it."""
        both = {"FAKE_CUDA_NAME": "GPU", "FAKE_CUDA_LOST": "0:0", "FAKE_NVML_FAULT": "init"}
        rows = self.bench("--samples", "4", before=("--device", "0,1"), status=2, **both)
        self.assertEqual({r["case"]: r["outcome"] for r in rows},
                         {"small": "inconclusive", "large": "inconclusive", "tiny": "ok"})
        self.assertEqual(rows[0]["reason"], f"bench on GPU 0 ({UUID % 0}) exited with status 69")
        out, _ = self.pawl("--device", "0,1", "run", "--against", "none", **both)
        self.assertIn("INCONCLUSIVE", out.splitlines()[0])
        out, _ = self.pawl("--device", "0,1", "check", status=2, **both)
        self.assertIn("  the check is incomplete: check on GPU 0 (", out)
        _, error = self.pawl("--device", "0,1", "bench", status=69, FAKE_CUDA_NAME="GPU", FAKE_NVML_FAULT="init",
                             FAKE_CUDA_LOST="0:0", SCALE_FAKE="honest", FAKE_CUDA_FAULT="none")
        self.assertIn("the NVIDIA driver sees no GPU", error)

    def test_mistakes_in_a_list_of_gpus(self):
        for devices, words, status, message in (("0,0", ["bench"], 64, "names GPU 0 twice"),
                                                ("0,7", ["bench"], 64, "no device '7'"),
                                                ("0,", ["run"], 64, "no device ''"),
                                                ("0,1", ["bench", "--shard", "1/3"], 64, "the GPUs are the shards"),
                                                ("0,1", ["run", "--shard", "1/3"], 64, "the GPUs are the shards"),
                                                ("0,1", ["check", "--sanitize", "all"], 64, "name one GPU"),
                                                ("0,1", ["profile", "scale_fake", "--case", "small"], 64,
                                                 "only run, check, bench and tune use several GPUs"),
                                                ("0", ["run", "--cpu-apart"], 64, "works only with '--shard i/n'")):
            _, error = self.pawl("--device", devices, *words, status=status, FAKE_CUDA_NAME="GPU")
            self.assertIn(message, error)
        _, error = self.pawl("--device", "0,1", "bench", status=64)
        self.assertIn("GPU 0 is 'cuda Fake GPU 0, 132 SMs", error)  # and GPU 1 another
        for command in ("run", "check", "bench"):
            _, error = self.pawl("--device", "all", command, status=69, FAKE_CUDA_FAULT="none")
            self.assertIn("'--device all': there is no GPU: ", error)
        _, error = self.pawl("--device", "0,1", "bench", "nothing", status=64, FAKE_CUDA_NAME="GPU")
        self.assertIn("no kernel 'nothing'", error)
        for command in ("check", "bench"):  # one line, not one of every part
            _, error = self.pawl("--device", "0,1", command, "--case", "nothing", status=64, FAKE_CUDA_NAME="GPU")
            self.assertRegex(error, r"\Apawl: no case 'nothing' in [^\n]*\n\Z")
        row = self.bench("--case", "small", before=("--device", "all"), FAKE_CUDA_COUNT="1")[0]
        self.assertEqual(row["environment"]["device"]["uuid"], UUID % 0)

    # --- cases that share processes

    def test_processes_serve_several_cases(self):
        """Two processes, three cases: started once each, where the GPU's memory holds what all of them keep."""
        rows = self.bench("--samples", "4")
        self.assertEqual([(r["outcome"], [len(p["samples_ms"]) for p in r["processes"]]) for r in rows],
                         [("ok", [2, 2])] * 3)
        self.assertEqual(self.log("cuda.log"), ["context 0"] * 2)
        (self.scratch / "cuda.log").unlink()
        rows = self.bench("--samples", "4", FAKE_CUDA_MIB="24")
        self.assertEqual([r["outcome"] for r in rows], ["ok"] * 3)
        self.assertEqual(self.log("cuda.log"), ["context 0"] * 6)

    # --- processes that start ahead

    def most_at_once(self, **environment):
        """Contexts that were there at the same time while two versions of a kernel were measured in pairs."""
        lives = self.scratch / "lives"
        lives.unlink(missing_ok=True)
        self.pawl("selftest", "--trials", "1", "--changes", "0", "--case", "small", status=None, FAKE_CUDA_LIVES=str(lives), **environment)
        count, most = 0, 0
        for sign in lives.read_text():
            count += 1 if sign == "+" else -1
            most = max(most, count)
        return most

    def test_pairs_of_several_blocks_wait_together(self):
        suite = self.work / "pawl.yaml"
        suite.write_text(suite.read_text() + COARSE)
        self.assertGreaterEqual(self.most_at_once(), 4)
        self.assertEqual(self.most_at_once(FAKE_CUDA_MIB="24"), 2)  # where the GPU has no room for them
        self.assertEqual(self.most_at_once(PAWL_AHEAD="0"), 2)

    def test_a_killed_run_leaves_no_process_that_waits(self):
        self.kill_in_the_middle(["selftest", "--trials", "1000", "--case", "small"], lambda: len(self.log("cuda.log")) >= 12)

    # --- the example

    def test_the_example_has_what_is_best_on_the_gpu(self):
        kernels = {}
        for arch, fault in (("sm_90", ""), ("none", "none")):
            folder = self.scratch / arch
            self.pawl("-q", "init", "--example", "attention-cuda", str(folder), FAKE_CUDA_FAULT=fault)
            out, _ = self.pawl("--json", "list", folder=folder, FAKE_CUDA_FAULT=fault)
            kernels[arch] = [kernel["name"] for kernel in json.loads(out)["kernels"] if not kernel["reference"]]
            self.assertEqual((folder / "kernels/hopper/wgmma.cuh").exists(), arch == "sm_90")
            for source in (p for p in (folder / "kernels").rglob("*") if p.is_file()):
                for included in re.findall(r'^#include "(.*)"', source.read_text(), re.M):
                    self.assertTrue((source.parent / included).exists(), f"{source.name} includes {included}")
        self.assertEqual(kernels, {"sm_90": ["sdpa_hopper", "sdpa_mma"], "none": ["sdpa_mma"]})

    # --- a GPU that is lost in the middle

    def test_a_lost_gpu_is_not_the_kernels_fault(self):
        """The second process on GPU 0 fails in the middle of a case. The results before it stay, and pawl tells the rest."""
        # The GPU has little memory, so that every case has processes of its own.
        rows = self.bench("--samples", "4", status=2, FAKE_CUDA_LOST="0:4", FAKE_CUDA_MIB="24")
        self.assertEqual([(r["case"], r["outcome"]) for r in rows],
                         [("small", "ok"), ("tiny", "inconclusive"), ("large", "inconclusive")])
        for row in rows[1:]:
            self.assertIn(f"GPU 0 ({UUID % 0}) was lost: NVML does not find the GPU", row["reason"])
            self.assertIn("GPU is lost", row["reason"])
        self.assertEqual(len(self.log("cuda.log")), 4)  # nothing was tried on it again
        (self.scratch / "cuda.log").unlink()
        out, _ = self.pawl("run", FAKE_CUDA_LOST="0:1")  # in the check
        self.assertIn("INCONCLUSIVE", out.splitlines()[0])
        self.assertIn("was lost", out)

    # --- what doctor says of a GPU

    def conditions(self, planted="", **environment):
        """{name: (ok, what it says, remedy)} of GPU 1, which has no other conditions than GPU 0."""
        out, _ = self.pawl("--json", "doctor", "--quick", FAKE_NVML_CONDITIONS=planted, **environment)
        gpus = json.loads(out)["gpus"]
        self.assertEqual([gpu["uuid"] for gpu in gpus], [UUID % 0, UUID % 1])
        return {row["name"]: (row["ok"], row.get("found") or row["reason"], row.get("remedy")) for row in gpus[1]["conditions"]}

    def test_doctor_is_content_with_a_good_gpu(self):
        rows = self.conditions(FAKE_NVML_REASONS="0x2")
        self.assertEqual(list(rows), ["persistence", "clock", "slow-down", "power limit", "ECC", "memory errors", "MIG",
                                      "other processes"])
        self.assertEqual([name for name, row in rows.items() if not row[0]], [])
        self.assertEqual(self.log("nvml.log"), [])  # it changes nothing

    def test_doctor_finds_each_condition(self):
        for planted, name, says, remedy in [
                ("no_persistence", "persistence", "off", "nvidia-smi -pm 1"),
                ("low_power", "power limit", "550 W, 700 W by default", "nvidia-smi -pl 700"),
                ("ecc_pending", "ECC", "on, but off after a reset", "reset the GPU"),
                ("ecc_errors", "memory errors", "3 uncorrected", "do not trust"),
                ("mig", "MIG", "on: slices share", "whole GPU"),
                ("mig_pending", "MIG", "off, but on after a reset", "reset the GPU"),
                ("processes", "other processes", "(pid 1), pid 4000000000", "stop them"),
                ("many_processes", "other processes", "more than 64", "stop them")]:
            rows = self.conditions(planted, FAKE_NVML_REASONS="0x2")
            self.assertEqual([key for key, row in rows.items() if not row[0]], [name])
            self.assertIn(says, rows[name][1])
            self.assertIn(remedy, rows[name][2])

    def test_doctor_says_what_slows_the_clock_down(self):
        ok, says, remedy = self.conditions()["clock"]
        self.assertFalse(ok)
        self.assertIn("no setting holds it: 1981 of 1980 MHz", says)
        self.assertIn("clocks: lock", remedy)
        for mask, name, remedy in [("0x4", "sw_power_cap", "draws power"), ("0x48", "hw_slowdown,hw_thermal_slowdown", "too hot"),
                                   ("0x80", "hw_power_brake", "power supply"), ("0x10", "sync_boost", "group")]:
            row = self.conditions(FAKE_NVML_REASONS=mask)["slow-down"]
            self.assertEqual(row[:2], (False, name))
            self.assertIn(remedy, row[2])
        self.assertTrue(self.conditions(FAKE_NVML_REASONS="0x1")["slow-down"][0])  # an idle GPU

    def test_doctor_shows_only_what_nvml_shows(self):
        self.assertEqual(list(self.conditions(FAKE_NVML_FAULT="unknown")), [])
        ok, says, _ = self.conditions(PAWL_NVML_LIBRARY="/absent.so")["state"]
        self.assertFalse(ok)
        self.assertIn("no NVML", says)

    # --- clocks

    def test_clocks_are_locked_where_asked_and_always_freed(self):
        self.bench("--case", "small")
        self.assertEqual(self.log("nvml.log"), [])
        self.write_suite(", clocks: lock")
        row = self.bench("--case", "small")[0]
        self.assertEqual(row["environment"]["clocks"], "locked")
        self.assertEqual(self.log("nvml.log"), ["lock " + UUID % 0, "unlock " + UUID % 0])
        row = self.bench("--case", "small", FAKE_NVML_FAULT="no_permission")[0]
        self.assertIn("not locked: ", row["environment"]["clocks"])
        self.assertIn("Insufficient Permissions", row["environment"]["clocks"])

    def test_clocks_are_freed_when_pawl_is_killed(self):
        self.write_suite(", clocks: lock")
        for number in (signal.SIGKILL, signal.SIGTERM):
            (self.scratch / "nvml.log").unlink(missing_ok=True)
            process = subprocess.Popen([str(self.home / "bin/pawl"), "bench", "--samples", "100000", "--case", "small"],
                                       cwd=self.work, env={**self.environment, "SCALE_FAKE": "slow"},
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                self.wait_for(["lock " + UUID % 0])
                process.send_signal(number)
                process.wait(20)
                self.wait_for(["lock " + UUID % 0, "unlock " + UUID % 0])
            finally:
                process.kill()
                process.wait()

    def wait_for(self, lines):
        end = time.monotonic() + 30
        while self.log("nvml.log") != lines and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.log("nvml.log"), lines)


if __name__ == "__main__":
    os.umask(0o022)
    fake_gpu_case.main(Gpu)
