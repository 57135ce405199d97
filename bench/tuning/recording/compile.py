#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a few configurations of each kernel, before and after its change, with nvcc, for a machine without a GPU.

Usage: compile.py NVCC [COUNT]"""

import random
import subprocess
import sys

import measure
import record
import spaces


def compiles(nvcc, file, macros):
    words = [nvcc, "-cubin", "-arch=sm_90", "-o", "/dev/null", *(f"-D{name}={value}" for name, value in macros.items())]
    done = subprocess.run([*words, str(file)], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{file.name} {macros}: {done.stderr.strip()}")
    return done.returncode == 0


def main():
    nvcc, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2
    failed = 0
    for space in spaces.SPACES + spaces.CHANGED:
        rng, file = random.Random(space["name"]), measure.HERE / f"{measure.kernel_of(space)}.cu"
        for params in rng.sample(record.enumerate_space(space), count):
            failed += not compiles(nvcc, file, measure.macros_of(space, params))
        failed += not compiles(nvcc, measure.HERE / "reference.cu", measure.reference_macros(space))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
