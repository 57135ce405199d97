#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times whole commands of several programs in turn, from start to exit.

    bench/own/run.py [--rounds N] [PAWL...]     programs; dist/bin/pawl by default; the last one is judged

Prints a table of medians and the load of the machine: the time from start to exit, and the CPU time of the command and
the programs that it starts, which other programs disturb less. Exit status 1 if a figure of the last program is above
its limit."""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROWS = 20
SUITE = """version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}
cases:
%s
check:
  scale: {n: [1, 1000]}
gate: {busy: count}
measure: {warmup: 1, samples: 12, processes: 6, timeout: 30s}
"""
# name: arguments, folder, limit in ms, limit in MiB
BUDGET = {
    "--version": (["--version"], ".", 4, None),
    "help": (["help"], ".", 4, None),
    "list": (["list"], "suite", 12, None),
    f"run, identical code, {ROWS} rows": (["-q", "run"], "suite", 60, 40),
    "compare, 1000 rows": (["compare", "base-1000.json", "candidate-1000.json", "-o", "c.json"], "files", 40, None),
}


def call(program, arguments, folder, home):
    """Milliseconds, those of its CPUs, and the MiB of the largest process: the program, as its workers are smaller."""
    environment = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home), "XDG_CACHE_HOME": str(home)}
    start = time.perf_counter()
    child = subprocess.Popen([program, *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
    words = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 2):
        sys.exit(f"{program} {' '.join(arguments)}: exit status {child.returncode}: {words.decode()}")
    return seconds * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024


def prepare(program, place):
    """The folders that the commands work in, with a recorded baseline; each program has its own."""
    (place / "files").mkdir()
    subprocess.run([sys.executable, HERE.parent / "compare/make.py", place / "files", "1000"], check=True)
    suite = place / "suite"
    call(program, ["-q", "init", "--example", "minimal", str(suite)], place, place)
    cases = "\n".join(f"  case_{i}: {{operator: scale, n: {1000 + i}, dtype: f32}}" for i in range(ROWS))
    (suite / "pawl.yaml").write_text(SUITE % cases)
    git = ["git", "-C", suite, "-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    for message in ("Start", "Baseline"):
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", message], check=True)
        if message == "Start":
            call(program, ["-q", "run", "--update-baseline"], suite, place)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("programs", nargs="*", default=[str(HERE.parents[1] / "dist/bin/pawl")])
    options = parser.parse_args()
    programs = [str(pathlib.Path(program).resolve()) for program in options.programs]
    root = pathlib.Path(tempfile.mkdtemp())
    places = [root / str(i) for i in range(len(programs))]
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs; medians of {options.rounds}, in turn")
    slow = False
    try:
        for program, place in zip(programs, places):
            place.mkdir()
            prepare(program, place)
        print(f"{'command':32}" + "".join(f"{'ms':>9}{'CPU ms':>8}{'MiB':>7}" for _ in programs) + f"{'limits':>12}")
        for name, (arguments, folder, most_ms, most_mib) in BUDGET.items():
            taken = [[] for _ in programs]
            for _ in range(options.rounds):
                for i, program in enumerate(programs):
                    taken[i].append(call(program, arguments, places[i] / folder, places[i]))
            rows = [[statistics.median(column) for column in zip(*one)] for one in taken]
            bad = rows[-1][0] > most_ms or (most_mib and rows[-1][2] > most_mib)
            slow = slow or bad
            print(f"{name:32}" + "".join(f"{ms:9.1f}{cpu:8.1f}{mib:7.1f}" for ms, cpu, mib in rows) +
                  f"{most_ms:9} ms" + (f", {most_mib} MiB" if most_mib else "") + ("  TOO MUCH" if bad else ""), flush=True)
    finally:
        shutil.rmtree(root)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
