#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pawl tune` on two GPUs that are not there: an evaluator for each, which may be killed at any moment.

Usage: fake_gpu_tune.py BUILD"""
import bisect
import collections
import ctypes
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import fake_gpu_case
import evaluators  # noqa: E402, I001: the folder that it is in is known after fake_gpu_case

SET_CHILD_SUBREAPER = 36  # from prctl(2)
UUID = "GPU-ab000000-0000-0000-0000-00000000000%d"
SOURCES = pathlib.Path(__file__).resolve().parent.parent / "plugins" / "fake"
# A is 0 for the fast kernel; the others are slow. B changes nothing.
SUITE = """version: 1
operators:
  scale: {operators}
kernels:
  scale_fake: {{operator: scale, device: cuda, sources: [kernels/scale_fake.c], include_dirs: [{fakes}, {include}], libs: [dl], params: {{A: {a}, B: 0}},
    tune: {{A: [0, 1, 2], B: [0, 1, 2, 3]}}}}
  scale_cpu: {{operator: scale, device: cpu, sources: [kernels/scale_cpu.c], params: {{A: 0}}, tune: {{A: [0, 1]}}}}
cases:
  small: {{operator: scale, n: 1000, dtype: f32}}
check:
  scale: {{n: [1, 1000]}}
measure: {{warmup: 1, samples: 8, processes: 2, timeout: 20s, isolation: off}}
gate: {{tolerate: 20%, detect: 60%, improve: 80%, false_alarm: 5%, miss: 10%, max_blocks: 10, busy: count}}
"""
# The process that a kernel's process descends from and that has this option.
EVALUATOR_OF_A_CALL = r'''
#include <string.h>
#include <unistd.h>
static int evaluator(void) {
  int pid = getppid();
  for (int found = 0; pid > 1 && !found;) {
    char path[64], text[4096] = {0};
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *file = fopen(path, "r");
    size_t count = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    for (size_t i = 0; i < count; i += strlen(text + i) + 1) found |= !strcmp(text + i, "--evaluate");
    if (found) break;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    file = fopen(path, "r");
    if (!file || fscanf(file, "%*d %*s %*c %d", &pid) != 1) pid = 0;
    if (file) fclose(file);
  }
  return pid;
}
'''


class GpuTune(fake_gpu_case.FakeGpuCase):
    def write_suite(self, a=0):
        (self.work / "pawl.yaml").write_text(SUITE.format(a=a, operators="{sources: [operators/scale.c]}", fakes=SOURCES,
                                                          include=self.home / "include"))
        (self.work / "kernels/scale_fake.c").write_text(
            f'#if A != 0\n#define SCALE_FAKE_SLOW\n#endif\nconst int pawl_b = B;\n#include "{SOURCES}/scale_fake.c"\n')
        self.out = self.work / "perf/out/tune"
        self.environment["FAKE_CUDA_NAME"] = "GPU"

    def start(self, *words):
        return self.start_words("--case", "small", *words)

    def start_words(self, *words):
        return subprocess.Popen(["pawl", "--device", "all", "tune", "scale_fake", "--budget", "4m", *words],
                                cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def end(self, search, status=0):
        out, error = search.communicate(timeout=200)
        self.assertEqual(search.returncode, status, f"{out}\n{error}")
        self.assertEqual(self.evaluators(), [])
        return out, error

    def evaluators(self):
        return evaluators.at_work(self.work)

    def journal(self):
        path = self.out / "tune.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines(keepends=True)[1:] if line.endswith("\n")] if path.exists() else []
        return [line for line in lines if "key" in line], [line for line in lines if "lost" in line]

    def collect(self):
        """The programs whose processes became children of this one when their parents ended. A sanitizer's own does not
        count: it names what the sanitizer found, be it suppressed or not."""
        found = []
        while True:
            try:
                pid = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT).si_pid
            except ChildProcessError:
                return [name for name in found if name != "llvm-symbolizer"]
            found.append(pathlib.Path(f"/proc/{pid}/comm").read_text().strip())
            os.waitpid(pid, 0)

    def test_both_gpus_time_and_one_judges(self):
        self.write_suite(a=1)
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.collect()
        out, _ = self.end(self.start("--apply"))
        self.assertEqual(self.collect(), [])  # in a container they would stay as zombies
        self.assertIn("recommended: A=0", out)
        tune = json.loads((self.out / "tune.json").read_text())
        names = {f"{i + 1} on {os.uname().nodename}, {UUID % i}" for i in (0, 1)}
        self.assertEqual(set(tune["team"]["evaluations"]), names)
        self.assertIn(tune["team"]["judged_by"], names)
        self.assertEqual((tune["team"]["executor"], tune["team"]["lost"]), ("local", 0))
        self.assertIn("params: {A: 0, ", (self.work / "pawl.yaml").read_text())
        self.assertIn("evaluator", (self.out / "suggestions.md").read_text())
        races = [(one["params"]["A"], one["race"]["blocks"]) for one in tune["candidates"] if "race" in one]
        self.assertTrue(all(a == "0" and 1 <= blocks <= 40 for a, blocks in races), races)  # the others are slower than the current

    def test_one_setting_for_several_cases(self):
        """A=0 is the fastest on small and the slowest on large, A=2 is better than A=1 on both: known from what they sleep."""
        self.write_suite(a=1)
        text = (self.work / "pawl.yaml").read_text().replace("cases:\n", "cases:\n  large: {operator: scale, n: 64000, dtype: f32}\n")
        (self.work / "pawl.yaml").write_text(text.replace("B: [0, 1, 2, 3]", "B: [0]").replace("samples: 8", "samples: 3"))
        (self.work / "kernels/scale_fake.c").write_text(
            "#define SCALE_FAKE_SLEEP_MS(n) (A == 0 ? ((n) < 8000 ? 2u : 20u) : A == 1 ? 10u : 4u)\n"
            f'const int pawl_b = B;\n#include "{SOURCES}/scale_fake.c"\n')
        out, _ = self.end(self.start_words("--cases", "all", "--apply"))
        self.assertIn("recommended: A=2", out)
        tune = json.loads((self.out / "tune.json").read_text())
        self.assertEqual((set(tune["cases"]), tune["tried"]), ({"small", "large"}, 3))
        self.assertEqual(sum(tune["team"]["evaluations"].values()), 2)
        self.assertEqual({(one["case"], one["answer"]) for one in tune["best"]["cases"]}, {("small", "improvement"), ("large", "improvement")})
        self.assertTrue(all(len(one["times"]) == 2 for one in tune["candidates"]))
        self.assertIn("params: {A: 2, ", (self.work / "pawl.yaml").read_text())

    def test_a_race_takes_its_time_from_candidates_alone(self):
        """When all candidates are screened, the current code needs 4 s for a call, more than a candidate has, and a
        two of four racers crash in their first round: the search goes on, and its report has them."""
        self.write_suite(a=1)
        (self.work / "kernels/scale_fake.c").write_text(
            '#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n'
            'static unsigned call(void) {\n  int lines = 0, stall;\n'
            f'  FILE *journal = fopen("{self.out}/tune.jsonl", "r");\n'
            '  for (int c; journal && (c = getc(journal)) != EOF;) lines += c == \'\\n\';\n  if (journal) fclose(journal);\n'
            '  if (lines < 12) return A ? 20 : 5; /* the screening */\n  if (A == 0 && B & 1) abort();\n'
            f'  if (A != 1 || (stall = open("{self.work}/stalled", O_CREAT | O_EXCL | O_WRONLY, 0666)) < 0) return A ? 20 : 5;\n'
            '  return 4000 + 0 * stall;\n}\n'
            f'#define SCALE_FAKE_SLEEP_MS(n) call()\nconst int pawl_b = A * 10 + B;\n#include "{SOURCES}/scale_fake.c"\n')
        out, _ = self.end(self.start_on_one("auto"))
        self.assertIn("recommended: A=0", out)
        self.assertTrue((self.work / "stalled").exists())
        tune = json.loads((self.out / "tune.json").read_text())
        races = {",".join(one["params"].values()): (one["outcome"], one["race"]) for one in tune["candidates"] if "race" in one}
        self.assertLessEqual(set(races), {"0,0", "0,1", "0,2", "0,3"})
        self.assertGreaterEqual(len(races), 3)  # on a busy machine one may look too slow to race
        crashed = [key for key in ("0,1", "0,3") if key in races]
        for key in crashed:
            self.assertEqual(races.pop(key), ("crashed", {"blocks": 1, "ratio": None}))
            self.assertIn(f"| `A=0,B={key[-1]}` | crashed | 1 |", (self.out / "suggestions.md").read_text())
        self.assertTrue(crashed)
        self.assertTrue(all(outcome == "ok" and race["blocks"] >= 2 and race["ratio"] < 0.8 for outcome, race in races.values()), races)

    def test_a_slow_start_is_no_hang(self):
        """A busy machine or a slow disk is no fault of a candidate."""
        self.write_suite(a=0)
        suite = self.work / "pawl.yaml"
        suite.write_text(suite.read_text().replace("A: [0, 1, 2], B: [0, 1, 2, 3]", "A: [0, 1], B: [0]"))
        with (self.work / "kernels/scale_fake.c").open("a") as kernel:
            kernel.write("#include <unistd.h>\n__attribute__((constructor)) static void start(void) {\n  if (A == 1) sleep(4);\n}\n")
        self.end(self.start())
        (candidate,), _ = self.journal()
        self.assertEqual(candidate["outcome"], "ok", candidate)

    def test_killed_at_any_moment(self):
        """Each evaluator can cost one evaluation for each time that it is killed; nothing else is lost."""
        rng = random.Random(3)
        search, kills = self.start(), 0
        while search.poll() is None:
            time.sleep(rng.uniform(0.3, 2.5) if kills else 0.05)  # a quick search has a first kill too
            found = self.evaluators()
            if found and kills < 3 and self.journal()[0]:
                os.kill(rng.choice(found), signal.SIGKILL)
                kills += 1
        out, error = self.end(search)
        self.assertGreater(kills, 0)
        candidates, lost = self.journal()
        self.assertIn("nothing better found", out)
        self.assertEqual(collections.Counter(line["key"] for line in candidates), {f"A={a},B={b}": 1 for a in range(3) for b in range(4) if a or b})
        self.assertLessEqual(len(lost), kills)
        times = collections.Counter(line["lost"] for line in lost)  # after two times it is not asked again
        for line in candidates:
            self.assertEqual(line["outcome"], "ok" if times[line["key"]] < 2 else "inconclusive", line)
        self.assertIn("was killed by SIGKILL", error)

    def lines(self, number, name):
        """The whole lines of a file of an evaluator."""
        path = self.out / f"evaluators/{number}/{name}.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")] if path.exists() else []

    def answer(self, number, **members):
        """Answers in the place of an evaluator, which stands still from here on, a request that it has not answered."""
        evaluator = [line["pid"] for line in self.lines(number, "answers") if "pid" in line][-1]
        while True:
            os.kill(evaluator, signal.SIGSTOP)
            answered = [line["answer"] for line in self.lines(number, "answers") if "answer" in line]
            requests = [line for line in self.lines(number, "requests") if "evaluate" in line and line["request"] not in answered]
            if requests:
                break
            os.kill(evaluator, signal.SIGCONT)
            time.sleep(0.05)
        result = {"key": requests[-1]["evaluate"], "outcome": "ok", "median_ms": 1, "current_ms": 5, **members}
        with (self.out / f"evaluators/{number}/answers.jsonl").open("a") as answers:
            answers.write(json.dumps({"answer": requests[-1]["request"], "result": result}) + "\n")
        return requests[-1]["evaluate"]

    def until(self, condition, search):
        while search.poll() is None and not condition():
            time.sleep(0.02)
        self.assertIsNone(search.poll())

    def test_answers_that_cannot_be_right(self):
        """Each costs its evaluator, and no such time is kept. When nobody is left, --resume goes on."""
        self.write_suite()
        (self.work / "kernels/scale_fake.c").write_text(  # a candidate takes a while
            f'#define SCALE_FAKE_SLEEP_MS(n) 10u\nconst int pawl_b = A * 10 + B;\n#include "{SOURCES}/scale_fake.c"\n')
        suite = self.work / "pawl.yaml"
        suite.write_text(suite.read_text().replace("B: [0, 1, 2, 3]", "B: [0, 1, 2]"))
        search = self.start()
        self.addCleanup(search.communicate)
        self.addCleanup(search.kill)
        self.until(lambda: all(self.lines(number, "requests") for number in (1, 2)), search)
        key = self.answer(1, key="A=9,B=9")
        self.until(lambda: self.journal()[1], search)  # the other one goes on
        self.assertEqual(self.journal()[1][0]["lost"], key)
        self.answer(2, median_ms=-1, current_ms=0)
        _, error = self.end(search, 69)
        wrong = r"warning: evaluator {} on '.*' is lost, because it wrote what cannot be right: .*/evaluators/{}/answers.jsonl:\d+: {}\n"
        self.assertRegex(error, wrong.format(1, 1, f"an answer for 'A=9,B=9' in place of '{key}'; the others go on"))
        self.assertRegex(error, wrong.format(2, 2, "a time that is not positive"))
        self.assertRegex(error, "no evaluator is left: evaluator 2 on '.*' is lost, because it wrote .*: see the logs in '.*'; the "
                                "same command with --resume goes on")
        out, _ = self.end(self.start("--resume"))
        self.assertIn("tried 9 of 9", out)
        candidates, lost = self.journal()
        self.assertEqual(collections.Counter(line["key"] for line in candidates), {f"A={a},B={b}": 1 for a in range(3) for b in range(3) if a or b})
        times = collections.Counter(line["lost"] for line in lost)  # pawl asks at most twice
        for line in candidates:
            self.assertEqual(line["outcome"], "ok" if times[line["key"]] < 2 else "inconclusive", line)
            self.assertTrue(line["outcome"] != "ok" or 0 < line["median_ms"] != 1, line)

    def test_a_killed_search_leaves_nothing_and_goes_on(self):
        search = self.start()
        while search.poll() is None and len(self.journal()[0]) < 3:
            time.sleep(0.05)
        search.kill()
        search.communicate()
        until = time.monotonic() + 20
        while self.evaluators() and time.monotonic() < until:
            time.sleep(0.1)
        self.assertEqual(self.evaluators(), [])
        before = self.journal()[0]
        out, _ = self.end(self.start("--resume"))
        self.assertIn("tried 12 of 12", out)
        self.assertEqual(self.journal()[0][:len(before)], before)
        self.assertEqual(len(self.journal()[0]), 11)
        result = (self.out / "tune.json").read_bytes()
        out, error = self.end(self.start("--resume"))  # it has ended, and stays as it is
        self.assertIn("tried 12 of 12", out)
        self.assertIn("had ended, so --resume changes nothing", error)
        self.assertEqual((self.out / "tune.json").read_bytes(), result)
        out, error = self.pawl("--device", "0", "tune", "scale_fake", "--case", "small", "--resume", "--budget", "1h")  # on one GPU too
        self.assertIn("tried 12 of 12", out)
        self.assertNotIn("had ended", error)
        self.assertEqual(json.loads((self.out / "tune.json").read_text())["budget_s"], 3600)
        out, error = self.end(self.start())  # a new search begins with these times; its evaluators know nothing of them
        self.assertIn("tuning begins with 11 times of an earlier search", error)
        self.assertIn("tried 12 of 12", out)
        self.assertTrue(json.loads((self.out / "tune.jsonl").read_text().splitlines()[0])["prior"])

    @property
    def notes(self):
        """Outside the tree: where a script compiles, a file that comes to the tree makes pawl compile again."""
        folder = self.work.parent / "notes"
        folder.mkdir(exist_ok=True)
        return folder

    def slow_builds(self, before, quick="none"):
        """The compiler does this before it compiles, but for a configuration with the quick word. Each call of a kernel
        writes the time and takes 20 ms."""
        self.write_suite(a=1)
        compiler = self.work / "compiler"
        compiler.write_text(f"""#!/bin/sh
