#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One name for one thing: no two files of src/ define different structs, enums or unions of one name. Files may
share a name: a folder is a name space."""
import collections
import pathlib
import re
import sys

SUFFIXES = (".c", ".h", ".inc")


def definitions(text):
    """The tags that a file defines at its top level."""
    code = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    return re.findall(r"^(?:(?:static|typedef|const)\s+)*(?:struct|enum|union)\s+(\w+)\s*\{", code, re.MULTILINE)


def shared(homes, what):
    for name, places in sorted(homes.items()):
        if len(places) > 1:
            yield f"{what} {name} has {len(places)} homes: {', '.join(sorted(places))}; give each its own name"


def check(root):
    tags = collections.defaultdict(set)
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        name = path.relative_to(root)
        for tag in definitions(path.read_text()):
            tags[tag].add(name.as_posix())
    for suffix in SUFFIXES:
        if not any(root.glob(f"src/**/*{suffix}")):
            yield f"tests/rules/names.py: SUFFIXES: no file of src/ ends in {suffix}; delete it"
    if len(tags) < 100:
        yield f"only {len(tags)} structs found: this test does not read them any more"
    yield from shared(tags, "the struct")


def main():
    faults = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(faults) or "every struct has its own name")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
