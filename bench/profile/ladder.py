#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the first lines of pawl beside the known cause for each step of the attention kernels' ladder: ladder.py PAWL
FOLDER. FOLDER has the profiles that `ladder.sh profile` left, .csv or .csv.gz. Prints Markdown, and how many steps pawl names in its
first three lines. With --least N the exit status is 1 for fewer."""
import argparse
import gzip
import pathlib
import subprocess
import sys
import tempfile

LINES = 3


def rungs():
    for line in (pathlib.Path(__file__).parent / "ladder.txt").read_text().splitlines():
        if line.startswith("rung "):
            _, base, candidate, rest = line.split(" ", 3)
            words, text = rest.split(" | ", 1)
            yield base, candidate, words, text


def read(folder, name):
    """The text of a profile; None: there is none."""
    plain, packed = pathlib.Path(folder, name + ".csv"), pathlib.Path(folder, name + ".csv.gz")
    return plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes()) if packed.exists() else None


def explain(pawl, base, candidate, scratch):
    files = [pathlib.Path(scratch, name) for name in ("base.csv", "candidate.csv")]
    for file, text in zip(files, (base, candidate)):
        file.write_bytes(text)
    told = subprocess.run([pawl, "profile", "--import", files[1], "--base", files[0]], capture_output=True, text=True, check=True)
    return told.stdout.splitlines()[:LINES]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pawl")
    parser.add_argument("folder")
    parser.add_argument("--least", type=int, default=0)
    arguments = parser.parse_args()
    named = measured = 0
    for base, candidate, words, text in rungs():
        texts = [read(arguments.folder, name) for name in (base, candidate)]
        if None in texts:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            lines = explain(arguments.pawl, *texts, scratch)
        right = any(words in line for line in lines)
        named, measured = named + right, measured + 1
        print(f"### {base} to {candidate}\n\nThe ladder: {text}. pawl {'names it' if right else 'does not name it'}.\n")
        print("\n".join(["```", *lines, "```", ""]))
    print(f"{named} of {measured} steps are named")
    return 1 if named < arguments.least else 0


if __name__ == "__main__":
    sys.exit(main())
