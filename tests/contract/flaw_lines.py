#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether `pawl diff` names the source line of a planted flaw by the machine code alone, without a GPU or a CUDA toolkit.

tests/data/flaws.tar.xz has 21 pairs of bench/profile (pairs.py says which lines are right): the sources, plug-ins that hold the cubin for
sm_80 with its line table and no code of a host, and what cuobjdump lists. nvcc 13.0 compiled them to PTX, ptxas 11.8 to machine code.
Neither the wgmma and bulk copies of sm_90a are among them, nor flaws of the launch alone.

Usage: flaw_lines.py BUILD"""
import hashlib
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "support"), str(TESTS.parent / "bench/profile")]
import pairs  # noqa: E402
import staged  # noqa: E402

# The statement that keeps the large array, besides the launch that asks for one.
LINES = {**pairs.LINES, "smooth": [*pairs.LINES["smooth"], "unused[threadIdx.x]"]}
# polynomial: the chain has as many instructions as four of them. transpose: both lines with the pitch changed in the same way.
# barrier: the loop behind the condition changed more than the condition.
LEAST = 18


def fake_cuobjdump(folder):
    """A cuobjdump that knows the recorded plug-ins."""
    known = folder / "known"
    known.mkdir()
    for plugin in folder.glob("f*ed/built/*.so"):
        listing = folder / "sass" / plugin.parent.parent.name / f"{plugin.stem}.sass"
        (known / hashlib.sha256(plugin.read_bytes()).hexdigest()).write_bytes(listing.read_bytes())
    tool = folder / "tools/cuobjdump"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\nexec cat {known}/$(sha256sum <$2 | cut -c-64)\n")
    tool.chmod(0o755)
    return tool.parent


def first_line(work, environment, pair):
    told = subprocess.run(["pawl", "-q", "--json", "diff", "HEAD", pair], cwd=work, capture_output=True, text=True, env=environment,
                          stdin=subprocess.DEVNULL, timeout=100)
    if told.returncode:
        raise SystemExit(f"{pair}: {told.stderr}")
    lines = json.loads(told.stdout)["lines"]
    return (lines[0].get("text") or "") if lines else "no lines"


def main():
    with tempfile.TemporaryDirectory(prefix="pawl-flaws-") as scratch, tempfile.TemporaryDirectory(prefix="pawl-stage-") as stage:
        folder = pathlib.Path(scratch)
        environment = staged.environment(staged.install(sys.argv[1], stage), folder / "home")
        with tarfile.open(TESTS / "data/flaws.tar.xz") as archive:
            archive.extractall(folder)
        environment["PATH"] = f"{fake_cuobjdump(folder)}:{environment['PATH']}"
        names = sorted(path.stem for path in (folder / "flawed/built").glob("*.so"))
        work, right = pairs.write_repository(folder, names), 0
        for pair in names:
            line = first_line(work, environment, pair)
            found = any(text in line for text in LINES[pair])
            right += found
            print(f"{pair}: {'right' if found else 'NOT'}: {line}", flush=True)
        print(f"{right} of {len(names)} flaws have the right line first")
        return right < LEAST


if __name__ == "__main__":
    sys.exit(main())
