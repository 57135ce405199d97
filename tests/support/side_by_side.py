# SPDX-License-Identifier: Apache-2.0
"""Runs tests of unittest in threads, side by side: for tests that mostly wait."""

import concurrent.futures
import os
import tempfile
import unittest

import documents
import staged


def flat(suite):
    return [test for part in suite for test in (flat(part) if isinstance(part, unittest.TestSuite) else [part])]


def run_one(test):
    result = unittest.TestResult()
    test.run(result)
    return test.id(), result.failures + result.errors


def run(modules, what, names=(), workers=6):
    """Runs the tests of the modules, those whose names contain one of `names` where there are any. The exit status."""
    loader = unittest.defaultTestLoader
    loader.testNamePatterns = [f"*{name}*" for name in names] or None
    tests = flat(unittest.TestSuite(loader.loadTestsFromModule(module) for module in modules))
    with tempfile.TemporaryDirectory(prefix="pawl-documents-") as kept:
        os.environ[staged.DOCUMENTS] = kept
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            outcomes = list(pool.map(run_one, tests))
        invalid = documents.faults_of_kept(kept)
    for name, faults in outcomes:
        print(*(f"FAIL {name}\n{fault}" for _, fault in faults), sep="\n", end="\n" if faults else "")
    print(*invalid, sep="\n", end="\n" if invalid else "")
    failed = sum(bool(faults) for _, faults in outcomes)
    print(f"{len(outcomes) - failed} of {len(outcomes)} tests of {what} passed")
    return 1 if failed or invalid or not outcomes else 0
