#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The failed tests of a log of meson.
failed_tests.py LOG.json: a line for each: its name, then "again" where it may run once more, alone, or "final". A sanitizer's
finding is final, and so are more failures than a few: load is not the reason. A leak beside a failed assertion is none: the
assertion has left a test of cmocka before it could release what it had.
failed_tests.py LOG.json NAME: the lines at the first word of a failure that this test printed, and its last lines."""

import json
import pathlib
import re
import sys

MOST = 8
LINES = 15
FAILURE = re.compile(r"FAIL|ERROR|Error|Sanitizer")
GOOD = ("OK", "SKIP", "EXPECTEDFAIL")
FINDING = re.compile(r"Sanitizer|runtime error:")
LEAK = re.compile(r"LeakSanitizer: detected memory leaks|SUMMARY: AddressSanitizer: \d+ byte\(s\) leaked|ThreadSanitizer: thread leak")
FAILED_ASSERTION = "[  FAILED  ] "


def has_finding(test):
    lines = [line for stream in ("stdout", "stderr") for line in test.get(stream, "").splitlines()]
    left_early = any(FAILED_ASSERTION in line for line in lines)
    return any(FINDING.search(line) and not (left_early and LEAK.search(line)) for line in lines)


def name_of(test):
    return test["name"].split(" / ")[-1]


def print_failed(tests):
    for test in tests:
        final = len(tests) > MOST or has_finding(test)
        print(name_of(test), "final" if final else "again")


def print_end(test):
    for stream in ("stdout", "stderr"):
        lines = test.get(stream, "").splitlines()
        rest = max(len(lines) - LINES, 0)
        first = next((i for i, line in enumerate(lines[:rest]) if FAILURE.search(line)), rest)
        print(*lines[first : min(first + LINES, rest)], *lines[rest:], sep="\n")


def main():
    tests = [json.loads(line) for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]
    failed = [test for test in tests if test["result"] not in GOOD]
    if len(sys.argv) == 2:
        print_failed(failed)
    else:
        print_end(next(test for test in failed if name_of(test) == sys.argv[2]))


if __name__ == "__main__":
    main()
