#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels and references in Python on GPUs that are not there: one process imports PyTorch, which stands in here, and
forks theirs. Each has a sandbox and limits of its own.

Usage: fake_gpu_forks.py BUILD"""

import importlib.util
import json
import os
import pathlib
import py_compile
import shutil
import subprocess
import sys
import time
import unittest

import fake_gpu
import fake_gpu_case


@unittest.skipIf(os.environ.get("PAWL_TEST_SANITIZED"), "Python cannot load a library of a sanitizer")
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

    def test_a_forked_process_has_a_sandbox_and_limits_of_its_own(self):
        """Not those of the server, which all would share: process numbers and a control group for each."""
        body = ("def group(process):\n"
                "    with open('/proc/%s/cgroup' % process) as file:\n"
                "        return {line.split(':')[1]: line.strip().split(':')[2] for line in file}\n\n\n"
                "mine = group('self')\n"
                "Scale.environment = lambda self: {'mine': mine.get('pids', mine.get('', '')), 'parent': str(os.getppid()),\n"
                "                                  'forked': str(torch.IMPORTED_BY != os.getpid())}\n")
        self.write_sandboxed(", memory_limit: 4GiB")
        row = self.python_reference(body)
        self.assertEqual(row["outcome"], "ok", row["reason"])
        environment = row["environment"]
        self.assertIn("memory", environment["limits"])
        self.assertIn("pawl-worker.", environment["mine"])
        self.assertEqual((environment["isolation"], environment["parent"], environment["forked"]), ("full", "0", "True"))

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

    # --- kernels that are judged

    def kernel(self, body="", measure="", program="python3", before=""):
        """Writes one, with its suite. The stand-in notes who imports it, where that process may write."""
        packages = self.scratch / "packages/torch"
        packages.mkdir(parents=True, exist_ok=True)
        (packages / "__init__.py").write_text(
            f"import os\n{before}\nIMPORTED_BY = os.getpid()\ntry:\n    open({str(self.scratch / 'imports')!r}, 'a').write('x')\n"
            "except OSError:\n    pass\n")
        (self.work / "scale.py").write_text(
            "import os, sys\nimport pawl_protocol\nimport torch\n\n\n"
            "class Scale(pawl_protocol.Kernel):\n"
            "    name, operator, device = 'scale_py', 'scale', 'cuda'\n\n"
            "    def environment(self):\n"
            "        return {'forked': str(getattr(torch, 'IMPORTED_BY', 0) not in (0, os.getpid())), 'parent': str(os.getppid()),\n"
            "                'open': ' '.join(sorted(os.listdir('/proc/self/fd'), key=int)), 'home': os.environ['HOME'],\n"
            "                'words': ' '.join(sys.argv), 'path': sys.path[0], 'folder': os.getcwd()}\n\n"
            "    def call(self, tensors, shape):\n"
            "        tensors['y'].write([2 * x for x in tensors['x'].values()])\n\n\n"
            f"{body}\npawl_protocol.serve(Scale())\n")
        (self.work / "pawl.yaml").write_text(
            "version: 1\noperators:\n  scale: {sources: [operators/scale.c]}\n"
            f"kernels:\n  scale_py: {{operator: scale, device: cuda, protocol: [{program}, scale.py, a]}}\n"
            "cases:\n  small: {operator: scale, n: 1000, dtype: f32}\ncheck:\n  scale: {n: [1, 1000]}\n"
            f"measure: {{warmup: 1, samples: 4, processes: 2, timeout: 20s{measure}}}\n" + fake_gpu.COARSE)
        self.environment["PYTHONPATH"] = str(packages.parent)

    def bench_one(self):
        row = self.bench("--case", "small", status=None)[0]
        self.assertEqual(row["outcome"], "ok", row["reason"])
        if row["environment"]["isolation"] != "full":
            self.skipTest("this machine has no namespaces for pawl")
        return row["environment"]

    def imports(self):
        return len("".join(self.log("imports")))

    def test_processes_of_a_kernel_are_forked_into_sandboxes(self):
        self.kernel()
        forked = self.bench_one()
        self.assertEqual((forked["forked"], forked["parent"], self.imports()), ("True", "0", 1))
        self.environment["PAWL_FORK"] = "0"
        alone = self.bench_one()
        self.assertEqual(alone["forked"], "False")
        for key in ("open", "home", "words", "path", "folder", "limits", "parent"):
            self.assertEqual(forked[key], alone[key], key)

    def test_a_run_imports_once_and_its_verdicts_are_the_same(self):
        self.kernel()
        self.bench_one()
        self.git("add", "-A")
        self.git("commit", "-qm", "a")
        for body, verdict in (("# a comment\n", "maintained"), ("Scale.call = lambda self, tensors, shape: None\n", "broken")):
            self.kernel(body)
            for fork, imports in (("1", 1), ("0", 0)):
                (self.scratch / "imports").unlink(missing_ok=True)
                self.pawl("run", "--against", "HEAD", status=None, PAWL_FORK=fork)
                rows = json.loads((self.work / "perf/out/verdict.json").read_text())["comparisons"]
                self.assertEqual([row["verdict"] for row in rows], [verdict], rows)
                self.assertEqual(self.imports(), imports)

    def test_an_operator_in_pytorch_is_forked_too(self):
        """One in numpy is not: it would wait for the import of PyTorch. Nor is one without a sandbox, or without kernels that share the import."""
        for module, measure, device, forked in (("torch", "", "cuda", True), ("array", "", "cuda", False),
                                                ("torch", ", isolation: off", "cuda", False), ("torch", "", "cpu", False)):
            self.kernel(measure=measure)
            (self.work / "operators/scale.py").write_text(
                f"import os, sys\nimport {module}\nimport pawl_protocol\n\n"
                "IMPORTED_BY = getattr(sys.modules.get('tor' 'ch'), 'IMPORTED_BY', 0)\n\n\n"
                "class Scale(pawl_protocol.Operator):\n"
                "    name, summary = 'scale', 'y = 2 x'\n"
                "    params = [{'name': 'n', 'min': 1, 'max': 1000, 'default': None, 'help': ''}]\n"
                "    distributions = [{'name': 'normal', 'fill': 'normal', 'scale': 1.0, 'adjust': False}]\n"
                "    tolerances = [{'dtype': 'f32', 'atol': 1e-6, 'rtol': 1e-6, 'rel_rms': 1e-6}]\n\n"
                "    def tensors(self, shape):\n"
                f"        assert (IMPORTED_BY not in (0, os.getpid())) == {forked}\n"
                "        return [{'name': name, 'role': role, 'dtype': 'f32', 'size': [shape['n']]} for name, role in (('x', 'in'), ('y', 'out'))]\n\n"
                "    def flop(self, shape):\n"
                "        return shape['n']\n\n"
                "    def oracle(self, tensors, shape, expected):\n"
                "        expected['y'].write([2 * x for x in tensors['x'].values()])\n\n\n"
                "pawl_protocol.serve(Scale())\n")
            for name, old, new in (("pawl.yaml", "sources: [operators/scale.c]", "protocol: [python3, operators/scale.py]"),
                                   ("pawl.yaml", "device: cuda", f"device: {device}"), ("scale.py", "'scale', 'cuda'", f"'scale', '{device}'")):
                path = self.work / name
                path.write_text(path.read_text().replace(old, new))
            if not measure:
                self.bench_one()
                continue
            row, = self.bench("--case", "small", status=None)
            self.assertEqual(row["outcome"], "ok", row["reason"])

    def test_bytecode_of_an_installation_that_keeps_none_is_in_the_cache_of_the_user(self):
        """The processes of kernels neither read nor write it."""
        self.kernel("Scale.environment = lambda self: {'bytecode': '%s %s' % (sys.dont_write_bytecode, sys.pycache_prefix)}\n")
        self.environment["XDG_CACHE_HOME"] = str(self.scratch / "cache")
        kept = self.scratch / "cache/pawl/bytecode"
        for dont_write in "", "1":
            self.environment["PYTHONDONTWRITEBYTECODE"] = dont_write
            self.assertEqual(self.bench_one()["bytecode"], f"{bool(dont_write)} None")
            self.assertEqual([path.name.partition(".")[0] for path in kept.rglob("packages/torch/*.pyc")], ["__init__"] if dont_write else [])
            shutil.rmtree(self.scratch / "packages/torch/__pycache__", ignore_errors=True)

    def test_what_triton_finds_out_again_in_each_process_is_known(self):
        """The hash of the installation, and the compiled helpers of the driver."""
        self.kernel("import triton.runtime.cache\n"
                    "helper = os.path.expanduser('~/.triton/cache/KEY/helper.so')\n"
                    "Scale.environment = lambda self: {'triton_cache': os.environ.get('TRITON_CACHE_DIR', ''), 'key': triton.runtime.cache.triton_key(),\n"
                    "                                  'helper': open(helper).read() if os.path.exists(helper) else ''}\n")
        modules = {"__init__": "", "runtime/__init__": "", "backends/__init__": "", "backends/nvidia/__init__": "",
                   "runtime/cache": "import functools, os\n\n\n@functools.lru_cache()\ndef triton_key():\n"
                                    "    return 'of a process' if os.getppid() == 0 else 'of the server'\n",
                   "backends/nvidia/driver": "import os\n\n\nclass CudaUtils:\n    def __init__(self):\n"
                                             "        folder = os.path.join(os.environ['TRITON_CACHE_DIR'], 'KEY')\n"
                                             "        os.makedirs(folder)\n"
                                             "        open(os.path.join(folder, 'helper.so'), 'w').write('compiled')\n"}
        for name, text in modules.items():
            path = self.scratch / "packages/triton" / (name + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        row = self.bench_one()
        self.assertEqual((row["key"], row["helper"], row["triton_cache"]), ("of the server", "compiled", "/pawl/home/.triton/cache"))
        self.environment["PAWL_FORK"] = "0"
        row = self.bench_one()
        self.assertEqual((row["key"], row["helper"]), ("of a process", ""))

    def test_a_virtual_environment_in_the_repository_is_forked_unless_the_repository_has_a_file_in_it(self):
        self.kernel(program=".venv/bin/python")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.work / ".venv")], check=True)
        (packages,) = (self.work / ".venv/lib").glob("python3*/site-packages")
        shutil.move(self.scratch / "packages/torch", packages)
        del self.environment["PYTHONPATH"]
        (self.work / ".gitignore").write_text(".venv\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "a")
        row = self.bench_one()
        self.assertEqual((row["forked"], self.imports()), ("True", 1))
        self.git("add", "-f", str(packages / "torch/__init__.py"))
        row = self.bench_one()
        self.assertEqual((row["forked"], self.imports()), ("False", 1))
        self.git("rm", "-q", "--cached", str(packages / "torch/__init__.py"))
        (self.work / "src").mkdir()
        shutil.move(packages / "torch", self.work / "src")
        (packages / "editable.pth").write_text(str(self.work / "src"))  # as `pip install -e .` leaves it
        ran = self.scratch / "ran"
        for name in "sitecustomize", "usercustomize":
            (self.work / "src" / (name + ".py")).write_text(
                f"try:\n    open({str(ran)!r}, 'a').write(__name__)\nexcept OSError:\n    pass\n")
        self.bench("--case", "small", status=None)
        self.assertEqual(self.imports(), 1)
        self.assertFalse(ran.exists())

    def test_the_first_blocks_get_their_inputs_while_the_server_imports(self):
        """The import ends behind the line that says so."""
        slow = self.scratch / "slow"
        for number in range(2):
            self.kernel(f"number = {number}\n", before=f"import time\nwhile os.path.exists({str(slow)!r}):\n    time.sleep(.05)\n")
            self.git("add", "-A")
            self.git("commit", "-qm", "a")
            if not number:
                self.bench_one()
        slow.touch()
        run = subprocess.Popen(["pawl", "-v", "run", "--against", "HEAD~1", "--case", "small"], cwd=self.work, env=self.environment, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        order = []
        with run:
            for line in run.stderr:
                order += [words for words in ("first blocks have their inputs", "imported the modules", "start beside the check") if words in line]
                if order:
                    slow.unlink(missing_ok=True)
        self.assertEqual(order, ["first blocks have their inputs", "imported the modules", "start beside the check"])

    def test_a_server_that_nobody_needs_ends_before_the_times(self):
        """Nothing changed: the import begins beside the build, and nothing waits for it."""
        slow = self.scratch / "slow"
        self.kernel(before=f"import time\ntime.sleep(40 if os.path.exists({str(slow)!r}) else 0)\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "a")
        self.pawl("run", "--against", "HEAD", "--case", "small", status=None)
        slow.touch()
        begin = time.monotonic()
        self.pawl("run", "--against", "HEAD", "--case", "small", status=None)
        self.assertEqual(self.workers("pawl_fork.py", str(self.home)), [])
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_process_that_crashes_costs_its_row_alone(self):
        self.kernel("Scale.supports = lambda self, shape: os.kill(os.getpid(), 11) if shape['n'] == 1 else None\n")
        out, _ = self.pawl("--json", "check", status=1)
        rows = json.loads(out)["kernels"][0]["rows"]
        self.assertEqual({row["outcome"] for row in rows if row["config"]["n"] == 1}, {"crashed"})
        self.assertEqual({row["outcome"] for row in rows if row["config"]["n"] == 1000}, {"ok"})
        self.assertEqual(self.imports(), 1)

    def test_rows_with_wrong_values_share_a_process(self):
        """Not rows that change an input."""
        started = self.scratch / "started"
        for body, shared in (("tensors['y'].write([3 * x for x in tensors['x'].values()])", True),
                             ("tensors['x'].write([3 * x for x in tensors['x'].values()])", False)):
            started.unlink(missing_ok=True)
            self.kernel(f"Scale.call = lambda self, tensors, shape: {body}\nopen({str(started)!r}, 'a').write('x')\n",
                        measure=", isolation: off")
            out, _ = self.pawl("--json", "check", status=1)
            rows = json.loads(out)["kernels"][0]["rows"]
            self.assertEqual([row["outcome"] for row in rows], ["wrong"] * len(rows))
            self.assertEqual(len(started.read_text()), 1 if shared else len(rows))

    def judge_with_prepare(self, statement, check="n: [1]", before="pass"):
        """Judges a change whose `prepare` has this statement, and the base's the one before."""
        for number, now in enumerate((before, statement)):
            self.kernel(f"import time\n\n\ndef noted(self, sets, shape, threads):\n    {now}\n\n\nScale.prepare, number = noted, {number}\n",
                        measure=", isolation: off")
            suite = self.work / "pawl.yaml"
            suite.write_text(suite.read_text().replace("n: [1, 1000]", check))
            self.git("add", "-A")
            self.git("commit", "-qm", "a")
        self.pawl("run", "--against", "HEAD~1", status=None)

    def test_both_arms_of_a_program_prepare_at_once(self):
        """Each compiles meanwhile. So at the same time more processes prepare than pairs get ready."""
        times = self.scratch / "times"
        note = f"open({str(times)!r}, 'a').write('%d %f %d\\n' % (os.getpid(), time.monotonic(), {{}}))"
        prepare = f"{note.format(1)}; time.sleep(1); {note.format(-1)}"
        self.judge_with_prepare(prepare, before=prepare)
        lines = [line.split() for line in times.read_text().splitlines()]
        most = now = 0
        for _, change in sorted((float(when), int(change)) for _, when, change in lines):
            now += change
            most = max(most, now)
        pairs = min(4, min(16, max(4, len(os.sched_getaffinity(0)))) // 2)
        self.assertGreater(most, pairs + 1)  # one process more is that of the check

    def test_the_memory_of_a_check_has_its_full_size_before_its_rows(self):
        """A driver pins all of it again where it grows. Pairs of processes that start beside the check have their own."""
        sizes = self.scratch / "sizes"
        self.judge_with_prepare(f"open({str(sizes)!r}, 'a').write('%d %d\\n' % (os.getpid(), os.fstat(5).st_size))", "n: [1, 50000, 100000]")
        of = {}
        for line in sizes.read_text().splitlines():
            process, size = line.split()
            of.setdefault(process, []).append(size)
        rows = max(of.values(), key=len)
        self.assertGreater(len(rows), 4)
        self.assertEqual(len(set(rows)), 1, of)

    def test_the_process_that_imports_runs_no_code_of_the_repository(self):
        """Neither a module beside the script, nor one of PYTHONPATH in the repository, nor an interpreter there."""
        ran = self.scratch / "ran"
        module = f"try:\n    open({str(ran)!r}, 'w')\nexcept OSError:\n    pass\n"
        self.kernel("Scale.environment = lambda self: {'torch': torch.__file__, 'forked': 'False'}\n")
        for folder in (".", "below"):
            (self.work / folder).mkdir(exist_ok=True)
            (self.work / folder / "torch.py").write_text(module)
            self.environment["PYTHONPATH"] = f"{self.work / folder}:{self.environment['PYTHONPATH']}"
            self.assertEqual(self.bench_one()["torch"], "/pawl/tree/torch.py")
            self.assertFalse(ran.exists())
        for name in "python3", "sitecustomize.py":
            (self.work / name).write_text(f"#!/bin/sh\ntouch {ran}\nexec python3 \"$@\"\n" if name == "python3" else module)
            (self.work / name).chmod(0o755)
        self.kernel("Scale.environment = lambda self: {'forked': 'False'}\n", program="./python3")
        self.assertEqual(self.bench_one()["forked"], "False")
        self.assertFalse(ran.exists())

    def test_a_cache_in_the_repository_brings_no_bytecode(self):
        """Python believes this bytecode without a look at the source. A change may commit it."""
        ran, planted = self.scratch / "ran", self.scratch / "planted.py"
        self.kernel("Scale.environment = lambda self: {'forked': str(torch.IMPORTED_BY != os.getpid())}\n")
        source = self.scratch / "packages/torch/__init__.py"
        planted.write_text(f"open({str(ran)!r}, 'w')\n" + source.read_text())
        name = pathlib.Path(importlib.util.cache_from_source(str(source))).name
        self.environment["PYTHONDONTWRITEBYTECODE"] = "1"
        for variable, folder in ("XDG_CACHE_HOME", "pawl/bytecode"), ("PYTHONPYCACHEPREFIX", ""):
            self.environment[variable] = str(self.work / variable)
            bytecode = self.work / variable / folder / str(source.resolve().parent)[1:] / name
            py_compile.compile(str(planted), str(bytecode), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
            self.assertEqual(self.bench_one()["forked"], "True")
            self.assertFalse(ran.exists(), variable)

    def test_what_cannot_be_forked_starts_as_a_program(self):
        thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(100,), daemon=True).start()\n"
        for before, reason in ((thread, "an import has started threads"),
                               ("kept = os.open('/dev/null', os.O_RDONLY)\n", "an import keeps '/dev/null' open"),
                               ("os.kill(os.getpid(), 9) if 'pawl_fork' in open('/proc/self/cmdline').read() else None\n",
                                "the process that imports them once ended")):
            self.kernel(before=before)
            out, error = self.pawl("--json", "bench")
            self.assertIn(reason, error)
            self.assertEqual(json.loads(out)["results"][0]["environment"]["forked"], "False")


if __name__ == "__main__":
    os.umask(0o022)
    fake_gpu_case.main(Forks)
