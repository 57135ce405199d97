#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test that tests/plugins/README.md names for a trap is there, and no trap of 1 to 23 is without one.

Usage: traps.py SOURCE_ROOT"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]) / "tests"
readme = root / "plugins/README.md"
tests = [p for p in root.rglob("*") if p.suffix in (".c", ".cu", ".h", ".py", ".sh", ".json") and p.is_file()]
words = set().union(*(re.findall(r"\w+", p.read_text(errors="replace")) for p in tests if p.suffix != ".json"))
words |= {p.stem for p in tests}
faults, numbers = [], []
for line in readme.read_text().splitlines():
    row = re.match(r"\| (\d+) .*\|(.*)\|$", line)
    if not row:
        continue
    numbers.append(int(row[1]))
    named = re.findall(r"`(\w+)`", row[2])
    if not named:
        faults.append(f"trap {row[1]}: no test is named")
    faults += [f"trap {row[1]}: there is no test '{name}'" for name in named if name not in words]
if numbers != list(range(1, 24)):
    faults.append(f"the table has the traps {numbers}")
for fault in faults:
    print(f"tests/plugins/README.md: {fault}")
sys.exit(1 if faults else 0)
