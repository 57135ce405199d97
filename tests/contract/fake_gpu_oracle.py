#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The GPU oracle of an operator, on a GPU that is not there: used when it agrees with the operator's own, found out when
it does not, and no answer lost whatever it does.

Usage: fake_gpu_oracle.py BUILD"""

import json
import pathlib

import fake_gpu_case

SUITE = """version: 1
operators:
  scale:
    sources: [operators/scale.c]
    gpu_oracle: {{build: {{command: [cp, {oracle}, oracle.so], output: oracle.so}}}}
kernels:
  scale_fake: {{operator: scale, device: cuda, build: {{command: [cp, {plugin}, fake.so], output: fake.so}}}}
  scale_cpu: {{operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}}
cases:
  small: {{operator: scale, n: 1000, dtype: f32}}
check:
  scale: {{n: [1, 40, 1000], oracle: {choice}}}
measure: {{warmup: 1, samples: 4, processes: 2, timeout: 20s}}
"""
INSTEAD = "; the CPU computes the expected values of 'scale'"


class GpuOracle(fake_gpu_case.FakeGpuCase):
    def write_suite(self, choice="builtin"):
        text = SUITE.format(plugin="scale_fake.so", oracle="scale_gpu_oracle.so", choice=choice)
        (self.work / "pawl.yaml").write_text(text)

    def check(self, behaviour="honest", kernel="scale_fake", status=0, verbose=False, **environment):
        """(who gave the expected values of each row, stderr)"""
        words = ["-v"] if verbose else []
        out, err = self.pawl(*words, "--json", "check", kernel, status=status, SCALE_GPU_ORACLE=behaviour, **environment)
        report = json.loads(out)["kernels"][0]
        self.assertTrue(report["passed"] or status)
        return [row.get("oracle") for row in report["rows"]], err

    def forget(self):
        """The answers, not the trials."""
        for path in (self.work / ".pawl/oracle").glob("*.expected"):
            path.unlink()

    def warning(self, behaviour):
        """The one line that a behaviour costs; all answers are the CPU's."""
        self.forget()
        oracles, err = self.check(behaviour)
        self.assertEqual(set(oracles), {"cpu_f64"}, err)
        lines = err.splitlines()
        self.assertEqual(len(lines), 1, err)
        return lines[0]

    def trials(self):
        return sorted((self.work / ".pawl/oracle/trials").glob("*.json"))

    # --- an honest one

    def test_it_answers_once_it_has_agreed(self):
        oracles, err = self.check(verbose=True)
        self.assertEqual(set(oracles), {"gpu_f64"})
        self.assertIn("the GPU oracle of 'scale' agrees with the operator's own oracle on n=64,dtype=f32: largest difference 0", err)
        self.assertIn("scale_fake: expected values by gpu_f64", err)
        self.assertEqual(err.count("agrees"), 3)  # n = 1, 40, and 64 for all that is larger
        record = json.loads(self.trials()[0].read_text())
        self.assertEqual((record["operator"], record["largest_difference"]), ("scale", 0))
        self.assertIn("Fake GPU 0", record["machine"])

    def test_a_trial_is_not_repeated_until_something_changes(self):
        self.check()
        self.forget()
        oracles, err = self.check(verbose=True)
        self.assertEqual(set(oracles), {"gpu_f64"})
        self.assertNotIn("agrees", err)
        _, err = self.check(verbose=True, FAKE_CUDA_NAME="Another GPU")
        self.assertNotIn("agrees", err)  # the answers are known: nobody is asked
        self.forget()
        _, err = self.check(verbose=True, FAKE_CUDA_NAME="Another GPU")
        self.assertEqual(err.count("agrees"), 3)
        source = self.work / "operators/scale.c"
        source.write_text(source.read_text() + "\nconst int changed = 1;\n")
        _, err = self.check(verbose=True, FAKE_CUDA_NAME="Another GPU")
        self.assertEqual(err.count("agrees"), 3, err)

    def test_results_say_who_answered(self):
        for kernels, oracle in (["scale_fake"], "gpu_f64"), (["scale_cpu"], "cpu_f64"), ([], "gpu_f64"):
            self.forget()
            out, _ = self.pawl("--json", "bench", *kernels)
            self.assertEqual({row["correctness"]["oracle"] for row in json.loads(out)["results"]}, {oracle})

    def test_a_kernel_that_is_wrong_is_wrong_by_it_too(self):
        oracles, _ = self.check(status=1, SCALE_FAKE="skips")
        self.assertIn("gpu_f64", oracles)

    # --- where it is not used

    def test_it_is_for_cuda_kernels(self):
        oracles, err = self.check(kernel="scale_cpu", verbose=True)
        self.assertEqual(set(oracles), {"cpu_f64"})
        self.assertNotIn("GPU oracle", err)

    def test_the_suite_can_forbid_it(self):
        self.write_suite("cpu")
        self.assertEqual(set(self.check()[0]), {"cpu_f64"})

    def test_a_shape_that_it_does_not_do_is_the_cpus(self):
        oracles, err = self.check("refuses", verbose=True)
        self.assertEqual(set(oracles), {"gpu_f64", "cpu_f64"})
        self.assertIn("the GPU oracle of 'scale': n is above 64; pawl uses the CPU oracle", err)

    def test_without_a_compiler_the_cpu_answers(self):
        if pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
            self.skipTest("nvcc is here")
        (self.work / "oracle.cu").write_text("")
        text = (self.work / "pawl.yaml").read_text()
        command = f"{{build: {{command: [cp, scale_gpu_oracle.so, oracle.so], output: oracle.so}}}}"
        self.assertIn(command, text)
        (self.work / "pawl.yaml").write_text(text.replace(command, "{sources: [oracle.cu]}"))
        oracles, err = self.check(verbose=True)
        self.assertEqual(set(oracles), {"cpu_f64"})
        self.assertIn("no GPU oracle of 'scale'", err)

    # --- an oracle that is not what it should be

    def test_a_wrong_one_is_caught(self):
        self.assertRegex(self.warning("imprecise"), r"the GPU oracle of 'scale' disagrees with the operator's own oracle on "
                         r"n=\d+,dtype=f32, normal: y\[\d+\] is \S+, not \S+ \(off by \S+, allowed 1e-11\)" + INSTEAD)
        self.assertEqual(self.trials(), [])
        self.warning("imprecise")  # and again: it is not remembered as seen

    def test_results_carry_the_warning(self):
        out, _ = self.pawl("-q", "--json", "bench", "scale_fake", SCALE_GPU_ORACLE="imprecise")
        row = json.loads(out)["results"][0]
        self.assertEqual(row["correctness"]["oracle"], "cpu_f64")
        self.assertRegex("\n".join(row["warnings"]), "disagrees with the operator's own .*; pawl uses the CPU oracle")

    def test_an_answer_with_holes_is_caught(self):
        self.assertIn("disagrees with the operator's own", self.warning("partial"))

    def test_nan_is_no_answer(self):
        oracles, err = self.check("nan")
        self.assertEqual(set(oracles), {"gpu_f64", "cpu_f64"})
        self.assertEqual(err.count("gives NaN at y[500]"), 1, err)

    def test_a_crash_is_one_line(self):
        self.assertIn("the GPU oracle of 'scale' was killed by SIGSEGV", self.warning("crash"))
        self.assertIn("the GPU oracle of 'scale' ", self.warning("exit"))

    def test_a_crash_later_is_one_line(self):
        oracles, err = self.check("crash_later")
        self.assertEqual(set(oracles), {"gpu_f64", "cpu_f64"})
        self.assertEqual(err.count("was killed by SIGSEGV"), 1, err)

    def test_an_error_has_its_words(self):
        self.assertIn("the GPU oracle of 'scale': compute returned error 7: seven" + INSTEAD, self.warning("error"))

    def test_guard_bands_lie_around_its_memory(self):
        self.assertIn("wrote outside a tensor: 1 bytes after its end", self.warning("outside"))

    def test_a_plug_in_that_cannot_be_used(self):
        self.assertIn("claims to belong to operator 'other'", self.warning("stranger"))
        self.assertIn("limits 'm' in its trial, but the operator has no such parameter", self.warning("parameter"))
        self.assertIn("struct_size is 16, but a struct pawl_gpu_oracle has", self.warning("short"))

    def test_one_that_does_not_build(self):
        text = (self.work / "pawl.yaml").read_text()
        self.assertIn("[cp, ", text)
        (self.work / "pawl.yaml").write_text(text.replace("[cp, ", "[false, ", 1))
        oracles, err = self.check()
        self.assertEqual(set(oracles), {"cpu_f64"})
        self.assertIn("warning: cannot use the GPU oracle of 'scale': operator 'scale.gpu_oracle' does not build", err)


if __name__ == "__main__":
    fake_gpu_case.main(GpuOracle)