case " $* " in *" {quick} "*) exec cc "$@" ;; *" -c "*) ;; *) exec cc "$@" ;; esac
{before}
exec cc "$@"
""")
        compiler.chmod(0o755)
        suite = self.work / "pawl.yaml"
        suite.write_text(suite.read_text().replace("libs: [dl]", f"compiler: {compiler}, libs: [dl]"))
        (self.work / "kernels/scale_fake.c").write_text(
            '#include <stdio.h>\n#include <time.h>\nstatic unsigned note_call(void) {\n  struct timespec now;\n'
            f'  FILE *file = fopen("{self.notes}/calls", "a");\n  clock_gettime(CLOCK_REALTIME, &now);\n'
            '  fprintf(file, "%lld%09ld\\n", (long long)now.tv_sec, now.tv_nsec);\n  fclose(file);\n  return 20;\n}\n'
            f'#define SCALE_FAKE_SLEEP_MS(n) note_call()\nconst int pawl_b = A * 10 + B;\n#include "{SOURCES}/scale_fake.c"\n')
        self.environment["CCACHE_DISABLE"] = "1"
        return compiler

    def start_on_one(self, strategy="exhaustive"):
        search = subprocess.Popen(["pawl", "--device", "0", "tune", "scale_fake", "--case", "small", "--strategy", strategy, "--budget", "4m"],
                                  cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(search.communicate)
        self.addCleanup(search.kill)  # a test that fails leaves no search and no builds beside the others
        return search

    def test_nothing_builds_while_calls_are_timed(self):
        """Builds go on while candidates are measured, but not in their timed calls, which are nearly all. In those that are not timed
        they may go on."""
        self.slow_builds(f"""end=$(($(date +%s%N) + 3000000000))
