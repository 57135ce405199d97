#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real program of another harness, with ten benchmarks of which one becomes three times slower: `pawl run` names that one,
and no other. With `failing` one benchmark raises: its row alone is broken, and pawl judges the nine others. Skipped with the reason
(exit status 77) where the harness is not installed.

The benchmarks sleep, so no load makes them faster; the slow one sleeps 30 ms in place of 10 ms. A wrong name has a chance of at most
1 in 100 000 for all rows together (`false_alarm`), with any noise that hits both versions alike. A block misses the slow one only if
two of three sleeps of the base are 10 ms late, and those of the candidate are not. One such block in ten still leaves enough of 120.

Usage: harnesses.py BUILD google-benchmark|hyperfine|pytest-benchmark|catch2, or harnesses.py BUILD pytest-benchmark failing"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import staged  # noqa: E402

SKIPPED = 77
BENCHMARKS = [f"nap {letter}" for letter in "abcdefghij"]
CHANGED = BENCHMARKS[6]

# One file says how long each benchmark sleeps; it is all that changes.
TIMES = "naps.txt"
NAP = r"""#include <cstdio>
#include <cstring>
#include <unistd.h>
static void nap(char letter) {
  char name; int ms;
  std::FILE *file = std::fopen("naps.txt", "r");
  while (std::fscanf(file, "nap %c %d\n", &name, &ms) == 2 && name != letter) {}
  std::fclose(file);
  usleep(static_cast<useconds_t>(ms) * 1000);
}
"""
GOOGLE = NAP + """#include <benchmark/benchmark.h>
static void run(benchmark::State &state, char letter) { for (auto _ : state) nap(letter); }
int main(int argc, char **argv) {
  for (char letter = 'a'; letter <= 'j'; letter++)
    benchmark::RegisterBenchmark((std::string("nap ") + letter).c_str(), run, letter)->Iterations(1)->Repetitions(3)->UseRealTime();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
"""
CATCH2 = """#if __has_include(<catch2/catch.hpp>)
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
#endif
""" + NAP + """TEST_CASE("naps") {
  for (char letter = 'a'; letter <= 'j'; letter++)
    BENCHMARK(std::string("nap ") + letter) { nap(letter); return letter; };
}
"""
PYTEST = """import time
import pytest

NAPS = dict(line.rsplit(" ", 1) for line in open("naps.txt").read().splitlines())


@pytest.mark.parametrize("name", NAPS)
def test_nap(benchmark, name):
    if NAPS[name] == "raises":
        raise RuntimeError("no more naps")
    benchmark.pedantic(time.sleep, (int(NAPS[name]) / 1000,), rounds=3)
"""
HYPERFINE = """set --
while read -r _ letter ms; do set -- "$@" -n "nap $letter" "sleep 0.0$ms"; done <naps.txt
exec hyperfine -N --runs 3 --export-json "$OUT" "$@"
"""

PYTHON = "/usr/bin/python3"  # Debian's, which has the package
# harness: its file and contents; what a linker needs, None: nothing is built; the command; the name of a row
HARNESSES = {
    "google-benchmark": ("bench.cpp", GOOGLE, ["-lbenchmark", "-lpthread"],
                         ["./bench", "--benchmark_out_format=json", "--benchmark_out={out}"], "{}/iterations:1/repeats:3/real_time"),
    "catch2": ("bench.cpp", CATCH2, [],
               ["./bench", "-r", "xml", "-o", "{out}", "--benchmark-no-analysis", "--benchmark-samples", "3",
                "--benchmark-warmup-time", "1"], "naps/{}"),
    "pytest-benchmark": ("test_naps.py", PYTEST, None,
                         [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "--benchmark-json", "{out}"],
                         "test_naps.py::test_nap[{}]"),
    "hyperfine": ("naps.sh", HYPERFINE, None, ["env", "OUT={out}", "sh", "naps.sh"], "{}"),
}


def missing(harness, folder):
    """The program or file that the harness needs and this machine lacks; None: it lacks nothing."""
    if harness == "hyperfine":
        return None if shutil.which("hyperfine") else "no program 'hyperfine'"
    if harness == "pytest-benchmark":
        done = subprocess.run([PYTHON, "-c", "import pytest_benchmark"], stderr=subprocess.DEVNULL)
        return f"no module pytest_benchmark of {PYTHON}" if done.returncode else None
    header = "benchmark/benchmark.h" if harness == "google-benchmark" else "catch2/catch.hpp"
    (folder / "probe.cpp").write_text(f"#include <{header}>\n")
    done = subprocess.run(["c++", "-E", "probe.cpp", "-o", "/dev/null"], cwd=folder, stderr=subprocess.DEVNULL)
    return f"no header {header}" if done.returncode else None


