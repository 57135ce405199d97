#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which failed tests may run once more, alone: second_try.py LOG.json, of meson. Prints their names, and nothing if there are
more than a few: then load is not the reason. A test in which a sanitizer found a fault may not."""

import json
import pathlib
import sys

MOST = 3
FINDINGS = ("Sanitizer", "runtime error:")


def has_finding(test):
    return any(finding in test.get(stream, "") for stream in ("stdout", "stderr") for finding in FINDINGS)


def main():
    tests = [json.loads(line) for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]
    failed = [test for test in tests if test["result"] in ("FAIL", "TIMEOUT", "ERROR")]
    if len(failed) <= MOST:
        print(*(test["name"].split(" / ")[-1] for test in failed if not has_finding(test)), sep="\n")


if __name__ == "__main__":
    main()
