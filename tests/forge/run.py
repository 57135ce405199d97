#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of posting, against a fake code host: run.py --build DIR | --home DIR [TEST...]"""

import argparse
import concurrent.futures
import pathlib
import shutil
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import staged  # noqa: E402
import test_autotune  # noqa: E402
import test_baseline  # noqa: E402
import test_hostile  # noqa: E402
import test_posting  # noqa: E402
import test_templates  # noqa: E402

MODULES = (test_posting, test_hostile, test_baseline, test_templates, test_autotune)


def flat(suite):
    return [test for part in suite for test in (flat(part) if isinstance(part, unittest.TestSuite) else [part])]


def run_one(test):
    result = unittest.TestResult()
    test.run(result)
    return test.id(), result.failures + result.errors


def run_all(home, modules, names=()):
    """Whether any fails."""
    for module in modules:
        module.HOME = home
    loader = unittest.defaultTestLoader
    loader.testNamePatterns = [f"*{name}*" for name in names] or None
    tests = [loader.loadTestsFromModule(module) for module in modules]
    with concurrent.futures.ThreadPoolExecutor(6) as pool:  # most of the time goes in waits that are under test
        outcomes = list(pool.map(run_one, flat(unittest.TestSuite(tests))))
    for name, faults in outcomes:
        print(*(f"FAIL {name}\n{fault}" for _, fault in faults), sep="\n", end="\n" if faults else "")
    failed = sum(bool(faults) for _, faults in outcomes)
    print(f"{len(outcomes) - failed} of {len(outcomes)} tests of posting passed")
    return bool(failed) or not outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--build", type=pathlib.Path)
    where.add_argument("--home", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    stage = tempfile.mkdtemp(prefix="pawl-stage-")
    try:
        home = arguments.home.resolve() if arguments.home else staged.install(arguments.build, stage)
        return 1 if run_all(home, MODULES, arguments.names) else 0
    finally:
        shutil.rmtree(stage, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