def write_times(work, changed):
    """`changed`: what the one benchmark does."""
    (work / TIMES).write_text("".join(f"{name} {changed if name == CHANGED else 10}\n" for name in BENCHMARKS))


def write_suite(work, harness):
    name, text, flags, command, _ = HARNESSES[harness]
    kernel = {"command": command, "parse": harness}
    if flags is not None:
        compile = f"ccache c++ -O1 -c {name} -o bench.o && c++ bench.o {' '.join(flags)} -o bench"
        kernel["build"] = {"command": ["sh", "-c", compile], "output": "bench"}
    suite = {"version": 1, "kernels": {"naps": kernel}, "measure": {"samples": 6, "processes": 2, "timeout": "600s"},
             "gate": {"busy": "count", "tolerate": "50%", "detect": "100%", "improve": "100%", "false_alarm": "0.001%",
                      "max_blocks": 120}}
    (work / name).write_text(text)
    (work / "pawl.yaml").write_text(json.dumps(suite))
    (work / ".gitignore").write_text("/.pawl/\n/perf/out/\n/bench\n/bench.o\n__pycache__\n")


def judge(harness, home, scratch, failing):
    """The verdict of a run after the change. Where a benchmark fails, the baseline has it: its row then has its name."""
    work = scratch / "work"
    work.mkdir()
    environment = staged.environment(home, scratch / "home")
    run = {"cwd": work, "env": environment, "check": True}
    commit = (["git", "add", "-A"], ["git", "commit", "-q", "-m", "Begin"])
    write_suite(work, harness)
    write_times(work, 10)
    for words in (["git", "init", "-q", "-b", "main"], *commit):
        subprocess.run(words, **run)
    if failing:
        for words in (["pawl", "-q", "run", "--update-baseline"], *commit):
            subprocess.run(words, **run)
    write_times(work, "raises" if failing else 30)
    done = subprocess.run(["pawl", "run", "--against", "HEAD"], cwd=work, env=environment, capture_output=True, text=True)
    assert done.returncode == 1, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return json.loads((work / "perf/out/verdict.json").read_text())


def check_slower(rows, changed):
    slower = [name for name, row in rows.items() if row["verdict"] == "regression"]
    assert slower == [changed], f"named as slower: {slower}"


def check_failing(rows, changed, notices):
    """On a loaded machine a benchmark may stay undecided: it has its blocks nevertheless."""
    broken = {name: row["reason"] for name, row in rows.items() if row["verdict"] == "broken"}
    assert list(broken) == [changed], f"named as broken: {broken}"
    for words in ("'naps' exited with status 1", f"FAILED {changed} - RuntimeError: no more naps", "1 failed, 9 passed"):
        assert words in broken[changed], f"the reason lacks '{words}': {broken[changed]}"
    unjudged = [name for name, row in rows.items() if name != changed and not (row["paired"] and row["paired"]["blocks"])]
    assert not unjudged, f"without blocks: {unjudged}"
    assert not [text for text in notices if "left the file" in text], notices


def main():
    build, harness, failing = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3:] == ["failing"]
    with tempfile.TemporaryDirectory(prefix="pawl-harness-", ignore_cleanup_errors=True) as folder:
        scratch = pathlib.Path(folder)
        reason = missing(harness, scratch)
        if reason:
            print(f"skipped: {reason}")
            return SKIPPED
        verdict = judge(harness, staged.install(build, scratch / "stage"), scratch, failing)
    row_name = HARNESSES[harness][4]
    rows = {row["case"]: row for row in verdict["comparisons"]}
    print(json.dumps({name: [row["verdict"], row.get("reason")] for name, row in rows.items()}, indent=1))
    assert sorted(rows) == sorted(row_name.format(name) for name in BENCHMARKS), "the rows are not the ten benchmarks"
    changed = row_name.format(CHANGED)
    if failing:
        check_failing(rows, changed, verdict["notices"])
    else:
        check_slower(rows, changed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
