#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the loop takes, on a GPU where there is one, builds cached: a table of medians with the shares of the phases.

    bench/loop/run.py [PAWL_FOLDER] [-o FILE.json]     PAWL_FOLDER: an unpacked bundle, or dist; ../../dist by default

Environment: RUNS (5) of each small row, TUNE_BUDGET (45s), SECONDS_IN_ALL (330): no row begins after it; ROWS: names of rows, all by default.
Exit 77: there is no pawl to run."""

import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import repository

RUNS = int(os.environ.get("RUNS", "5"))
SECONDS_IN_ALL = float(os.environ.get("SECONDS_IN_ALL", "330"))
HOPPER_CASES = [(b, h, s, d, causal) for b, h, s, d, causal in (
    (32, 8, 512, 64, 0), (32, 8, 512, 64, 1), (32, 8, 448, 64, 0), (32, 8, 640, 64, 0), (8, 8, 2048, 64, 0),
    (4, 8, 4096, 64, 0), (8, 4, 64, 64, 0), (16, 8, 512, 64, 0), (16, 8, 1024, 64, 0), (4, 8, 2048, 64, 1))]


GPU_SPACE = {"BLOCK_M": [128, 64], "BLOCK_N": [64, 32, 128], "NUM_STAGES": [2, 3, 4]}  # the first of each is the base
CPU_SPACE = {"BLOCK_M": [16, 32, 64], "BLOCK_N": [16, 32, 64, 128, 192, 256]}
TUNE_BUDGET = os.environ.get("TUNE_BUDGET", "45s")


class Table:
    """Rows as they come; each begins only while there is time."""

    def __init__(self, wanted):
        self.rows, self.wanted, self.begin = [], wanted, time.monotonic()

    def in_time(self):
        return time.monotonic() - self.begin < SECONDS_IN_ALL

    def wants(self, name):
        return self.in_time() and (not self.wanted or name in self.wanted)

    def add(self, name, what, seconds, phases=None, note=""):
        median = statistics.median(seconds)
        self.rows.append({"row": name, "what": what, "median_s": median, "seconds": seconds, "phases": phases or {},
                          "note": note})
        shares = ", ".join(f"{key} {value:.2f}" for key, value in (phases or {}).items() if value and value >= 0.05)
        print(f"{what:62} {median:7.2f} s  of {len(seconds)}  {note}\n    {shares}", flush=True)


OF_A_RUN = ("build", "check", "bench", "judge", "profile", "references")  # one after another; the others are parts of them


def measured_phases(repo, took):
    """Seconds of each phase of the last run. "outside": of the whole command, what belongs to no phase."""
    phases = repo.verdict().get("phases") or {}
    return {**phases, "outside": took - sum(phases.get(name) or 0 for name in OF_A_RUN)}


def median_phases(runs):
    return {key: statistics.median(run.get(key) or 0 for run in runs) for key in runs[0]}


def repeated(table, repo, runs, prepare, statuses):
    """Seconds of `runs` runs, each of a version of its own, as far as there is time. Medians of the phases, and a note: the
    seconds until the verdict is printed, and all verdicts."""
    seconds, until, verdicts, phases = [], [], [], []
    for number in range(runs):
        if number and not table.in_time():
            break
        prepare(number)
        took, said = repo.run(statuses)
        seconds.append(took)
        until.append(said)
        phases.append(measured_phases(repo, took))
        verdicts += [row["verdict"] for row in repo.verdict()["comparisons"]]
    counted = ", ".join(f"{verdicts.count(v)} {v}" for v in sorted(set(verdicts)))
    return seconds, median_phases(phases), f"verdict after {statistics.median(until):.2f} s; {counted}"


def build_all(repo, kernel, configurations):
    """Seconds that it takes, several at once."""
    words = [[f"-D{name}={value}" for name, value in one.items()] for one in configurations]
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count())) as pool:
        list(pool.map(lambda definitions: repo.pawl("build", kernel, *definitions, statuses=(0, 1)), words))
    return time.monotonic() - begin


def small_kernel(table, home, folder, gpu, clock):
    if not (table.wants("same") or table.wants("slower")):
        return
    repo = repository.Versioned(home, folder / "small", gpu)
    time_ms = repo.record()
    spin = int(time_ms * 1e6 * 0.05)
    versions = [(1 + n, 0) for n in range(RUNS)] + [(100 + n, spin) for n in range(RUNS)] + [(200, 0), (201, spin)]
    build_all(repo, "small", [{"VERSION": number, "SPIN_NS": extra} for number, extra in versions])
    if table.wants("same"):
        table.add("same", "one kernel, one case, other machine code",
                  *repeated(table, repo, RUNS, lambda n: repo.version(1 + n, 0), (0, 1, 2)))
    if table.wants("slower"):
        table.add("slower", "the same, 5 % slower",
                  *repeated(table, repo, RUNS, lambda n: repo.version(100 + n, spin), (0, 1, 2)))
    for number, extra in ((200, 0), (201, spin)) if clock and table.in_time() else ():
        repo.version(number, extra)
        clock.write(f"# {extra} ns slower\n" + "\n".join(repo.clock("run", statuses=(0, 1, 2))) + "\n")


def attention_repository(home, folder):
    repo = repository.Repository(home, folder)
    repo.begin()
    shutil.copytree(repo.home / "share/pawl/kernels/attention", repo.folder / "kernels", dirs_exist_ok=True)
    return repo


def ten_configurations(table, home, folder, arch):
    if not table.wants("ten"):
        return
    repo = attention_repository(home, folder / "ten")
    source = "sdpa_hopper.cu" if arch.startswith("sm_90") else "sdpa_mma.cu"
    cases = "".join(f"  c{i}: {{operator: attention, B: {b}, H: {h}, S: {s}, D: {d}, causal: {c}, dtype: f16}}\n"
                    for i, (b, h, s, d, c) in enumerate(HOPPER_CASES))
    (repo.folder / "pawl.yaml").write_text(
        f"version: 1\nkernels:\n  fast: {{operator: attention, device: cuda, sources: [kernels/{source}]}}\n"
        f"cases:\n{cases}measure: {repository.GPU_MEASURE}\n")
    repo.commit("Begin")
    repo.pawl("build")
    table.add("ten", f"ten configurations of {source}, bench", [repo.pawl("bench")[0] for _ in range(min(RUNS, 3))])


def gpu_example(table, home, folder):
    if not (table.wants("first") or table.wants("next") or table.wants("fresh")):
        return
    repo = repository.Repository(home, folder / "example")
    repo.pawl("init", "--example", "attention-cuda", ".")
    suite = repo.folder / "pawl.yaml"
    suite.write_text(suite.read_text() + "profile: {regression: false, max_kernels: 0}\n")
    repo.begin()
    repo.commit("Begin")
    repo.pawl("build")
    if table.wants("first") or table.wants("next"):
        seconds, _ = repo.pawl("run", "--update-baseline")
        table.add("first", "the attention-cuda example, first run, with references", [seconds],
                  measured_phases(repo, seconds))
        repo.commit("Record")
    source = next((repo.folder / "kernels").glob("sdpa_mma.cu"))
    text = source.read_text()

    def change(number):
        source.write_text(text + f'\nextern "C" PAWL_EXPORT int version_of_kernel(void) {{ return {number}; }}\n')
        repo.pawl("build")

    if table.wants("next"):
        table.add("next", "the same, next run with a changed kernel", *repeated(table, repo, min(RUNS, 3), change, (0, 1, 2)))
    if table.wants("fresh"):
        change(99)
        seconds, _ = repo.pawl("run", "--references", "fresh", statuses=(0, 1, 2))
        phases = measured_phases(repo, seconds)
        table.add("fresh", "references measured anew, with the run", [seconds], phases,
                  f"references alone {phases.get('references') or 0:.1f} s")


def every_configuration(space):
    names = list(space)
    return [dict(zip(names, values)) for values in itertools.product(*space.values())]


def last_candidate(journal):
    """(candidates, seconds) of the screening: the journal has a line for each, with the time of the search until then."""
    lines = [json.loads(line) for line in journal.read_text().splitlines()[1:]]
    candidates = [line for line in lines if "finished" not in line]
    return len(candidates), max((line["seconds"] for line in candidates), default=float("nan"))


def search(table, repo, name, what, note, **environment):
    """The rate of the screening, and of the whole search."""
    seconds, out = repo.pawl("--json", "tune", "tuned", "--budget", TUNE_BUDGET, "--prior", "none", statuses=(0, 2), **environment)
    count, screening = last_candidate(repo.folder / "perf/out/tune/tune.jsonl")
    phases = {"screening": screening, "race, check and verdict": json.loads(out)["seconds"] - screening}
    table.add(name, what, [seconds], phases, f"{count} candidates: {60 * count / screening:.1f} a minute screened, "
              f"{60 * count / seconds:.1f} a minute in all{note}")


def tune(table, home, folder, gpu):
    """18 configurations of a kernel: all of them built before, and none."""
    if not (table.wants("tune") or table.wants("tune-cold")):
        return
    repo = attention_repository(home, folder / "tune")
    space = GPU_SPACE if gpu else CPU_SPACE
    params, axes = ({name: values[0] for name, values in space.items()}, json.dumps(space))
    (repo.folder / "pawl.yaml").write_text(
        "version: 1\nkernels:\n"
        f"  tuned: {{operator: attention, device: {'cuda' if gpu else 'cpu'},\n"
        f"          sources: [kernels/{'sdpa_mma.cu' if gpu else 'sdpa_cpu_fast.c'}], params: {json.dumps(params)},\n"
        f"          tune: {axes}}}\n"
        f"cases:\n  one: {repository.GPU_CASE if gpu else repository.CPU_CASE}\n"
        "check:\n  attention: {S: [512], B: [2], H: [4], D: [64]}\n"
        f"measure: {repository.GPU_MEASURE if gpu else repository.CPU_MEASURE}\n"
        "profile: {regression: false, max_kernels: 0}\n")
    repo.commit("Begin")
    configurations = every_configuration(space)
    if table.wants("tune"):
        built = build_all(repo, "tuned", configurations)
        search(table, repo, "tune", f"tune, {len(configurations)} configurations, builds cached",
               f"; built before in {built:.0f} s")
    if table.wants("tune-cold"):
        shutil.rmtree(repo.folder / ".pawl/build", ignore_errors=True)
        search(table, repo, "tune-cold", f"tune, {len(configurations)} configurations, nothing built", "", CCACHE_DISABLE="1")


def cpu_example(table, home, folder):
    if not table.wants("cpu"):
        return
    repo = repository.Repository(home, folder / "cpu")
    repo.pawl("init", "--example", "attention", ".")
    repo.begin()
    repo.commit("Begin")
    repo.pawl("run", "--update-baseline", statuses=(0, 2))
    repo.commit("Record")
    seconds = [repo.pawl("run", "--reduced", statuses=(0, 1, 2))[0] for _ in range(RUNS)]
    table.add("cpu", "CPU example, run --reduced, unchanged", seconds, measured_phases(repo, seconds[-1]))


def gpu_arch(home):
    """"sm_90a"; "" where there is no GPU."""
    done = subprocess.run([pathlib.Path(home) / "bin/pawl", "doctor", "--json"], capture_output=True, text=True)
    gpu = next(device for device in json.loads(done.stdout)["devices"] if device["name"] == "cuda")
    found = re.search(r"sm_\w+", gpu.get("found") or "") if gpu["ok"] else None
    return found.group() if found else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("home", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent.parent / "dist")
    parser.add_argument("-o", metavar="FILE.json")
    parser.add_argument("--clock", metavar="FILE", type=argparse.FileType("w"), help="one more run of each of the rows "
                        "same and slower, with the time of each line")
    options = parser.parse_args()
    if not (pathlib.Path(options.home) / "bin/pawl").exists():
        print(f"run.py: no program '{options.home}/bin/pawl'")
        raise SystemExit(77)
    table, arch = Table(os.environ.get("ROWS", "").split()), gpu_arch(options.home)
    print(f"GPU: {arch or 'none'}; {os.cpu_count()} CPUs", flush=True)
    with tempfile.TemporaryDirectory(prefix="pawl-loop-") as scratch:
        folder = pathlib.Path(scratch)
        small_kernel(table, options.home, folder, bool(arch), options.clock)
        tune(table, options.home, folder, bool(arch))
        if arch:
            gpu_example(table, options.home, folder)
            ten_configurations(table, options.home, folder, arch)
        cpu_example(table, options.home, folder)
    if options.o:
        pathlib.Path(options.o).write_text(json.dumps(table.rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
