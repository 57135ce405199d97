#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Some failed tests may run once more, others may not."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import failed_tests  # noqa: E402

ASSERTION = "[  ERROR   ] --- 0\n[   LINE   ] --- test.c:1: error: Failure!\n[  FAILED  ] a_test\n"
LEAK = ("==1==ERROR: LeakSanitizer: detected memory leaks\n    #0 0x1 in __interceptor_calloc (build/test_a+0x1)\n"
        "SUMMARY: AddressSanitizer: 65568 byte(s) leaked in 1 allocation(s).\n")
USE_AFTER_FREE = "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n"


class HasFinding(unittest.TestCase):
    def has(self, stdout, stderr):
        return failed_tests.has_finding({"stdout": stdout, "stderr": stderr})

    def test_an_assertion_is_none_nor_what_it_leaks(self):
        self.assertFalse(self.has("", ASSERTION))
        self.assertFalse(self.has("", ASSERTION + LEAK))
        self.assertFalse(self.has(ASSERTION, LEAK))

    def test_whatever_else_a_sanitizer_says_is_one(self):
        for text in (LEAK, USE_AFTER_FREE, ASSERTION + USE_AFTER_FREE, ASSERTION + LEAK + USE_AFTER_FREE,
                     "a.c:1:2: runtime error: signed integer overflow\n", "WARNING: ThreadSanitizer: data race\n"):
            self.assertTrue(self.has("", text), text)


if __name__ == "__main__":
    unittest.main()
