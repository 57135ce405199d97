#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dead code: every function that a header of src/ declares is used outside its own file, and every field of a struct
somewhere outside its declaration. A name counts wherever it stands in code, so a finding is sure; not every dead name
is found."""
import collections
import pathlib
import re
import sys

FOLDERS = ("src", "kernels", "include", "tests", "bench", "examples")
SUFFIXES = (".c", ".h", ".cu", ".inc", ".cpp")


def code_of(text: str) -> str:
    """The text without comments and without the contents of strings."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda m: '""' if m[0][0] == '"' else " ", text,
                  flags=re.DOTALL)


def declared(code: str) -> list[str]:
    """The functions that a header declares."""
    code = re.sub(r"^[ \t]*#.*(?:\\\n.*)*$", "", code, flags=re.MULTILINE)
    return re.findall(r"\b(pawl_\w+)\([^;{}]*\)[^;{}]*;", code)


def fields(code: str) -> list[tuple[str, str]]:
    """(struct, field) of the structs with a name in a file, those of structs inside them included."""
    found = []
    for match in re.finditer(r"\bstruct (\w+) \{", code):
        depth, end = 1, match.end()
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        body = re.sub(r"\([^()]*\)(?=\s*;)", "", code[match.end():end - 1])  # arguments of function pointers
        for line in body.replace("{", ";").replace("}", ";").split(";"):
            for name in re.findall(r"(?:\(\*)?\b(\w+)\)?\s*(?:\[[^\]]*\]|: \d+)*\s*(?=,|$)", line.strip()):
                if not name.isdigit():
                    found.append((match[1], name))
    return found


def check(root: pathlib.Path) -> list[str]:
    files = {path: code_of(path.read_text())
             for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in SUFFIXES}
    users = collections.defaultdict(set)  # word -> files
    counts = collections.Counter()
    for path, code in files.items():
        words = re.findall(r"\b[A-Za-z_]\w*\b", code)
        counts.update(words)
        for word in set(words):
            users[word].add(path)
    dead = {*FOLDERS, *SUFFIXES} - {path.relative_to(root).parts[0] for path in files} - {path.suffix for path in files}
    faults = [f"tests/rules/dead.py: no file of {row}; delete it" for row in sorted(dead)]
    for path, code in files.items():
        if path.suffix != ".h" or path.relative_to(root).parts[0] != "src":
            continue
        for name in sorted(set(declared(code))):
            homes = {p for p in users[name] if re.search(rf"^[^\s#/].*\b{name}\([^;]*\)\s*\{{", files[p], re.MULTILINE)}
            if homes and path not in homes and users[name] <= homes | {path}:
                faults.append(f"{path.relative_to(root)}: nobody uses {name}()")
        for struct, field in fields(code):
            if counts[field] == 1:
                faults.append(f"{path.relative_to(root)}: nobody reads or writes {field} of struct {struct}")
    return faults


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or "every declared function and every field is used")
    sys.exit(1 if found else 0)
