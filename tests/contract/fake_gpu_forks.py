#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""References in Python on GPUs that are not there: their processes are forked, and each has limits of its own.

Usage: fake_gpu_forks.py BUILD"""

import json
import os
import shutil

import fake_gpu
import fake_gpu_case


class Forks(fake_gpu.Helpers):
    def test_processes_of_a_python_reference_are_forked(self):
        row = self.python_reference()
        self.assertEqual(row["outcome"], "ok", row["reason"])
        environment = row["environment"]
        self.assertEqual((environment["forked"], environment["alone"], environment["words"]),
                         ("True", "False", "scale.py a b"))
        self.assertEqual(len(row["processes"]), 2)

    def test_connections_of_a_context_are_chosen(self):
        environment = self.python_reference()["environment"]
        self.assertEqual((environment["variable"], environment["connections"]), ("1", 1))
        self.environment["CUDA_DEVICE_MAX_CONNECTIONS"] = "4"
        environment = self.python_reference()["environment"]
        self.assertEqual((environment["variable"], environment["connections"]), ("4", 4))
        del self.environment["CUDA_DEVICE_MAX_CONNECTIONS"]
        self.write_suite(measure=", connections: 8")
        environment = self.python_reference()["environment"]
        self.assertEqual((environment["variable"], environment["connections"]), ("8", 8))

    def test_a_forked_process_that_crashes_is_named(self):
        row = self.python_reference("import ctypes, os\nprint('going down', flush=True)\nos.kill(os.getpid(), 11)\n")
        self.assertEqual(row["outcome"], "crashed")
        self.assertIn("was killed by SIGSEGV (Segmentation fault)", row["reason"])
        self.assertIn("going down", row["reason"])
        row = self.python_reference("raise KeyError('missing')\n")
        self.assertEqual(row["outcome"], "crashed")
        self.assertIn("exited with status 1", row["reason"])
        self.assertIn("KeyError: 'missing'", row["reason"])

    def write_sandboxed(self, measure=""):
        self.write_suite(measure)
        suite = self.work / "pawl.yaml"
        suite.write_text(suite.read_text().replace("isolation: off", "isolation: available"))
        if "memory" not in self.bench("scale_fake", "--case", "small")[0]["environment"]["limits"]:  # no forked process
            self.skipTest("this machine has no control groups for pawl")

    def test_a_forked_process_has_limits_of_its_own(self):
        """Not those of the server, which all would share: a control group for each."""
        body = ("def groups(process):\n"
                "    with open('/proc/%s/cgroup' % process) as file:\n"
                "        return {line.split(':')[1]: line.strip().split(':')[2] for line in file}\n\n\n"
                "mine, servers = groups('self'), groups(os.getppid())\n"
                "Scale.environment = lambda self: {'mine': mine.get('pids', mine.get('', '')),\n"
                "                                  'servers': servers.get('pids', servers.get('', ''))}\n")
        self.write_sandboxed(", memory_limit: 4GiB")
        row = self.python_reference(body)
        self.assertEqual(row["outcome"], "ok", row["reason"])
        environment = row["environment"]
        self.assertIn("memory", environment["limits"])
        self.assertIn("pawl-worker.", environment["mine"])
        self.assertNotEqual(environment["mine"], environment["servers"])

    def test_a_forked_process_cannot_take_all_memory_in_children(self):
        """Each is below the limit of 256 MiB, which holds for one process; 1 GiB more for all of them."""
        self.write_sandboxed(", memory_limit: 256MiB")
        row = self.python_reference(
            "import time\n"
            "for _ in range(8):\n"
            "    if not os.fork():\n"
            "        block = bytearray(b'1') * (200 << 20)\n"
            "        time.sleep(30)\n"
            "time.sleep(20)\n")
        self.assertEqual(row["outcome"], "crashed", row)
        self.assertIn("ran out of memory", row["reason"])

    def test_a_killed_bench_leaves_no_forked_process(self):
        self.python_reference()
        words = "pawl_fork.py", str(self.home)
        self.environment["PYTHONPATH"] = str(self.scratch / "packages")
        self.kill_in_the_middle(["bench", "known", "--samples", "100000"], lambda: len(self.workers(*words)) > 2, *words)

    def test_a_first_run_imports_before_its_references_are_due(self):
        """Beside the check of the kernels: the phase of the references does not have the five seconds."""
        self.python_reference()
        shutil.rmtree(self.work / ".pawl/references", ignore_errors=True)
        package = self.scratch / "packages/torch/__init__.py"
        package.write_text(package.read_text() + "import time\ntime.sleep(5)\n")
        self.pawl("run", "--against", "none", "--case", "small", PYTHONPATH=str(package.parent.parent), status=None)
        rows = json.loads((self.work / "perf/out/results.json").read_text())["results"]
        row = next(row for row in rows if row["kernel_name"] == "known")
        self.assertEqual((row["outcome"], row["environment"]["forked"]), ("ok", "True"), row["reason"])
        self.assertLess(json.loads((self.work / "perf/out/verdict.json").read_text())["phases"]["references"], 5)

    def test_where_nothing_can_be_forked_processes_start_alone(self):
        home = self.home / "share/pawl/python/pawl_fork.py"
        text = home.read_text()
        self.addCleanup(home.write_text, text)
        home.write_text("raise SystemExit(1)\n")
        row = self.python_reference()
        self.assertEqual((row["outcome"], row["environment"]["alone"]), ("ok", "True"))


if __name__ == "__main__":
    os.umask(0o022)
    fake_gpu_case.main(Forks)
