#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pawl run` in scratch repositories judges by the right rules, against the right anchor. judge.py --build DIR | --home DIR

Times are real, so that nothing is asserted of a figure; the one verdict that is (ten small losses) is of a kernel that takes
as long as its parameter says, and is left out, with a word, where the machine is too busy to judge on."""
import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import documents  # noqa: E402
import staged  # noqa: E402

SUITE = """version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c], params: {SLOWER: 0}}
cases:
  small: {operator: scale, n: 4096, dtype: f32}
  other: {operator: scale, n: 1024, dtype: f32}
check:
  scale: {n: [1, 1000]}
measure: {warmup: 1, samples: 20, processes: 2, cache: warm}
gate: {tolerate: 1%, detect: 3%, max_blocks: 20, busy: count}
"""
# Takes 400 us, and 0.9 % more for each step of SLOWER, whatever the machine does meanwhile.
LAUNCH = """#include <time.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}
"""


class Repository:
    def __init__(self, home, folder):
        self.folder = folder
        self.environment = staged.environment(home, folder.parent / "home")
        self.environment.pop("SOURCE_DATE_EPOCH")

    def do(self, *command, status=0):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if status is not None and done.returncode != status:
            raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def edit(self, name, *pairs):
        path = self.folder / name
        text = path.read_text()
        for old, new in pairs:
            assert old in text, (name, old)
            text = text.replace(old, new)
        path.write_text(text)

    def commit(self, words):
        self.do("git", "add", "-A")
        self.do("git", "commit", "-q", "-m", words)
        return self.do("git", "rev-parse", "HEAD").stdout.strip()

    def run(self, *options, status=0):
        done = self.do("pawl", "run", *options, status=status)
        path = self.folder / "perf/out/verdict.json"
        verdict = json.loads(path.read_text()) if path.exists() else None
        assert verdict is None or not documents.faults(verdict, "verdict"), documents.faults(verdict, "verdict")
        return done, verdict


def make(home, scratch, name):
    folder = scratch / name / "work"
    folder.mkdir(parents=True)
    repository = Repository(home, folder)
    repository.do("git", "init", "-q", "-b", "main", ".")
    repository.do("pawl", "init", ".", "--example", "minimal")
    (folder / "pawl.yaml").write_text(SUITE)
    repository.edit("kernels/scale_cpu.c", ("static const char *supports", LAUNCH + "static const char *supports"),
                    ("  const float *x", "  const double end = now() + 400 * (1 + 0.009 * SLOWER);\n  const float *x"),
                    ("  return 0;", "  while (now() < end) {\n  }\n  return 0;"))
    anchor = repository.commit("first")
    repository.run("--update-baseline")
    assert (folder / "perf/baseline.json").exists()
    repository.commit("baseline")
    return repository, anchor


def row(verdict, case):
    return next(r for r in verdict["comparisons"] if r["case"] == case)


def says(verdict, *words):
    for word in words:
        assert any(word in notice for notice in verdict["notices"]), (word, verdict["notices"])


def comment_only(repository):
    repository.edit("kernels/scale_cpu.c", ("/* A kernel:", "/* Quite another comment,\n   of two lines. A kernel:"))


def loosens_its_rules(repository, anchor):
    repository.do("git", "checkout", "-q", "-b", "looser")
    comment_only(repository)
    repository.edit("pawl.yaml", ("tolerate: 1%, detect: 3%", "tolerate: 50%, detect: 90%, improve: 95%"),
                    ("n: 4096", "n: 16"), ("  other: {operator: scale, n: 1024, dtype: f32}\n", ""),
                    ("{n: [1, 1000]}", "{n: [1], atol: 100}"), ("cache: warm", "cache: cold"))
    baseline = repository.folder / "perf/baseline.json"
    baseline.write_text(re.sub(r'((?:"median_ms|_high)": )(?=\d)', r"\g<1>9", baseline.read_text()))
    repository.commit("looser")
    _, verdict = repository.run()
    says(verdict, "the gate policy differs", "the measurement settings differ", "the case 'small' is changed",
         "the case 'other' is missing", "the check of 'scale' differs", "perf/baseline.json differs")
    report = (repository.folder / "perf/out/report.md").read_text()
    assert "the gate policy differs in this change" in report
    small = row(verdict, "small")
    assert small["paired"]["policy"]["tolerate"] == 0.01 and small["paired"]["policy"]["detect"] == 0.03
    assert small["config"]["n"] == 4096 and row(verdict, "other")["paired"]["identical_code"]
    assert small["baseline_time_ms"] < 5, "judged by the edited baseline"
    assert small["paired"]["anchor"] == anchor


def bends_its_operator(repository, _):
    repository.do("git", "checkout", "-q", "-b", "bent", "main")
    repository.edit("kernels/scale_cpu.c", ("2 * x[i]", "3 * x[i]"))
    operator = (repository.folder / "operators/scale.c").read_text()
    assert "2 *" in operator
    repository.edit("operators/scale.c", ("2 *", "3 *"))
    repository.commit("bent")
    _, verdict = repository.run(status=1)
    says(verdict, "the operator 'scale' is changed")
    assert row(verdict, "small")["outcome"] == "wrong"


def identical_code_is_not_measured(repository, _):
    repository.do("git", "checkout", "-q", "-b", "comment", "main")
    comment_only(repository)
    repository.commit("comment")
    _, verdict = repository.run()
    for case in ("small", "other"):
        paired = row(verdict, case)["paired"]
        assert paired["identical_code"] and paired["blocks"] == [] and row(verdict, case)["outcome"] is None


def only_clean_main_records(repository, _):
    before = (repository.folder / "perf/baseline.json").read_bytes()
    done, _ = repository.run("--update-baseline", status=77) # on the branch `comment`
    assert "only that branch records baselines" in done.stderr
    repository.do("git", "checkout", "-q", "main")
    comment_only(repository)
    done, _ = repository.run("--update-baseline", status=77)
    assert "differs from its commit" in done.stderr
    assert (repository.folder / "perf/baseline.json").read_bytes() == before
    repository.do("git", "checkout", "-q", ".")


def chooses_its_anchor(repository, anchor):
    repository.do("git", "checkout", "-q", "main")
    _, verdict = repository.run("--against", "HEAD~1")
    assert row(verdict, "small")["paired"]["anchor"] == anchor
    assert row(verdict, "small")["paired"]["anchor_kind"] == "the revision asked for"
    _, verdict = repository.run("--against", "none", status=None)
    assert verdict["unpaired"] and row(verdict, "small")["paired"] is None
    done, _ = repository.run("--against", "nonsense", status=66)
    assert "nonsense" in done.stderr


def says_a_base_that_does_not_build(repository, _):
    repository.do("git", "checkout", "-q", "-b", "broken", "main")
    repository.edit("kernels/scale_cpu.c", ("return 0;", "return 0"))
    broken = repository.commit("broken")
    repository.do("git", "checkout", "-q", "main")
    _, verdict = repository.run("--against", broken, status=None)
    says(verdict, f"the base {broken[:12]} does not build")
    assert verdict["unpaired"]


def fetches_into_a_shallow_clone(repository, anchor):
    clone = Repository(pathlib.Path(repository.environment["PAWL_HOME"]), repository.folder.parent / "clone")
    repository.do("git", "config", "uploadpack.allowAnySHA1InWant", "true")
    repository.do("git", "clone", "-q", "--depth", "1", f"file://{repository.folder}", str(clone.folder))
    assert clone.do("git", "cat-file", "-t", anchor, status=None).returncode != 0
    _, verdict = clone.run()
    assert row(verdict, "small")["paired"]["anchor"] == anchor
    assert row(verdict, "small")["paired"]["identical_code"]


def a_loss_on_a_main_that_gained_is_seen(repository, anchor):
    """Main is 3.6 % faster than its record, which no gain below `improve` moves; a change gives all of it back."""
    repository.do("git", "checkout", "-q", "main")
    repository.edit("pawl.yaml", ("SLOWER: 0}", "SLOWER: -4}"))
    repository.commit("an unrecorded gain")
    repository.do("git", "checkout", "-q", "-b", "gives-it-back")
    repository.edit("pawl.yaml", ("SLOWER: -4}", "SLOWER: 1}"))
    repository.commit("gives it back")
    done, verdict = repository.run(status=None)
    paired = row(verdict, "small")["paired"]
    if paired["answer"] == "regression":
        assert done.returncode == 1 and paired["origin"] == "caused here" and paired["anchor_kind"] == "the merge base"
        assert paired["anchor"] != anchor and paired["slowdown_pct"] > 3, paired["slowdown_pct"]
        says(verdict, "scale_cpu on small is slower than the merge base")
    else:
        assert paired["anchor"] == anchor, paired
        print(f"left out: a loss against the merge base: {paired['reason']}")
    repository.do("git", "checkout", "-q", "main")
    repository.edit("pawl.yaml", ("SLOWER: -4}", "SLOWER: 0}"))
    repository.commit("as it was")


def ten_small_losses_are_seen(repository, anchor):
    repository.do("git", "checkout", "-q", "main")
    for step in range(10):
        repository.edit("pawl.yaml", (f"SLOWER: {step}}}", f"SLOWER: {step + 1}}}"))
        repository.commit(f"loss {step + 1}")
    repository.do("git", "checkout", "-q", "-b", "innocent")
    comment_only(repository)
    repository.commit("innocent")
    done, innocent = repository.run(status=None)
    if row(innocent, "small")["paired"]["origin"] == "inherited":
        assert done.returncode == 2, "an inherited regression ends as one caused here"
    repository.do("git", "checkout", "-q", "-b", "guilty", "main")
    repository.edit("pawl.yaml", ("SLOWER: 10}", "SLOWER: 20}"))
    repository.commit("guilty")
    _, guilty = repository.run(status=None)
    for verdict, origin in ((innocent, "inherited"), (guilty, "caused here")):
        paired = row(verdict, "small")["paired"]
        assert paired["anchor"] == anchor
        if paired["answer"] == "inconclusive" and "spoiled" in (paired["reason"] or ""):
            print(f"left out: {origin}: {paired['reason']}")
            continue
        assert paired["answer"] == "regression", paired["reason"]
        if origin == "inherited" or paired["origin"]:  # the second comparison may have been spoiled
            assert paired["origin"] == origin, paired["origin"]
    replayed = repository.do("pawl", "verify", "perf/out/verdict.json").stdout
    assert "agrees: " in replayed


def says_that_its_calibration_failed(repository, _):
    repository.do("git", "checkout", "-q", "main")
    repository.do("git", "clean", "-qfd")
    words = ("pawl", "--json", "selftest", "scale_cpu", "--case", "other", "--changes", "0,5%", "--budget", "0.1s")
    done = repository.do(*words, "--trials", "1")
    first = json.loads(done.stdout)
    assert first["trials"] and not first["calibration_failed"] and first["base_ms"] > 0.3
    done = repository.do(*words, "--trials", "2")
    second = json.loads(done.stdout)
    assert second["trials"][:len(first["trials"])] == first["trials"], "it does not go on where it stopped"
    assert len({trial["seed"] for trial in second["trials"]}) == len(second["trials"]) > len(first["trials"])
    assert (repository.folder / "perf/out/selftest.png").read_bytes()[:4] == b"\x89PNG"
    path = repository.folder / ".pawl/selftest/scale_cpu-other.json"
    false_alarm = dict(second["trials"][0], injected_pct=0, answer="improvement")
    path.write_text(json.dumps(dict(second, trials=[false_alarm] * 3 + [dict(false_alarm, answer="maintained")] * 97)))
    _, verdict = repository.run(status=None)
    says(verdict, "the gate failed its calibration on this machine: 3 of 100")
    path.write_text(json.dumps(dict(second, hardware="another machine", trials=[false_alarm] * 100)))
    _, verdict = repository.run(status=None)
    assert not any("calibration" in notice for notice in verdict["notices"])
    path.write_text("{")
    _, verdict = repository.run(status=None)
    says(verdict, "cannot read the selftest of the gate")
    assert repository.do("pawl", "selftest", "scale_cpu", "--case", "other", status=65).stderr
    path.unlink()


def tests_itself_on_several_cases(repository, _):
    """Several cases and changes share their blocks, end in a file each, and go on where they stopped."""
    repository.do("git", "checkout", "-q", "main")
    words = ("pawl", "--json", "selftest", "scale_cpu", "--case", "all", "--changes", "0,5%", "--budget", "0.1s")
    first = json.loads(repository.do(*words, "--trials", "1").stdout)["selftests"]
    cases = {test["case"] for test in first}
    assert len(cases) == len(first) > 1 and {test["kernel_name"] for test in first} == {"scale_cpu"}
    for test in first:
        assert {trial["injected_pct"] for trial in test["trials"]} <= {0, 5}, test["case"]
        stored = json.loads((repository.folder / f"perf/out/selftest-scale_cpu-{test['case']}.json").read_text())
        assert stored == test
    again = json.loads(repository.do(*words, "--trials", "2").stdout)["selftests"]
    for before, after in zip(first, again):
        assert before["case"] == after["case"] and after["trials"][:len(before["trials"])] == before["trials"]
    for word, message in (("7%", "'--changes' takes values from"), ("", "'--changes' takes values from")):
        assert message in repository.do("pawl", "selftest", "scale_cpu", "--changes", word, status=64).stderr
    for word in ("0", "5x", "400d", "1e9h"):
        assert "'--budget' takes a time" in repository.do("pawl", "selftest", "--budget", word, status=64).stderr
    assert "no case" in repository.do("pawl", "selftest", "scale_cpu", "--case", "none", status=64).stderr
    for path in (repository.folder / ".pawl/selftest").glob("*.json"):
        path.unlink()


# A process that finds no other one of its kernel alive was started first, and takes 0.9 % longer: no difference of the
# code, but of the place. TAG changes the machine code alone.
PLACE = """#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static double place(void) {
  static int first = -1;
  if (first < 0) {
    int other = 0;
    FILE *file = fopen("PATH", "r");
    if (file && fscanf(file, "%d", &other) != 1) other = 0;
    if (file) fclose(file);
    first = !(other > 0 && other != getpid() && kill(other, 0) == 0);
    if (first && (file = fopen("PATH", "w"))) fprintf(file, "%d\\n", (int)getpid()), fclose(file);
  }
  static volatile int tag = TAG;
  return first && tag ? 0.009 : 0;
}
"""


def place_is_no_change(repository, _):
    """With a place effect of 0.9 %, identical code reads 0 in run, and selftest sees what run sees."""
    repository.do("git", "checkout", "-q", "-f", "main")
    repository.do("git", "clean", "-qfd")
    path = repository.folder.parent / "place"
    repository.edit("kernels/scale_cpu.c", ("static double now", PLACE.replace("PATH", str(path)) + "static double now"),
                    ("(1 + 0.009 * SLOWER)", "(1 + place())"))
    repository.edit("pawl.yaml", ("SLOWER: 10", "SLOWER: 0, TAG: 1"), ("max_blocks: 20", "max_blocks: 40"),
                    ("cache: warm", "cache: warm, isolation: off"))  # the arms meet in a file
    before = repository.commit("a place")
    repository.edit("pawl.yaml", ("TAG: 1", "TAG: 2"))
    repository.commit("the same code")
    seeds, effects, left_out = set(), [], 0
    for seed in (None, None, 7, 7):
        _, verdict = repository.run("--against", before, *(["--seed", str(seed)] if seed else []), status=None)
        paired = row(verdict, "small")["paired"]
        seeds.add(paired["seed"])
        counted = [block for block in paired["blocks"] if not block["spoiled"]]
        for first, second in zip(counted[::2], counted[1::2]):
            assert {first["first"], second["first"]} == {"base", "candidate"}, counted
            effects += [math.log(b["candidate_ms"] / b["base_ms"]) * (1 if b["first"] == "candidate" else -1)
                        for b in (first, second)]
        assert paired["answer"] not in ("regression", "improvement"), paired
        if "spoiled" in (paired["reason"] or ""):
            left_out += 1
            continue
        assert abs(paired["slowdown_pct"]) < 0.4, paired["slowdown_pct"]
    assert len(seeds) == 3 and 7 in seeds, seeds
    if len(effects) >= 8:
        assert 0.005 < statistics.median(effects) < 0.013, ("the place effect is not there", effects)
    else:
        print("left out: the place effect: the machine is too busy")
    done = repository.do("pawl", "--json", "selftest", "scale_cpu", "--case", "small", "--changes", "0", "--trials", "2")
    for trial in json.loads(done.stdout)["trials"]:
        assert trial["answer"] in ("maintained", "inconclusive"), trial
        assert trial["answer"] == "inconclusive" or abs(trial["slowdown_pct"]) < 0.4, trial
    assert len({trial["seed"] for trial in json.loads(done.stdout)["trials"]}) == 2


def pairs_commands(repository, _):
    repository.do("git", "checkout", "-q", "main")
    script = repository.folder / "work.sh"
    script.write_text("#!/bin/sh\nsleep 0.02\n")
    script.chmod(0o755)
    repository.edit("pawl.yaml", ("cases:", "  script: {command: [./work.sh]}\ncases:"))
    anchor = repository.commit("a command")
    repository.run("--update-baseline", status=None)
    repository.commit("its baseline")
    repository.do("git", "checkout", "-q", "-b", "slow-command")
    script.write_text("#!/bin/sh\nsleep 0.08\n")
    repository.commit("slow")
    _, verdict = repository.run(status=None)
    paired = row(verdict, "command")["paired"]
    assert paired["anchor"] == anchor and not paired["identical_code"]
    for block in paired["blocks"]:
        assert block["base_ms"] >= 20 and block["candidate_ms"] >= 80
    if "spoiled" not in (paired["reason"] or ""):
        assert paired["answer"] == "regression"
        # unknown when the second comparison could not be had; never the wrong one
        assert paired["origin"] in ("caused here", None), (paired["origin"], verdict["notices"])
        if not paired["origin"]:
            print(f"left out: where a slow command comes from: {verdict['notices']}")
    power = json.loads(repository.do("pawl", "--json", "power", "perf/out/results.json").stdout)
    script_row = next(r for r in power["rows"] if r["kernel_name"] == "script")
    assert script_row["from"] == "processes" and script_row["count"] == 20
    repository.edit("pawl.yaml", ("[./work.sh]}", "[./work.sh], parse: stopwatch}"))
    assert "has an unknown 'parse: stopwatch'" in repository.do("pawl", "bench", "script", status=78).stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build")
    parser.add_argument("--home")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pawl-judge-") as name:
        scratch = pathlib.Path(name)
        home = pathlib.Path(options.home) if options.home else staged.install(options.build, scratch / "installed")
        repository, anchor = make(home, scratch, "repository")
        for test in (loosens_its_rules, bends_its_operator, identical_code_is_not_measured, only_clean_main_records,
                     chooses_its_anchor, says_a_base_that_does_not_build, fetches_into_a_shallow_clone,
                     a_loss_on_a_main_that_gained_is_seen, ten_small_losses_are_seen, says_that_its_calibration_failed, tests_itself_on_several_cases,
                     place_is_no_change, pairs_commands):
            begin = time.monotonic()
            test(repository, anchor)
            print(f"ok: {test.__name__.replace('_', ' ')}, {time.monotonic() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
