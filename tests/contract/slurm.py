#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pawl tune` and `pawl sweep` with `--executor slurm` on a real Slurm, which this starts on this machine: tasks that are
killed, cancelled and requeued in the middle, a node that is lost while its task lives on, a command that is interrupted,
one that loses all of its tasks, and queues that stand still.

Usage: slurm.py BUILD     exit status 77: there is no Slurm to start, and why"""
import collections
import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import evaluators  # noqa: E402
import slurm_cluster  # noqa: E402
import staged  # noqa: E402

LOOP = "for (int64_t i = 0; i < n; i++)"
# Calls wait, so that evaluators on the same CPUs do not slow each other down. A=4,B=2 is the fastest.
WAIT = "nanosleep(&(struct timespec){0, (5 + 6 * (A - 4) * (A - 4) + 3 * (B - 2) * (B - 2)) * 1000000}, NULL);"
SUITE = """version: 1
operators:
  scale: {{sources: [operators/scale.c]}}
kernels:
  scale_cpu: {{operator: scale, device: cpu, sources: [kernels/scale_cpu.c], params: {{A: {a}, B: 2}},
    tune: {{A: {values}, B: [0, 1, 2, 3]}}}}
cases:
  tiny: {{operator: scale, n: 1000, dtype: f32}}
check:
  scale: {{n: [1, 1000]}}
measure: {{warmup: 1, samples: {samples}, processes: 2, timeout: 30s}}
gate: {{tolerate: 20%, detect: 60%, improve: 80%, false_alarm: 5%, miss: 10%, max_blocks: 10, busy: count}}
"""


SWEEP = """version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}
references:
  plain: {operator: scale, device: cpu, sources: [kernels/plain.c]}
sweep:
  scale: {n: [1000, 2000, 3000, 4000], dtype: f32}