while now=$(date +%s%N) && [ "$now" -lt "$end" ]; do echo "$now" >>"{self.notes}/ticks.$$"; done""")
        self.end(self.start_on_one())
        self.assertEqual(len(self.journal()[0]), 11)
        builds = [[int(line) for line in path.read_text().split()] for path in self.notes.glob("ticks.*")]
        ticks = sorted(tick for build in builds for tick in build)
        calls = [int(line) for line in (self.notes / "calls").read_text().split()]
        beside = [call for call in calls if any(build[0] < call and call + 20e6 < build[-1] for build in builds if build)]
        disturbed = [call for call in beside if bisect.bisect(ticks, call + 19e6) > bisect.bisect(ticks, call + 1e6)]
        self.assertGreater(len(beside), 30)  # a busy machine makes fewer calls beside builds
        self.assertLess(len(disturbed), 0.4 * len(beside))

    def test_an_evaluator_builds_while_it_times(self):
        """Each build and each call knows its evaluator, which is an ancestor."""
        self.slow_builds(f"""up=$PPID
while [ "$up" -gt 1 ] && ! tr '\\0' ' ' <"/proc/$up/cmdline" | grep -q -- --evaluate; do up=$(sed 's/.*) //' "/proc/$up/stat" | cut -d ' ' -f 2); done
begin=$(date +%s%N); sleep 2; echo "$up $begin $(date +%s%N)" >"{self.notes}/build.$$" && :""")
        kernel = self.work / "kernels/scale_fake.c"
        kernel.write_text(kernel.read_text().replace("static unsigned note_call", EVALUATOR_OF_A_CALL + "static unsigned note_call").replace(
            '"%lld%09ld\\n", ', '"%d %lld%09ld\\n", evaluator(), '))
        self.end(self.start())
        calls = collections.defaultdict(list)
        for line in (self.notes / "calls").read_text().splitlines():
            evaluator, begin = map(int, line.split())
            calls[evaluator].append(begin)
        builds = [[int(word) for word in path.read_text().split()] for path in self.notes.glob("build.*")]
        beside = {one for one, begin, end in builds if any(begin < call < end for call in calls[one])}
        self.assertEqual((len(calls), beside), (2, set(calls)))

    def test_the_judge_knows_all_candidates(self):
        """The time ends the screening while builds go on. Nobody waits for them, and the judge hears of all candidates again."""
        compiler = self.slow_builds(f'touch "{self.notes}/build.$$"; [ "$(ls "{self.notes}" | grep -c "^build\\.")" -lt 10 ] || sleep 300')
        suite = self.work / "pawl.yaml"
        suite.write_text(suite.read_text().replace("B: [0, 1, 2, 3]", "B: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"))
        kernel = self.work / "kernels/scale_fake.c"
        kernel.write_text(kernel.read_text().replace("return 20;", "return A ? 20 : 5;"))
        begin = time.monotonic()
        self.end(self.start("--strategy", "random", "--budget", "30s"))
        self.assertLess(time.monotonic() - begin, 120)
        tried = len(self.journal()[0])
        tune = json.loads((self.out / "tune.json").read_text())
        self.assertEqual((len(tune["candidates"]), tune["tried"]), (tried, tried + 1))
        self.assertIsNotNone(tune["team"]["judged_by"])
        self.await_no_builder(compiler, 20)

    def builders(self, compiler):
        """The processes that run the compiler, with their states."""
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if str(compiler).encode() in (folder / "cmdline").read_bytes():
                    found[folder.name] = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                pass
        return {pid: state for pid, state in found.items() if state != "Z"}

    def await_no_builder(self, compiler, seconds):
        until = time.monotonic() + seconds
        while self.builders(compiler) and time.monotonic() < until:
            time.sleep(0.1)
        self.assertEqual(self.builders(compiler), {})

    def test_a_search_that_is_killed_in_a_pause_leaves_no_build(self):
        compiler = self.slow_builds("sleep 4")
        search = self.start_on_one()
        while search.poll() is None and "T" not in self.builders(compiler).values():
            pass
        self.assertIsNone(search.poll())
        search.kill()
        search.communicate()
        self.await_no_builder(compiler, 20)

    def test_the_end_of_a_search_ends_its_builds(self):
        compiler = self.slow_builds("sleep 60", quick="-DB=0")
        search = self.start_on_one()
        while search.poll() is None and not (self.journal()[0] and self.builders(compiler)):
            time.sleep(0.05)
        begin = time.monotonic()
        self.assertIsNone(search.poll())
        search.send_signal(signal.SIGINT)
        search.communicate(timeout=60)
        self.assertLess(time.monotonic() - begin, 15)
        self.assertEqual(self.builders(compiler), {})

    def test_mistakes(self):
        for words, message in ((["scale_cpu"], "kernel 'scale_cpu' runs on the CPU"),
                               (["scale_fake", "--evaluators", "2"], "'--evaluators' works only with --executor slurm"),
                               (["scale_fake", "--executor", "slurm"], "'--executor slurm' needs --evaluators N"),
                               (["scale_fake", "--executor", "slurm", "--evaluators", "2"], "cannot use '--device all' with Slurm"),
                               (["scale_fake", "--executor", "mpi"], "no executor 'mpi'; use local or slurm")):
            _, error = self.pawl("--device", "all", "tune", *words, "--case", "small", status=64)
            self.assertIn(message, error)


if __name__ == "__main__":
    fake_gpu_case.main(GpuTune)
