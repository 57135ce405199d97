#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds with the real nvcc, on a machine with or without a GPU: objects kept for another architecture, commas, names of processes,
and errors of an optional kernel.

Usage: nvcc_builds.py BUILD; exit 77: there is no nvcc."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import staged  # noqa: E402

NVCC = shutil.which("nvcc", path=os.environ["PATH"] + ":/usr/local/cuda/bin")
KERNEL = """#include <pawl/kernel.h>
%s
namespace {
__global__ void scale(const float *x, float *y, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * (TILE) + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
const char *supports(const pawl_shape *) { return nullptr; }
int launch(const pawl_launch *call) {
  const int64_t n = call->tensors[0].size[0];
  scale<<<unsigned(n), TILE>>>(static_cast<const float *>(call->tensors[0].data), static_cast<float *>(call->tensors[1].data), n);
  return cudaGetLastError();
}
}
extern "C" const pawl_kernel *pawl_kernel_entry(void) {
  static pawl_kernel self = {};
  self.abi_version = PAWL_ABI_VERSION, self.struct_size = sizeof self;
  self.name = "k", self.operator_name = "scale", self.device = PAWL_CUDA, self.supports = supports, self.launch = launch;
  return &self;
}
"""
TWO_ARCHITECTURES = "-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90"


