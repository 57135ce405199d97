#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the findings of pawl in the teaching kernels: judge.py PAWL teaching.csv[.gz]. Prints for each pair the first
finding of the flawed kernel, which must be the planted flaw, and the first line of the change from flawed to fixed. Exit
status 1 when fewer than 7 of the 8 flaws are named first."""
import csv
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FLAWS = ("uncoalesced", "bank_conflicts", "spills", "low_occupancy", "divergence", "tail", "dram_bound", "tensor_bound")
LEAST = 7


def split(path):
    """{kernel such as tail_fixed: the file's text with that kernel alone}"""
    data = pathlib.Path(path).read_bytes()
    lines = (gzip.decompress(data) if path.endswith(".gz") else data).decode().splitlines()
    rows = list(csv.reader(lines[next(i for i, line in enumerate(lines) if line.startswith('"')):]))
    column, parts = rows[0].index("Kernel Name"), {}
    for row in rows[2:]:
        name = row and re.search(r"(\w+_(?:flawed|fixed))\b", row[column])
        if name:
            parts[name[1]] = "\n".join(",".join('"%s"' % field.replace('"', '""') for field in one)
                                       for one in (rows[0], rows[1], row)) + "\n"
    return parts


def main(pawl, path):
    parts, named = split(path), 0
    with tempfile.TemporaryDirectory() as folder:
        files = {name: pathlib.Path(folder, name + ".csv") for name in parts}
        for name, text in parts.items():
            files[name].write_text(text)
        for flaw in FLAWS:
            flawed, fixed = (files[f"{flaw}_{kind}"] for kind in ("flawed", "fixed"))
            told = subprocess.run([pawl, "--json", "profile", "--import", flawed], capture_output=True, check=True)
            findings = json.loads(told.stdout)["kernels"][0]["findings"]
            first = findings[0] if findings else {"id": "nothing", "evidence": ""}
            right = first["id"] == flaw.replace("_", "-")
            named += right
            change = subprocess.run([pawl, "profile", "--import", fixed, "--base", flawed], capture_output=True, text=True,
                                    check=True).stdout.splitlines()[0]
            print(f"{'ok ' if right else 'NOT'} {flaw}: {first['id']}: {first['evidence']}\n    fixed: {change}")
    print(f"{named} of {len(FLAWS)} flaws are named first")
    return 0 if named >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
