#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every field of what pawl.yaml says has a reader outside the rooms that read the file: a key without one would promise
something that no part of pawl does. The compiler tells: in a copy of the headers each field is marked as deprecated, and
each use of it is then a warning that names it."""
import pathlib
import re
import subprocess
import sys
import tempfile

READERS = ("model", "suite", "yaml")  # the rooms that fill the fields
MEMBER = re.compile(r"(?P<name>\w+)(?=\s*(?:,|$))")


def mark(text, found):
    """The header with an attribute on each field of a struct; notes "struct.field" in `found`."""
    lines, struct = [], None
    for line in text.splitlines():
        code, comment = re.match(r"(.*?)(\s*/\*.*)?$", line).groups()
        opened = re.match(r"struct (\w+) \{$", code)
        if opened:
            struct = opened[1]
        elif code.startswith("};"):
            struct = None
        elif struct and code.endswith(";"):
            def attribute(match):
                field = f"{struct}.{match['name']}"
                found.add(field)
                return f'{match["name"]} __attribute__((deprecated("{field}")))'
            code = MEMBER.sub(attribute, code[:-1]) + ";"
        lines.append(code + (comment or ""))
    return "\n".join(lines) + "\n"


def main():
    root = pathlib.Path(sys.argv[1])
    headers = [*sorted(root.glob("src/model/*_spec.h")), root / "src/model/suite.h"]
    unread = set()
    with tempfile.TemporaryDirectory(prefix="pawl-fields-") as folder:
        copy = pathlib.Path(folder) / "model"
        copy.mkdir()
        for header in headers:
            (copy / header.name).write_text(mark(header.read_text(), unread))
        total = len(unread)
        packages = subprocess.run(["pkg-config", "--cflags", "cairo", "jansson", "libcurl"], capture_output=True, text=True,
                                  check=True).stdout.split()
        sources = {p: set(re.findall(r"\w+", p.read_text())) for p in sorted(root.glob("src/**/*.c"))
                   if p.relative_to(root / "src").parts[0] not in READERS}
        while unread and sources:  # first the source that names most of what is left
            names = {field.split(".")[1] for field in unread}
            source = max(sources, key=lambda path: len(names & sources[path]))
            del sources[source]
            done = subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-fsyntax-only", "-Wdeprecated-declarations",
                                   f"-I{folder}", f"-I{root}/src", f"-I{root}/include", '-DPAWL_VERSION=""', *packages,
                                   str(source)], capture_output=True, text=True)
            unread -= set(re.findall(r"is deprecated: (\w+\.\w+)", done.stderr))
    if total < 50:
        print(f"only {total} fields found in {len(headers)} headers: this test does not read them any more")
        return 1
    for field in sorted(unread):
        print(f"{field}: no room but {', '.join(READERS)} uses it: give it a reader, or refuse its key")
    print(f"{total - len(unread)} of {total} fields have a reader")
    return 1 if unread else 0


if __name__ == "__main__":
    sys.exit(main())
