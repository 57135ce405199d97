# SPDX-License-Identifier: Apache-2.0
"""Tests of the installed program share this: an install of the build tree, and an environment in which a command says
the same on every machine."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CLOCK = 1700000000  # 2023-11-14 22:13:20 UTC
CACHE = 1 << 20  # bytes: a machine with a cache of 300 MB would spend most of the time of the tests with flushes

CHECKED_PAWL = pathlib.Path(__file__).resolve().parent / "bin"  # it validates the documents that it prints with --json
DOCUMENTS = "PAWL_TEST_DOCUMENTS"  # names the folder where it keeps them, for the validation at the end


def add_home(parser):
    """The options that say which installation is tested."""
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--build", type=pathlib.Path)
    where.add_argument("--home", type=pathlib.Path)


@contextlib.contextmanager
def home(arguments):
    """The folder that PAWL_HOME names, of these options; an install of a build tree goes at the end."""
    if arguments.home:
        yield arguments.home.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="pawl-stage-", ignore_cleanup_errors=True) as stage:
        yield install(arguments.build, stage)


def install(build, target):
    """Installs the build tree below `target`, where nothing else is; returns the folder that PAWL_HOME names."""
    options = json.loads((pathlib.Path(build) / "meson-info/intro-buildoptions.json").read_text())
    prefix = next(o["value"] for o in options if o["name"] == "prefix")
    subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", target], check=True,
                   stdout=subprocess.DEVNULL)
    return pathlib.Path(target) / pathlib.Path(prefix).relative_to("/")


def environment(home, folder):
    """Only what is listed: no locale, clock, identity, cache or credential of whoever runs the tests."""
    folder.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": f"{CHECKED_PAWL}:{home}/bin:/usr/local/bin:/usr/bin:/bin",
        "PAWL_UNDER_TEST": f"{home}/bin/pawl",
        "PAWL_TEST_PYTHON": sys.executable,
        "PAWL_HOME": str(home),
        "PAWL_CPU_CACHE_BYTES": str(CACHE),
        "HOME": str(folder),
        "XDG_CACHE_HOME": f"{home}/cache",  # shared: what the CPU can do does not change from test to test
        "TMPDIR": str(folder),
        "PAWL_LOCK_FOLDER": str(folder),  # else tests would wait for each other's times
        "LC_ALL": "C",
        "TZ": "UTC",
        "SOURCE_DATE_EPOCH": str(CLOCK),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A Tester", "GIT_AUTHOR_EMAIL": "tester@example.org", "GIT_AUTHOR_DATE": f"{CLOCK} +0000",
        "GIT_COMMITTER_NAME": "A Tester", "GIT_COMMITTER_EMAIL": "tester@example.org",
        "GIT_COMMITTER_DATE": f"{CLOCK} +0000",
        **{name: os.environ[name] for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", DOCUMENTS) if name in os.environ},
    }
