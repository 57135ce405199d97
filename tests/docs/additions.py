#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The additions that docs/guides/development.md shows, made in a copy of the tree: each diff applies on its own, all of
them together build, each does what the guide says, and taking them back leaves nothing.

    ```diff addition=NAME       the change
    ```console addition=NAME    what works then, as in run.py; ```LANG addition=NAME file=F is a file for it

Usage: additions.py"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import run
from run import ROOT, staged

GUIDE = ROOT / "docs/guides/development.md"


def execute(folder, *words, text=None):
    done = subprocess.run(words, cwd=folder, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode} of {' '.join(map(str, words))}\n{done.stdout}")
    return done.stdout


def copy_tree(folder):
    for name in execute(ROOT, "git", "ls-files").splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    execute(folder, "git", "init", "-q")
    execute(folder, "git", "add", "-A")


def apply(folder, diff, *options):
    execute(folder, "git", "apply", "--recount", *options, "-", text=diff)


def build(folder, target):
    execute(folder, "meson", "setup", "build", "-Dtests=false", "--libdir", "lib", "--buildtype", "release")
    done = execute(folder, "ninja", "-C", "build")
    if "warning:" in done:
        raise RuntimeError(done)
    return staged.install(folder / "build", target)


def check(additions, scratch):
    tree = scratch / "tree"
    tree.mkdir()
    copy_tree(tree)
    diffs = {name: "".join(b.body for b in blocks if b.language == "diff") for name, blocks in additions.items()}
    for diff in diffs.values():
        apply(tree, diff, "--check")
    for diff in diffs.values():
        apply(tree, diff)
    home = build(tree, scratch / "stage")
    execute(tree, "python3", "tests/rules/includes.py", tree)
    faults = []
    for name, blocks in additions.items():
        work = scratch / name
        work.mkdir()
        steps = [b for b in blocks if b.language != "diff"]
        found = run.run_scenario(name, steps, staged.environment(home, scratch / f"home-{name}"), work)
        faults += found + ([] if steps else [f"{name}: the guide does not show that it works"])
        print(f"{'FAIL' if found else 'ok':4} {name}", flush=True)
    for diff in reversed(diffs.values()):
        apply(tree, diff, "-R")
    left = execute(tree, "git", "status", "--porcelain", "--untracked-files=all", "--", ".", ":!build")
    return faults + ([f"taken back, the additions leave\n{left}"] if "\n " in f"\n{left}" or "??" in left else [])


def main():
    additions = {}
    for block in run.blocks_of(GUIDE.read_text()):
        if "addition" in block.options:
            additions.setdefault(block.options["addition"], []).append(block)
    if len(additions) < 5:
        print(f"{GUIDE} shows {len(additions)} additions: the marks are gone")
        return 1
    with tempfile.TemporaryDirectory(prefix="pawl-additions-") as scratch:
        try:
            faults = check(additions, pathlib.Path(scratch))
        except RuntimeError as error:
            faults = [str(error)]
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
