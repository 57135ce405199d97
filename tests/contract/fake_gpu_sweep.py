#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pawl sweep` on two GPUs that are not there: an evaluator for each, which may be killed at any moment.

Usage: fake_gpu_sweep.py BUILD"""
import collections
import gzip
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import fake_gpu_case
import evaluators  # noqa: E402, I001: the folder that it is in is known after fake_gpu_case

UUID = "GPU-ab000000-0000-0000-0000-00000000000%d"
SOURCES = pathlib.Path(__file__).resolve().parent.parent / "plugins" / "fake"
SUITE = """version: 1
operators:
  scale: {{sources: [operators/scale.c]}}
kernels:
  fast: {{operator: scale, device: cuda, sources: [kernels/fast.c], include_dirs: [{fakes}, {include}], libs: [dl]}}
  host: {{operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}}
references:
  slow: {{operator: scale, device: cuda, sources: [kernels/slow.c], include_dirs: [{fakes}, {include}], libs: [dl]}}
  other: {{operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}}
sweep:
  scale: {{n: [1000, 2000], dtype: f32}}
measure: {{warmup: 1, samples: 8, timeout: 20s, isolation: off}}
gate: {{busy: count}}
"""


class GpuSweep(fake_gpu_case.FakeGpuCase):
    def write_suite(self):
        (self.work / "pawl.yaml").write_text(SUITE.format(fakes=SOURCES, include=self.home / "include"))
        for name, milliseconds in (("fast", 2), ("slow", 20)):
            text = (SOURCES / "scale_fake.c").read_text()
            self.assertIn('"scale_fake"', text)
            (self.work / f"kernels/{name}.c").write_text(
                f"#define SCALE_FAKE_SLEEP_MS(n) {milliseconds}u\n" + text.replace('"scale_fake"', f'"{name}"'))
        self.out = self.work / "perf/out/sweep"
        self.environment["FAKE_CUDA_NAME"] = "GPU"

    def start(self, *words):
        return subprocess.Popen(["pawl", "--device", "all", "sweep", "--precision", "50", "--blocks", "8", "--max-blocks", "8",
                                 *words], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, sweep, status=0):
        out, error = sweep.communicate(timeout=200)
        self.assertEqual(sweep.returncode, status, f"{out}\n{error}")
        self.assertEqual(evaluators.at_work(self.work), [])
        return out, error

    def blocks(self):
        packed, journal = self.out / "samples.ndjson.gz", self.out / "samples.ndjson"
        text = gzip.decompress(packed.read_bytes()).decode() if packed.exists() else journal.read_text() if journal.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def check_whole(self):
        """Each shape has its blocks, each block has one evaluator, and the folder is verified."""
        blocks = self.blocks()
        self.assertEqual(collections.Counter(block["point"] for block in blocks), {point: 8 for point in range(4)})
        self.assertTrue(all(block["evaluator"].endswith((UUID % 0, UUID % 1)) for block in blocks))
        for point in range(4):  # each arm starts as often first as second
            first = [block["first_arm"] for block in sorted(blocks, key=lambda block: block["number"])
                     if block["point"] == point and not block["spoiled"]]
            self.assertTrue(all(a != b for a, b in zip(first[::2], first[1::2])), first)
            self.assertGreaterEqual(sum(block.get("fresh", False) for block in blocks if block["point"] == point), 2)
        out, _ = self.pawl("verify", "perf/out/sweep")
        self.assertIn("0 do not hold; 0 faults", out)
        self.assertFalse((self.out / "evaluators").exists())
        return blocks

    def test_both_gpus_measure(self):
        out, error = self.end(self.start())
        self.assertIn("4 of 4 shapes complete", out)
        blocks = self.check_whole()
        self.assertEqual(len({block["evaluator"] for block in blocks}), 2, error)
        claims = {(one["kernel"], one["case"]): one for one in json.loads((self.out / "claims.json").read_text())["claims"]}
        self.assertEqual(len(claims), 4)
        for (kernel, _), claim in claims.items():
            self.assertTrue(kernel != "fast" or (claim["verdict"] == "faster" and claim["low"] > 1), claim)
        before = (self.out / "SHA256SUMS").read_bytes()
        self.end(self.start())  # everything is done
        self.assertEqual((self.out / "SHA256SUMS").read_bytes(), before)

    def test_a_process_measures_each_shape_once(self):
        """Twelve processes of 1 GiB each wait on a GPU of 17 GiB, so that all six blocks of a visit have theirs. The plan has as many
        blocks as the intervals of all claims need."""
        log = self.work / "launches"
        self.environment.update(SCALE_FAKE_LAUNCHES=str(log), FAKE_CUDA_MIB=str(17 << 10))
        self.pawl("-q", "sweep", "fast", "slow", "--precision", "50", "--blocks", "6", "--max-blocks", "20")
        self.assertEqual(json.loads((self.out / "sweep.json").read_text())["least_blocks"], 7)
        counted = collections.Counter(block["point"] for block in self.blocks() if not block["spoiled"])
        self.assertEqual(set(counted.values()), {7})
        plan = self.out / "sweep.json"  # as an older pawl began it
        plan.write_text(plan.read_text().replace('"least_blocks": 7', '"least_blocks": 6'))
        self.pawl("-q", "sweep", "fast", "slow", "--precision", "50", "--blocks", "6", "--max-blocks", "20")
        served = collections.defaultdict(set)
        for line in log.read_text().splitlines():
            process, elements, _ = line.split()
            served[elements].add(process)
        small, large = served["1000"], served["2000"]
        self.assertGreaterEqual(min(len(small), len(large)), 14)  # more where a block did not count
        self.assertGreaterEqual(len(small & large), 12)

    def test_expected_values_are_computed_once(self):
        """The first visit of a shape computes them, for its four usual sets, also where no file can keep them. Pairs of calls on
        new inputs look at the kernels alone."""
        log, source = self.work / "answers", self.work / "operators/scale.c"
        begin, text = "  (void)host;\n", source.read_text()
        self.assertEqual(text.count(begin), 1)
        source.write_text("#include <stdio.h>\n" + text.replace(
            begin, begin + "  double sum = 0;\n  for (int i = 0; i < (int)pawl_shape_get(shape, \"n\"); i++)\n"
            "    sum += i * pawl_load_f64(tensors[0].data, tensors[0].dtype, i);\n"
            f'  FILE *log = fopen("{log}", "a");\n  fprintf(log, "%d %.17g\\n", (int)pawl_shape_get(shape, "n"), sum);\n'
            "  fclose(log);\n"))
        (self.work / ".pawl/oracle/lock").mkdir(parents=True)  # no file can be stored
        _, error = self.pawl("sweep", "fast", "slow", "--matrix", "{scale: {n: [1000, 2000, 3000], dtype: f32}}",
                             "--precision", "50", "--blocks", "8", "--max-blocks", "8")
        self.assertIn("pawl continues without it", error)
        answers = collections.Counter(log.read_text().splitlines())
        for n in ("1000", "2000", "3000"):
            usual = [answer for answer in answers if answer.split()[0] == n][:4]
            self.assertEqual([answers[answer] for answer in usual], [1] * 4)
        timings = [timing for block in self.blocks() for timing in block["timings"]]
        self.assertFalse(any(timing.get("fresh_ms") for timing in timings if timing["arm"] == "slow"))

    def test_a_reference_that_refuses_a_shape(self):
        """It has no processes behind its refusal, also where those of several blocks start at once."""
        text = (self.work / "kernels/slow.c").read_text()
        self.assertIn(".supports = supports", text)
        (self.work / "kernels/choosy.c").write_text(
            text.replace('"slow"', '"choosy"').replace(".supports = supports", ".supports = choosy").replace(
                "static const struct pawl_kernel kernel",
                "static const char *choosy(const struct pawl_shape *shape) {\n"
                "  return shape->dims[0].value == 2000 ? \"not 2000\" : supports(shape);\n}\n"
                "static const struct pawl_kernel kernel"))
        suite = self.work / "pawl.yaml"
        line = next(line for line in suite.read_text().splitlines(keepends=True) if line.startswith("  slow:"))
        suite.write_text(suite.read_text().replace(line, line + line.replace("slow", "choosy")))
        self.pawl("-q", "sweep", "fast", "slow", "choosy", "--precision", "50", "--blocks", "9", "--max-blocks", "9")
        claims = json.loads((self.out / "claims.json").read_text())["claims"]
        found = {(one["reference"], one["case"]): (one["verdict"], one["blocks"]) for one in claims}
        self.assertEqual(found, {("slow", "n=1000,dtype=f32"): ("faster", 9), ("slow", "n=2000,dtype=f32"): ("faster", 9),
                                 ("choosy", "n=1000,dtype=f32"): ("faster", 9), ("choosy", "n=2000,dtype=f32"): ("failed", 0)})
        self.assertIn("not 2000", next(one["reason"] for one in claims if one["verdict"] == "failed"))

    def test_killed_at_any_moment(self):
        """An evaluator that is killed costs a visit, the sweep that is killed none that its journal has."""
        rng = random.Random(3)
        sweep, kills = self.start(), 0
        while sweep.poll() is None and kills < 2:
            time.sleep(rng.uniform(0.3, 1.5))
            found = evaluators.at_work(self.work)
            if found and self.blocks():
                os.kill(rng.choice(found), signal.SIGKILL)
                kills += 1
        self.assertEqual(kills, 2)
        sweep.kill()
        sweep.communicate()
        until = time.monotonic() + 20
        while evaluators.at_work(self.work) and time.monotonic() < until:
            time.sleep(0.1)
        before = self.blocks()
        self.end(self.start())
        self.assertEqual(self.check_whole()[:len(before)], before)

    def test_interrupted(self):
        sweep = self.start()
        while sweep.poll() is None and not self.blocks():
            time.sleep(0.05)
        sweep.send_signal(signal.SIGINT)
        out, error = self.end(sweep, -signal.SIGINT)
        self.assertIn("pawl writes the claims so far; the same command goes on", error)
        self.assertIn("shapes complete; perf/out/sweep/README.md", out)
        before = self.blocks()
        self.assertLess(len(before), 24)
        self.pawl("verify", "perf/out/sweep")
        self.end(self.start())
        self.assertEqual(self.check_whole()[:len(before)], before)

    def test_an_answer_that_cannot_be_right(self):
        """It costs its evaluator, and no such block is kept."""
        sweep = self.start()
        folder = self.out / "evaluators/1"
        taken = None
        while sweep.poll() is None and not taken:
            time.sleep(0.02)
            answers = folder / "answers.jsonl"
            lines = [json.loads(line) for line in answers.read_text().splitlines(keepends=True) if line.endswith("\n")] if answers.exists() else []
            taken = lines[-1].get("took") if lines else None
            if taken:
                os.kill(lines[0]["pid"], signal.SIGSTOP)
                if any("answer" in json.loads(line) for line in answers.read_text().splitlines() if str(taken) in line):
                    os.kill(lines[0]["pid"], signal.SIGCONT)
                    taken = None
        request = next(one for one in map(json.loads, (folder / "requests.jsonl").read_text().splitlines()) if one["request"] == taken)
        timing = {"outcome": "ok", "samples_ms": [1.0], "fresh_ms": []}
        block = {"point": request["visit"], "number": len(request["blocks"]),
                 "timings": [{"arm": arm, **timing} for arm in ("fast", "host", "slow", "other")]}
        with (folder / "answers.jsonl").open("a") as answers:
            answers.write(json.dumps({"answer": taken, "result": {"blocks": [block]}}) + "\n")
        _, error = self.end(sweep)
        self.assertRegex(error, "evaluator 1 on .* is lost, because it wrote what cannot be right: .*; the others go on")
        self.assertTrue(all(block["evaluator"].startswith("2 on ") or len(block["timings"]) == 2 for block in self.check_whole()))

    def test_mistakes(self):
        for words, message in ((["--evaluators", "2"], "'--evaluators' works only with --executor slurm"),
                               (["--executor", "slurm", "--evaluators", "2"], "cannot use '--device all' with Slurm")):
            _, error = self.pawl("--device", "all", "sweep", *words, status=64)
            self.assertIn(message, error)
        with (self.work / "kernels/slow.c").open("a") as source:
            source.write('FILE *opens(const char *path) { return fopen(path, "r"); }\n')
        _, error = self.pawl("--device", "all", "sweep", "-o", "inside", status=64)
        self.assertIn("can open files, so the files in 'inside' belong to its code", error)
        (self.work / "kernels/fast.c").write_text("no C")
        _, error = self.pawl("--device", "all", "sweep", status=1)
        self.assertIn("'fast' does not build", error)


if __name__ == "__main__":
    fake_gpu_case.main(GpuSweep)
