#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers: a room includes only itself and rooms above it; the files of a room form no circle, where x.c and x.h are one
file; one third-party library lives behind one room; docs/architecture.md has a row for every room."""
import pathlib
import re
import sys

# Each line is a layer; rooms in one line do not know each other.
LAYERS = ["base", "process", "stats model yaml net", "suite device", "build protocol", "host worker", "oracle", "measure", "check",
          "gate", "record", "profile", "fleet", "tune", "store import", "report", "picture", "project", "pairs", "loop tuning",
          "notify forge serve", "cli"]
# A room that may include these alone: the program that loads code under test shares the protocol with pawl, nothing else.
ONLY = {"protocol": {"base", "model"}, "host": {"base", "process", "model", "device", "protocol"}}
# header of a third-party library -> the files that may include it
LIBRARIES = {"jansson.h": "src/base/json.h", "libfyaml.h": "src/yaml/", "xxhash.h": "src/base/hash.c",
             "cairo": "src/picture/", "gelf.h": "src/build/", "libelf.h": "src/build/", "libiberty/": "src/build/demangle.c",
             "cblas.h": "src/host/", "expat.h": "src/import/xml.c",
             "curl/": "src/net/", "sqlite3.h": "src/store/sql_sqlite.c", "libpq-fe.h": "src/store/sql_postgresql.c", "zlib.h": ("src/store/pack.c", "src/picture/png.c", "src/tune/gunzip.c"),
             "microhttpd.h": "src/serve/", "openssl/": ("src/base/seal.c", "src/serve/"), "lapacke.h": "src/tune/", "cuda.h": None, "nvml.h": None}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """One circle of the graph, its first file again at the end; [] without any."""
    done, path = set(), []

    def visit(file):
        if file in path:
            return [*path[path.index(file):], file]
        if file in done:
            return []
        path.append(file)
        for other in sorted(graph.get(file, ())):
            found = visit(other)
            if found:
                return found
        path.pop()
        done.add(file)
        return []

    for file in sorted(graph):
        found = visit(file)
        if found:
            return found
    return []


def circles(root: pathlib.Path) -> list[str]:
    """A fault for each room whose files form a circle."""
    rooms: dict[str, dict[str, set[str]]] = {}
    for path in sorted(root.glob("src/**/*.[ch]")):
        file = path.relative_to(root / "src").with_suffix("").as_posix()
        graph = rooms.setdefault(file.split("/")[0], {}).setdefault(file, set())
        for header in re.findall(r'^\s*#\s*include\s*"([^"]+)\.h"', path.read_text(), re.MULTILINE):
            if header != file and header.split("/")[0] == file.split("/")[0]:
                graph.add(header)
    found = {room: circle(graph) for room, graph in rooms.items()}
    return [f"src/{room}: a circle of includes: {' -> '.join(files)}" for room, files in found.items() if files]


def undocumented(root: pathlib.Path) -> list[str]:
    """A fault for each room that the table of the architecture lacks."""
    table = (root / "docs/architecture.md").read_text()
    rooms = sorted(path.name for path in (root / "src").iterdir() if path.is_dir())
    return [f"docs/architecture.md: no row for src/{room}/" for room in rooms if f"| `src/{room}/` |" not in table]


def check(root: pathlib.Path) -> list[str]:
    level = {room: i for i, layer in enumerate(LAYERS) for room in layer.split()}
    faults = []
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
            if found[1] == '"' and other in level and other != room:
                allowed = other in ONLY[room] if room in ONLY else level[other] < level[room]
                if not allowed:
                    faults.append(f"{name}:{number}: {room} must not include {header}")
            for library, home in LIBRARIES.items():
                if header.startswith(library) and (home is None or not name.startswith(home)):
                    faults.append(f"{name}:{number}: {header} belongs behind {home}")
    return faults + circles(root) + undocumented(root)


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or "every include keeps to the layers")
    sys.exit(1 if found else 0)
