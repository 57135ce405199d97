#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The time of a build, and the time in which pawl sees that a build is up to date, in a tree of many files.

    build.py PAWL [EARLIER_PAWL] [--files 10000] [--rounds 9] [--sources 6] [--only WORDS]

Each round runs every pawl in turn, and each second round begins with the last one, so that they meet the same load. Times are the
wall time of the command `pawl build`, in ms: the least one and the median. Behind them is the ratio: the first pawl's time divided by
that of the last one, of the least times and as the median over the rounds. The last two columns are the same ratios of the CPU time of
the command and all that it started, which other work on the machine changes less."""
import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

SCALE = "kernels/scale_cpu.c"
TOKEN = f"{time.time_ns():x}"  # no cache of an earlier run has an object of this code


def make_tree(pawl, tree, files, sources):
    subprocess.run([pawl, "-q", "init", "--example", "minimal", tree], check=True, stdout=subprocess.DEVNULL)
    for i in range(files):
        folder = tree / "library" / f"part{i // 100}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"header{i}.h").write_text(f"int header{i};\n")
    names = [f"kernels/part{i}.c" for i in range(sources - 1)]
    for name in names:
        (tree / name).write_text("#include <math.h>\n")
    shutil.copytree(tree, tree.with_suffix(".several"))
    suite = tree.with_suffix(".several") / "pawl.yaml"
    suite.write_text(suite.read_text().replace(f"sources: [{SCALE}]", f"sources: [{', '.join([SCALE, *names])}]"))


def add(path, text):
    path.write_text(path.read_text().rstrip("\n") + text)


def change_all(tree, i):
    """Removes what pawl has kept, and gives each source other code, so that no cache has its object."""
    shutil.rmtree(tree / ".pawl", ignore_errors=True)
    for path in (tree / "kernels").glob("*.c"):
        add(path, f"\ndouble all_{path.stem}_{i}_{TOKEN}(double x) {{ return x * {i} + 1; }}\n")


STEPS = {
    "nothing changed": ("", lambda tree, i: None),
    "a header nobody includes came": ("", lambda tree, i: (tree / f"library/new{i}.h").write_text("")),
    "the source has a new comment": ("", lambda tree, i: add(tree / SCALE, " /**/\n")),
    "the source has new code": ("", lambda tree, i: add(tree / SCALE, f"\nint new_{i}_{TOKEN};\n")),
    "one source of several has new code": (".several", lambda tree, i: add(tree / SCALE, f"\nint new_{i}_{TOKEN};\n")),
    "all sources of several, from nothing": (".several", change_all),
}


def build(pawl, tree, state):
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([pawl, "build", "--json"], cwd=tree, env=environment, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * wall, 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def ratios(first, last):
    return f"{min(first) / max(min(last), 1e-9):7.3f}{statistics.median(a / max(b, 1e-9) for a, b in zip(first, last)):7.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pawl", nargs="+")
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--sources", type=int, default=6)
    parser.add_argument("--only", default="", help="only the steps whose name has these words")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pawl-bench-build-") as folder:
        folder = pathlib.Path(folder)
        arms = [(os.path.abspath(pawl), folder / str(i), folder / f"state{i}") for i, pawl in enumerate(options.pawl)]
        for pawl, tree, _ in arms:
            make_tree(pawl, tree, options.files, options.sources)
        print(f"{options.files} files, {options.sources} sources, {options.rounds} rounds, {os.cpu_count()} CPUs, "
              f"load {os.getloadavg()[0]:.1f}; least and median, in ms")
        for name, (suffix, change) in STEPS.items():
            if options.only not in name:
                continue
            times, cpu = [[] for _ in arms], [[] for _ in arms]
            for i in range(options.rounds + 1):
                for j in range(len(arms))[::-1 if i % 2 else 1]:
                    pawl, tree, state = arms[j]
                    change(tree.with_name(tree.name + suffix), i)
                    took, busy = build(pawl, tree.with_name(tree.name + suffix), state)
                    if i:  # the first round fills caches
                        times[j].append(took)
                        cpu[j].append(busy)
            print(f"  {name:36}" + "".join(f"{min(t):9.1f}{statistics.median(t):9.1f}" for t in times)
                  + f"  x{ratios(times[0], times[-1])}  CPU x{ratios(cpu[0], cpu[-1])}", flush=True)
        print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