class Builds(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="pawl-nvcc-")
        self.addCleanup(scratch.cleanup)
        self.tree = pathlib.Path(scratch.name) / "tree"
        self.environment = staged.environment(self.home, pathlib.Path(scratch.name) / "home")
        self.environment["PATH"] += f":{pathlib.Path(NVCC).parent}"
        self.pawl("-q", "init", "--example", "minimal", self.tree, folder=ROOT)

    def pawl(self, *words, folder=None):
        return subprocess.run(["pawl", *words], cwd=folder or self.tree, env=self.environment, capture_output=True, text=True,
                              check=False)

    def suite(self, head="", **keys):
        (self.tree / "kernels/k.cu").write_text(KERNEL % head)
        keys = {"operator": "scale", "device": "cuda", "optional": True, "sources": ["kernels/k.cu"], **keys}
        (self.tree / "pawl.yaml").write_text(
            "version: 1\noperators:\n  scale: {sources: [operators/scale.c]}\n"
            f"kernels:\n  k: {json.dumps(keys)}\ncases:\n  c: {{operator: scale, n: 1000, dtype: f32}}\n")

    def build(self, *words):
        done = self.pawl("build", "--json", *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)["builds"][0]

    def code(self):
        """The code's hash with a cache that is there, which must be that of a cache that is not."""
        ours = self.build()["code_hash"]
        shutil.rmtree(self.tree / ".pawl")
        self.assertEqual(self.build()["code_hash"], ours)
        return ours

    def test_a_header_of_the_host_alone(self):
        self.suite('#define TILE 64\n#ifndef __CUDA_ARCH__\n#include "host.h"\n#endif')
        (self.tree / "kernels/host.h").write_text("#undef TILE\n#define TILE 96\n")
        first = self.build()["code_hash"]
        (self.tree / "kernels/host.h").write_text("#undef TILE\n#define TILE 128\n")
        self.assertNotEqual(self.code(), first)

    def test_a_header_of_the_second_architecture(self):
        head = '#define TILE 64\n#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\n#include "hopper.h"\n#endif'
        self.suite(head, flags=["-O3", *TWO_ARCHITECTURES])
        (self.tree / "kernels/hopper.h").write_text("#undef TILE\n#define TILE 96\n")
        first = self.build()["code_hash"]
        (self.tree / "kernels/hopper.h").write_text("#undef TILE\n#define TILE 128\n")
        self.assertNotEqual(self.code(), first)

    def test_a_change_back_comes_from_the_kept_objects(self):
        self.suite('#include "tile.h"')
        codes = []
        for tile in (64, 128, 64):
            (self.tree / "kernels/tile.h").write_text(f"#define TILE {tile}\n")
            build = self.build()
            codes.append(build["code_hash"])
        self.assertEqual([codes[0] == code for code in codes], [True, False, True])
        self.assertEqual((build["compiles"], build["cache_hits"]), (1, 1))

    def test_flags_of_the_environment(self):
        self.suite()
        self.environment["NVCC_APPEND_FLAGS"] = "-DTILE=64"
        first = self.build()["code_hash"]
        self.environment["NVCC_APPEND_FLAGS"] = "-DTILE=128"
        self.assertNotEqual(self.code(), first)

    def test_commas(self):
        (self.tree / "in,clude").mkdir()
        (self.tree / "in,clude/more.h").write_text("#ifdef extra\n#error two macros\n#endif\n")
        self.suite("#include <more.h>", include_dirs=["in,clude"], params={"TILE": "unsigned(dim3(128, 1).x)"})
        first = self.code()
        self.suite("#include <more.h>\n#ifdef extra\n#error two macros\n#endif", include_dirs=["in,clude"], params={"TILE": "64,extra"})
        done = self.pawl("build")
        self.assertEqual(done.returncode, 1)
        self.assertIn('"extra" is undefined', done.stdout)
        self.suite("#include <more.h>", include_dirs=["in,clude"], params={"TILE": "128"})
        self.assertEqual(self.code(), first)

    def test_relocatable_code_has_one_identity(self):
        self.suite("#define TILE 128", flags=["-O3", "-rdc=true", "--extended-lambda"])
        first = self.code()
        self.assertEqual(self.code(), first)
        listed = [line for line in self.pawl("build").stdout.splitlines() if "registers" in line]
        self.assertEqual(len(listed), 1, listed)
        self.assertTrue(listed[0].endswith("(anonymous namespace)::scale"), listed)

    def test_optional_excuses_no_error(self):
        self.suite("#define TILE no_such_name")
        for words in (["build"], ["run"]):
            done = self.pawl(*words)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn('identifier "no_such_name" is undefined', done.stdout)

    def judged(self):
        """The exit status, the conclusion and the first row of a run without a GPU."""
        done = self.pawl("-q", "run")
        verdict = json.loads((self.tree / "perf/out/verdict.json").read_text())
        return done.returncode, verdict["verdict"], verdict["comparisons"][0], verdict

    def test_code_judges_without_a_gpu(self):
        self.environment["PAWL_CUDA_LIBRARY"] = "/none/libcuda.so.1"
        host = '#define TILE 64\n#ifndef __CUDA_ARCH__\n#include "host.h"\n#endif\n#include "more.h"'
        self.suite(host)
        (self.tree / "kernels/host.h").write_text("#undef TILE\n#define TILE 96\n")
        (self.tree / "kernels/more.h").write_text("")
        with (self.tree / "pawl.yaml").open("a") as suite:
            suite.write("gate: {static: fail}\n")
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
        entry = {"kernel_name": "k", "case_name": "c", "hardware": "NVIDIA H200", "config": {"n": 1000, "dtype": "f32"},
                 "median_ms": 0.05, "ci_95_low": 0.04, "ci_95_high": 0.06, "timestamp": "2026-11-29T10:00:00Z",
                 "code": {"arch": "sm_90a", "registers": 10}}
        for step in range(2):
            subprocess.run([*git, "add", "-A"], cwd=self.tree, check=True)
            subprocess.run([*git, "commit", "-q", "-m", "Step"], cwd=self.tree, check=True)
            if step == 0:
                commit = subprocess.run([*git, "rev-parse", "HEAD"], cwd=self.tree, check=True, capture_output=True, text=True)
                (self.tree / "perf").mkdir()
                (self.tree / "perf/baseline.json").write_text(json.dumps(
                    {"schema_version": 1, "entries": [{**entry, "git_commit": commit.stdout.strip()}], "moves": []}))
        (self.tree / "kernels/more.h").write_text("// a comment\n")
        status, conclusion, row, verdict = self.judged()
        self.assertEqual((status, conclusion, row["paired"]["identical_code"]), (0, "maintained", True))
        self.assertEqual(verdict["code_changes"], [])
        self.assertTrue(any("for sm_90a with" in notice and "NVIDIA H200" in notice for notice in verdict["notices"]))

        # The launch configuration is code of the host: the GPU's code is the same, and that proves nothing.
        (self.tree / "kernels/host.h").write_text("#undef TILE\n#define TILE 128\n")
        status, conclusion, row, verdict = self.judged()
        self.assertEqual((status, conclusion, row["verdict"]), (2, "needs_gpu", "needs a GPU"))

        (self.tree / "kernels/more.h").write_text((ROOT / "tests/data/cubin/spill.cu").read_text())
        status, conclusion, row, verdict = self.judged()
        self.assertEqual((status, conclusion, row["verdict"]), (1, "worse_code", "worse code"))
        self.assertIn("the base none", row["reason"])
        report = (self.tree / "perf/out/report.md").read_text()
        self.assertIn("MORE SPILLS", report)
        self.assertIn("| `k` | `sm_90a` |", report)


if __name__ == "__main__":
    if not NVCC:
        print("there is no nvcc")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="pawl-stage-") as stage:
        Builds.home = staged.install(pathlib.Path(sys.argv.pop(1)), stage)
        unittest.main()
