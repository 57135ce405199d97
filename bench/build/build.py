#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs pawl to see whether a build is up to date, in a tree of many files.

    build.py PAWL [EARLIER_PAWL] [--files 10000] [--rounds 9]

Each round asks every pawl in turn, so that they meet the same load. Times are the median seconds of `pawl build --json`:
the kernel's own, as the document says, without the start of the program."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile


def make_tree(pawl, tree, files):
    subprocess.run([pawl, "-q", "init", "--example", "minimal", tree], check=True, stdout=subprocess.DEVNULL)
    for i in range(files):
        folder = tree / "library" / f"part{i // 100}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"header{i}.h").write_text(f"int header{i};\n")


def build(pawl, tree, cache):
    environment = {**os.environ, "XDG_STATE_HOME": str(cache)}
    done = subprocess.run([pawl, "build", "--json"], cwd=tree, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["builds"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pawl", nargs="+")
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pawl-bench-build-") as folder:
        folder = pathlib.Path(folder)
        pawls = [os.path.abspath(pawl) for pawl in options.pawl]
        trees = [folder / str(i) for i in range(len(pawls))]
        for pawl, tree in zip(pawls, trees):
            make_tree(pawl, tree, options.files)
        print(f"{options.files} files; median of {options.rounds} rounds, in ms")
        steps = [("nothing changed", lambda tree, i: None),
                 ("a header nobody includes came", lambda tree, i: (tree / f"library/new{i}.h").write_text("")),
                 ("the source has a new comment",
                  lambda tree, i: (tree / "kernels/scale_cpu.c").write_text(
                      (tree / "kernels/scale_cpu.c").read_text().rstrip("\n") + " /**/\n")),
                 ("the source has new code",
                  lambda tree, i: (tree / "kernels/scale_cpu.c").write_text(
                      (tree / "kernels/scale_cpu.c").read_text() + f"int new_{i};\n"))]
        for name, change in steps:
            times = [[] for _ in pawls]
            for i in range(options.rounds + 1):
                for pawl, tree, list_of in zip(pawls, trees, times):
                    change(tree, i)
                    seconds = build(pawl, tree, folder / "state")["seconds"]
                    if i:  # the first fills caches
                        list_of.append(1e3 * seconds)
            print(f"  {name:32}" + "".join(f"{statistics.median(t):9.1f}" for t in times))


if __name__ == "__main__":
    main()
