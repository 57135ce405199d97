#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of posting, against a fake code host: run.py --build DIR | --home DIR [--part everyday|long] [TEST...]"""

import argparse
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import fake_forge  # noqa: E402
import side_by_side  # noqa: E402
import staged  # noqa: E402
import test_autotune  # noqa: E402
import test_baseline  # noqa: E402
import test_ci  # noqa: E402
import test_elsewhere  # noqa: E402
import test_hostile  # noqa: E402
import test_init  # noqa: E402
import test_install  # noqa: E402
import test_issues  # noqa: E402
import test_measure  # noqa: E402
import test_plan  # noqa: E402
import test_posting  # noqa: E402
import test_settings  # noqa: E402
import test_templates  # noqa: E402

PARTS = {"everyday": (test_posting, test_ci, test_measure, test_plan, test_hostile, test_baseline, test_templates, test_autotune,
                      test_install, test_issues, test_elsewhere),
         "long": (test_init, test_settings)}
MODULES = sum(PARTS.values(), ())


def run_all(home, modules, names=()):
    """The exit status."""
    for module in modules:
        module.HOME = home
    return side_by_side.run(modules, "posting", names)


def run_recorded(arguments, names):
    """Runs these tests; whether one failed, and the requests that pawl made."""
    with tempfile.TemporaryDirectory(prefix="pawl-requests-") as folder:
        fake_forge.RECORD = pathlib.Path(folder) / "requests"
        with staged.home(arguments) as home:
            failed = run_all(home, MODULES, names)
        return failed, [json.loads(line) for line in fake_forge.RECORD.read_text().splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    staged.add_home(parser)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    with staged.home(arguments) as home:
        return run_all(home, PARTS.get(arguments.part, MODULES), arguments.names)


if __name__ == "__main__":
    sys.exit(main())
