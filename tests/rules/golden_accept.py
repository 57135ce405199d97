#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The golden tests' --accept writes down good outputs and refuses bad ones."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import run  # noqa: E402


class Accept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script = pathlib.Path(folder.name) / "name.sh"

    def accept(self, status, out):
        return run.check(self.script, status, {"stdout": out, "stderr": ""}, True)

    def written(self):
        path = self.script.with_suffix(".stdout")
        return path.read_text() if path.exists() else None

    def test_it_writes_what_was_printed(self):
        text = "$ pawl run\n(exit status 1)\n"
        self.assertEqual(self.accept("0", text), [])
        self.assertEqual(self.written(), text)
        self.assertEqual(run.check(self.script, "0", {"stdout": text, "stderr": ""}, False), [])

    def test_a_script_that_failed_is_not_written(self):
        self.assertIn("exit status 1, expected 0", self.accept("1", "half of it\n"))
        self.assertIsNone(self.written())
        self.script.with_suffix(".exit").write_text("1\n")
        self.assertEqual(self.accept("1", "all of it\n"), [])
        self.assertEqual(self.written(), "all of it\n")
        self.assertIn("exit status 0, expected 1", self.accept("0", "all of it\n"))

    def test_statuses_that_no_command_should_have(self):
        for status in (70, 126, 127, 134, 139):
            self.assertIn(f"a command ended with exit status {status}", self.accept("0", f"$ pawl run\n(exit status {status})\n"))
            self.assertIsNone(self.written())


if __name__ == "__main__":
    unittest.main()