measure: {warmup: 1, samples: 8, timeout: 30s}
gate: {busy: count}
"""


class SlurmCase(unittest.TestCase):
    """A subclass has write_suite()."""
    home = cluster = None
    words, folder = (), ""  # the command, and the folder of its result

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="pawl-slurm-", ignore_cleanup_errors=True)
        self.addCleanup(scratch.cleanup)
        self.work = pathlib.Path(scratch.name) / "work"
        self.out = self.work / self.folder
        self.environment = staged.environment(self.home, pathlib.Path(scratch.name) / "home")
        del self.environment["SOURCE_DATE_EPOCH"]
        self.environment["SLURM_CONF"] = str(self.cluster.folder / "slurm.conf")
        subprocess.run(["pawl", "-q", "init", "--example", "minimal", str(self.work)], env=self.environment, check=True)
        kernel = self.work / "kernels/scale_cpu.c"
        text = kernel.read_text()
        self.assertIn(LOOP, text)
        kernel.write_text("#include <time.h>\n" + text.replace(LOOP, f"{WAIT}\n  {LOOP}"))
        self.write_suite()

    # --- pawl and its evaluators

    def start(self, *words):
        command = ["pawl", *self.words, "--executor", "slurm", "--evaluators", "2", *words]
        return subprocess.Popen(command, cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, search, status=0):
        out, error = search.communicate(timeout=280)
        self.assertEqual(search.returncode, status, f"{out}\n{error}")
        self.assertEqual(self.evaluators(), [], "an evaluator is left")
        self.assertEqual(self.cluster.tool("squeue", "-h", "-o", "%i %T"), "", "a job is left")
        return out, error

    def evaluators(self):
        return evaluators.at_work(self.work)

    def answers(self, number):
        path = self.out / f"evaluators/{number}/answers.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")] if path.exists() else []

    def at_work(self, number):
        """The process of an evaluator that has taken a request and not answered it; None: it has none."""
        took = answered = pid = None
        for line in self.answers(number):
            pid, took, answered = line.get("pid", pid), line.get("took", took), line.get("answer", answered)
        return pid if took and took != answered else None

    def until(self, condition, search, seconds=120):
        begin = time.monotonic()
        while not condition():
            self.assertIsNone(search.poll(), search.communicate() if search.poll() is not None else "")
            self.assertLess(time.monotonic() - begin, seconds)
            time.sleep(0.02)


class Tune(SlurmCase):
    words, folder = ("tune", "scale_cpu", "--case", "tiny", "--budget", "8m"), "perf/out/tune"

    def write_suite(self):
        self.suite(4)

    def suite(self, a, values="[2, 3, 4, 5]", samples=6):
        (self.work / "pawl.yaml").write_text(SUITE.format(a=a, values=values, samples=samples))

    def journal(self):
        """The lines of the candidates."""
        path = self.out / "tune.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")] if path.exists() else []
        return [line for line in lines[1:] if "key" in line], [line for line in lines[1:] if "lost" in line]

    def check_whole(self, losses):
        """Each configuration once, whoever was lost; at most one evaluation of each lost process."""
        candidates, lost = self.journal()
        keys = collections.Counter(line["key"] for line in candidates)
        self.assertEqual(len(keys), 15)  # 16 without the current one, which needs no trial
        self.assertEqual(set(keys.values()), {1})
        self.assertLessEqual(len(lost), losses)
        times = collections.Counter(line["lost"] for line in lost)  # after two times it is not asked again
        for line in candidates:
            self.assertEqual(line["outcome"], "ok" if times[line["key"]] < 2 else "inconclusive", line)
        return candidates, lost

    # --- the tests

    def test_killed_cancelled_and_requeued(self):
        """Evaluator 1 is killed while it times a candidate, and later requeued; evaluator 2 is cancelled in the end."""
        self.suite(4, samples=24)
        kernel = self.work / "kernels/scale_cpu.c"  # Slurm needs some time to start an evaluator again, and the search must still run then
        kernel.write_text(kernel.read_text().replace("{0, (5 +", "{0, (60 +"))
        search = self.start()
        self.until(lambda: self.at_work(1), search)
        os.kill(self.at_work(1), signal.SIGKILL)
        self.until(lambda: len([line for line in self.answers(1) if "ready" in line]) == 2, search)
        jobs = (self.out / "evaluators/jobs").read_text().split()
        self.assertEqual(len(jobs), 2)  # a task that failed is submitted again
        self.cluster.tool("scontrol", "requeue", f"{jobs[1]}_1")
        self.until(lambda: len(self.journal()[0]) >= 5 and self.at_work(2), search)
        self.cluster.tool("scancel", f"{jobs[0]}_2")
        out, error = self.end(search)
        self.assertIn("nothing better found", out)
        self.assertIn("tried 16 of 16", out)
        self.assertRegex(error, r"evaluator 1 on '[ab]' .*; pawl starts it again")
        self.assertRegex(error, r"evaluator 2 on '[ab]' was cancelled; the others go on")
        candidates, lost = self.check_whole(3)
        self.assertGreaterEqual(len(lost), 1)  # evaluator 2 may end its candidate before the signal comes
        tune = json.loads((self.out / "tune.json").read_text())
        self.assertEqual((tune["team"]["executor"], tune["team"]["lost"], tune["team"]["judged_by"]), ("slurm", len(lost), None))
        self.assertEqual(sum(tune["team"]["evaluations"].values()), len(candidates))
        # a ratio is that of a candidate and the current code in the same place
        timed = [line for line in candidates if line["outcome"] == "ok"]
        self.assertGreaterEqual(len(timed), 14)
        self.assertTrue(all(line["current_ms"] > 4.9 and line["median_ms"] > line["current_ms"] for line in timed))

    def test_one_evaluator_judges(self):
        self.suite(2, "[2, 4]")
        search = self.start("--apply")
        self.until(lambda: any("judge" in line for n in (1, 2) for line in self.requests(n)), search)
        judge = next(n for n in (1, 2) if any("judge" in line for line in self.requests(n)))
        self.until(lambda: self.at_work(judge), search)
        os.kill(self.at_work(judge), signal.SIGKILL)  # another process judges in its place
        out, _ = self.end(search)
        self.assertIn("recommended: A=4,B=2", out)
        self.assertTrue(json.loads((self.out / "tune.jsonl").read_text().splitlines()[-1])["finished"])
        tune = json.loads((self.out / "tune.json").read_text())
        self.assertTrue(tune["team"]["judged_by"].startswith(f"{judge} on "))
        self.assertGreater(tune["best"]["speedup_low"], 2)
        self.assertEqual(len(tune["candidates"]), 7)
        self.assertTrue(all(one["evaluator"] for one in tune["candidates"]))
        self.assertIn("params: {A: 4, B: 2}", (self.work / "pawl.yaml").read_text())

    def requests(self, number):
        path = self.out / f"evaluators/{number}/requests.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")] if path.exists() else []

    def test_interrupted_and_resumed(self):
        """Ctrl-C cancels the tasks; a search whose tasks are all cancelled ends; --resume goes on from what is known."""
        search = self.start()
        self.until(lambda: len(self.journal()[0]) >= 3, search)
        search.send_signal(signal.SIGINT)
        out, error = self.end(search, -signal.SIGINT)
        self.assertIn("ending the evaluators; pawl keeps all that they answered", error)
        first = self.journal()[0]
        search = self.start("--resume")
        self.until(lambda: len(self.journal()[0]) > len(first), search)
        self.cluster.tool("scancel", *(self.out / "evaluators/jobs").read_text().split())
        _, error = self.end(search, 69)
        self.assertIn("was cancelled: see the logs in '", error)
        second = self.journal()[0]
        self.assertEqual(second[:len(first)], first)
        search = self.start("--resume")
        self.until(lambda: len(self.journal()[0]) > len(second), search)
        search.kill()  # nobody cancels the tasks
        search.communicate()
        self.assertNotEqual(self.cluster.tool("squeue", "-h"), "")
        search = self.start("--resume")  # and this does
        out, _ = self.end(search)
        self.assertIn("nothing better found", out)
        self.check_whole(2)  # that the cancelled tasks had

    def partition(self, state):
        self.cluster.tool("scontrol", "update", "PartitionName=main", f"State={state}")

    def test_a_request_that_is_never_met(self):
        self.environment["PAWL_SLURM_PATIENCE"] = "8s"
        out, error = self.end(self.start("--slurm-options", "--nodes=5"), 69)  # sbatch takes it, for the cluster has two nodes
        self.assertEqual(out, "")
        self.assertRegex(error, r"warning: 2 of 2 evaluators wait in Slurm's queue: \w+; if that stays so for 8 s, pawl ends")
        self.assertRegex(error, r"pawl: no evaluator can start: for 8 s Slurm has said '\w+' of job \d+ in partition 'main'; change --slurm-options")

    def test_nodes_that_are_drained(self):
        self.environment["PAWL_SLURM_PATIENCE"] = "8s"
        self.addCleanup(self.cluster.tool, "scontrol", "update", "NodeName=a,b", "State=RESUME")
        self.cluster.tool("scontrol", "update", "NodeName=a,b", "State=DRAIN", "Reason=test")
        _, error = self.end(self.start(), 69)
        self.assertIn("no evaluator can start: for 8 s Slurm has said 'Nodes required for job are DOWN, DRAINED", error)

    def test_the_budget_does_not_pay_for_a_queue(self):
        """Both tasks go back into the queue in the middle of the search, and stay there for longer than the budget."""
        budget = 20
        self.addCleanup(self.partition, "UP")
        search = self.start("--budget", f"{budget}s")
        self.until(lambda: len(self.journal()[0]) >= 2, search)
        self.partition("DOWN")
        self.cluster.tool("scontrol", "requeue", (self.out / "evaluators/jobs").read_text().strip())
        self.until(lambda: not self.evaluators(), search)
        known = len(self.journal()[0])
        self.assertLess(known, 12)
        time.sleep(budget)
        self.partition("UP")
        out, error = self.end(search)
        self.assertIn("2 of 2 evaluators wait in Slurm's queue: PartitionDown", error)
        self.assertIn("tried 16 of 16", out)

    def test_the_current_code_is_wrong(self):
        kernel = self.work / "kernels/scale_cpu.c"
        kernel.write_text(kernel.read_text().replace("2 * x[i]", "3 * x[i]"))
        _, error = self.end(self.start(), 1)
        self.assertIn("kernel 'scale_cpu' fails with its current parameters", error)


class Sweep(SlurmCase):
    words, folder = ("sweep", "--precision", "50", "--blocks", "24", "--max-blocks", "24"), "perf/out/sweep"

    def write_suite(self):
        kernel = (self.work / "kernels/scale_cpu.c").read_text().replace(WAIT, "nanosleep(&(struct timespec){0, A * 1000000}, NULL);")
        (self.work / "kernels/plain.c").write_text(kernel.replace('"scale_cpu"', '"plain"').replace(" A ", " 40 "))
        (self.work / "kernels/scale_cpu.c").write_text(kernel.replace(" A ", " 10 "))
        (self.work / "pawl.yaml").write_text(SWEEP)

    def blocks(self):
        packed, journal = self.out / "samples.ndjson.gz", self.out / "samples.ndjson"
        text = gzip.decompress(packed.read_bytes()).decode() if packed.exists() else journal.read_text() if journal.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def restart_node(self, name):
        self.cluster.program(shutil.which("slurmd", path=slurm_cluster.PATH), "-D", "-N", name)
        self.cluster.wait(lambda: self.cluster.tool("sinfo", "-h", "-o", "%T").split() == ["idle"])

    def test_killed_requeued_interrupted_and_a_lost_node(self):
        """No block is lost that the journal has, none counts twice, and the ratios are those of the kernels."""
        sweep = self.start()
        self.until(lambda: self.at_work(1), sweep)
        os.kill(self.at_work(1), signal.SIGKILL)
        self.until(lambda: self.blocks() and self.at_work(2), sweep)
        self.cluster.tool("scontrol", "requeue", f"{(self.out / 'evaluators/jobs').read_text().split()[0]}_2")
        known = len(self.blocks())
        self.until(lambda: len(self.blocks()) > known, sweep)
        sweep.send_signal(signal.SIGINT)
        _, error = self.end(sweep, -signal.SIGINT)
        self.assertRegex(error, r"evaluator 1 on '[ab]' .*; pawl starts it again")
        first = self.blocks()
        sweep = self.start("--evaluators", "1")  # the other node is idle
        self.until(lambda: self.at_work(1), sweep)
        ready = next(line for line in self.answers(1) if "ready" in line)
        self.addCleanup(self.restart_node, ready["node"])
        os.kill(int((self.cluster.folder / f"slurmd-{ready['node']}.pid").read_text()), signal.SIGKILL)
        self.until(lambda: len({line["writer"] for line in self.answers(1)}) == 2, sweep)  # the task's process lives on
        out, _ = self.end(sweep)
        self.assertIn("4 of 4 shapes complete", out)
        blocks = self.blocks()
        self.assertEqual(blocks[:len(first)], first)
        self.assertEqual(collections.Counter(block["point"] for block in blocks), {point: 24 for point in range(4)})
        claims = json.loads((self.out / "claims.json").read_text())["claims"]
        self.assertEqual({claim["verdict"] for claim in claims}, {"faster"})
        subprocess.run(["pawl", "-q", "verify", self.out], env=self.environment, check=True, stdout=subprocess.DEVNULL)


def main():
    reason = slurm_cluster.missing()
    if reason:
        print(f"skipped: Slurm is {reason}")
        sys.exit(77)
    build = pathlib.Path(sys.argv.pop(1)).resolve()
    with tempfile.TemporaryDirectory(prefix="pawl-stage-") as stage, \
         tempfile.TemporaryDirectory(prefix="pawl-slurm-", ignore_cleanup_errors=True) as folder:
        SlurmCase.home = staged.install(build, stage)
        SlurmCase.cluster = slurm_cluster.Cluster(pathlib.Path(folder) / "slurm")
        SlurmCase.cluster.folder.parent.chmod(0o755)
        try:
            reason = SlurmCase.cluster.start()
            if reason:
                print(f"skipped: {reason}")
                sys.exit(77)
            passed = unittest.main(verbosity=1, exit=False).result.wasSuccessful()
        finally:
            SlurmCase.cluster.stop()
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
