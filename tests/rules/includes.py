#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers: a room includes only itself and rooms above it; the files of a room form no circle of includes or of calls, where
x.c and x.h are one file; one third-party library lives behind one room; docs/architecture.md has a row for every room.

Usage: includes.py ROOT [BUILD]    BUILD has the objects with the calls; without it, ROOT/build"""
import json
import os
import pathlib
import re
import subprocess
import sys

# Each line is a layer; rooms in one line do not know each other.
LAYERS = ["base", "process", "stats model yaml net", "suite device", "build protocol", "host worker", "oracle", "measure", "check",
          "gate", "record", "profile", "fleet", "tune", "store import", "report", "picture", "project", "pairs", "loop tuning sweep",
          "notify forge serve", "cli"]
# A room that may include these alone: the program that loads code under test shares the protocol with pawl, nothing else.
ONLY = {"protocol": {"base", "model"}, "host": {"base", "process", "model", "device", "protocol"}}
# header of a third-party library -> the files that may include it; () forbids it: gelf.h has all of libelf.h, and pawl opens the others at run time
LIBRARIES = {
    "cairo": ("src/picture/",),
    "cblas.h": (),
    "cuda.h": (),
    "curl/": ("src/net/",),
    "expat.h": ("src/import/xml.c",),
    "gelf.h": ("src/build/",),
    "jansson.h": ("src/base/json.h",),
    "lapacke.h": (),
    "libelf.h": (),
    "libfyaml.h": ("src/yaml/",),
    "libiberty/": ("src/build/demangle.c",),
    "libpq-fe.h": ("src/store/sql_postgresql.c",),
    "microhttpd.h": ("src/serve/",),
    "nvml.h": (),
    "openssl/": ("src/base/seal.c", "src/base/sha256.c", "src/serve/"),
    "sqlite3.h": ("src/store/sql_sqlite.c",),
    "xxhash.h": ("src/base/hash.c",),
    "zlib.h": ("src/base/zip.c",),
}
# A file with a table calls its rows, and the rows call helpers of the file: these calls of the table do not count.
TABLES = {
    "cli/cmd_ci": "the steps of `pawl ci`",
    "notify/chat": "the chat services",
    "profile/finding": "the rules that name a limit",
    "store/sql": "the databases",
    "tune/strategy": "the strategies of a search",
}


def circles(graph: dict[str, set[str]]) -> list[tuple[str, ...]]:
    """The sets of files that reach each other, each sorted."""
    reach = {}
    for file in graph:
        seen, left = set(), [file]
        while left:
            for other in graph.get(left.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    left.append(other)
        reach[file] = seen
    return sorted({tuple(sorted(other for other in seen if file in reach.get(other, ())))
                   for file, seen in reach.items() if file in seen})


def read_includes(root: pathlib.Path) -> dict[str, set[str]]:
    """The files of its own room that each file includes; x.c and x.h are the file x."""
    graph: dict[str, set[str]] = {}
    for path in sorted(root.glob("src/**/*.[ch]")):
        file = path.relative_to(root / "src").with_suffix("").as_posix()
        for header in re.findall(r'^\s*#\s*include\s*"([^"]+)\.h"', path.read_text(), re.MULTILINE):
            if header != file and header.split("/")[0] == file.split("/")[0]:
                graph.setdefault(file, set()).add(header)
    return graph


def read_calls(root: pathlib.Path, build: pathlib.Path) -> dict[str, set[str]]:
    """The files of its own room whose functions or data the object of each file uses."""
    files = {}  # object -> file
    for row in json.loads((build / "compile_commands.json").read_text()):
        source = os.path.relpath(os.path.join(row["directory"], row["file"]), root)
        if source.startswith("src/"):
            files[str(build / row["output"])] = source.removeprefix("src/").removesuffix(".c")
    symbols = subprocess.run(["nm", "-A", "-g", *files], capture_output=True, text=True, check=True).stdout
    homes, uses = {}, []
    for line in symbols.splitlines():
        place, rest = line.split(":", 1)
        *_, kind, name = rest.split()
        if kind in "Uw":
            uses.append((files[place], name))
        else:
            homes[name] = files[place]
    graph: dict[str, set[str]] = {}
    for file, name in uses:
        home = homes.get(name, file)
        if home != file and home.split("/")[0] == file.split("/")[0]:
            graph.setdefault(file, set()).add(home)
    if len(graph) < 100:
        sys.exit(f"{build}: only {len(graph)} objects call others: this test does not read them any more")
    return graph


def check_circles(root: pathlib.Path, build: pathlib.Path) -> list[str]:
    """A fault for each circle of includes or calls inside a room, and for each dead row of TABLES."""
    faults = [f"a circle of includes: {' '.join(files)}" for files in circles(read_includes(root))]
    calls = read_calls(root, build)
    for table in TABLES:
        rest = {file: others for file, others in calls.items() if file == table or file not in TABLES}
        if not any(table in files for files in circles(rest)):
            faults.append(f"tests/rules/includes.py: TABLES: src/{table}.c is in no circle; delete the row")
    found = circles({file: others for file, others in calls.items() if file not in TABLES})
    return faults + [f"a circle of calls: {' '.join(files)}" for files in found]


def undocumented(root: pathlib.Path) -> list[str]:
    """A fault for each room that the table of the architecture lacks."""
    table = (root / "docs/architecture.md").read_text()
    rooms = sorted(path.name for path in (root / "src").iterdir() if path.is_dir())
    return [f"docs/architecture.md: no row for src/{room}/" for room in rooms if f"| `src/{room}/` |" not in table]


def check(root: pathlib.Path) -> list[str]:
    level = {room: i for i, layer in enumerate(LAYERS) for room in layer.split()}
    faults, used = [], set()
    for path in sorted(root.glob("src/**/*.[ch]")):
        name = path.relative_to(root).as_posix()
        room = path.relative_to(root / "src").parts[0]
        if room not in level:
            faults.append(f"{name}: no room '{room}' in the architecture")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not found:
                continue
            header = found[2]
            other = header.split("/")[0]
            used |= {(room, other), *((library, home) for library, homes in LIBRARIES.items() for home in homes
                                      if header.startswith(library) and name.startswith(home))}
            if found[1] == '"' and other in level and other != room:
                allowed = other in ONLY[room] if room in ONLY else level[other] < level[room]
                if not allowed:
                    faults.append(f"{name}:{number}: {room} must not include {header}")
            for library, homes in LIBRARIES.items():
                if header.startswith(library) and not name.startswith(homes):
                    faults.append(f"{name}:{number}: {header} belongs behind {' or '.join(homes) or 'no file of src/'}")
    return faults + dead_rows(root, level, used)


def dead_rows(root: pathlib.Path, level: dict[str, int], used: set[tuple[str, str]]) -> list[str]:
    """A fault for each row of LAYERS, ONLY and LIBRARIES that no file needs."""
    dead = [f"LAYERS: there is no src/{room}/" for room in level if not (root / "src" / room).is_dir()]
    dead += [f"ONLY: {room} does not include {other}" for room, others in ONLY.items() for other in sorted(others)
             if (room, other) not in used]
    dead += [f"LIBRARIES: {home} does not include {library}" for library, homes in LIBRARIES.items() for home in homes
             if (library, home) not in used]
    return [f"tests/rules/includes.py: {row}; delete it" for row in dead]


def main() -> int:
    root = pathlib.Path(sys.argv[1]).resolve()
    build = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else root / "build"
    try:
        faults = check(root) + check_circles(root, build) + undocumented(root)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        faults = [f"cannot read the objects of {build}: {getattr(error, 'stderr', None) or error}; run ninja -C {build}"]
    print("\n".join(faults) or "every include and every call keeps to the layers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
