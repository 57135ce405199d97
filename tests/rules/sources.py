#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every C file of src/ stands in a meson.build. Each build runs this check, because a file that is missing there shows only as
an undefined symbol of the linker.

Usage: sources.py ROOT STAMP    writes STAMP if no file is missing"""
import pathlib
import sys


def missing(root):
    for path in sorted((root / "src").rglob("*.c")):
        home = next(folder for folder in path.parents if (folder / "meson.build").exists())
        if f"'{path.relative_to(home).as_posix()}'" not in (home / "meson.build").read_text():
            yield f"{path.relative_to(root)} is in no meson.build; add it to {home.relative_to(root)}/meson.build"


def main():
    faults = list(missing(pathlib.Path(sys.argv[1])))
    if faults:
        sys.exit("\n".join(faults))
    pathlib.Path(sys.argv[2]).touch()


if __name__ == "__main__":
    main()
