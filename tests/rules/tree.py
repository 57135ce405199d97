#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""House rules that need no judgement: file length, licence line, modes, layout by clang-format, scripts by shellcheck,
commands and their manual. A tool that is missing is a fault."""
import pathlib
import re
import subprocess
import sys

SOURCES = (".c", ".h", ".cu", ".cuh", ".py", ".sh")
MOST_LINES = 600


def tracked(root):
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    if listed.returncode:
        return [p for p in root.rglob("*") if p.is_file()]
    return [root / name for name in listed.stdout.splitlines() if (root / name).is_file()]


def check_sources(root, files):
    for path in files:
        name = path.relative_to(root).as_posix()
        if path.suffix not in SOURCES or name.startswith("templates/"):
            continue
        if path.suffix == ".py" and path.stem in sys.stdlib_module_names:
            yield f"{name}: the scripts beside it import it for Python's own module '{path.stem}': rename it"
        text = path.read_text()
        if text.count("\n") > MOST_LINES:
            yield f"{name}: {text.count(chr(10))} lines, more than {MOST_LINES}: split it"
        if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(text.splitlines()[:4]):
            yield f"{name}: no licence line"
        if name.startswith("src/") and path.suffix == ".h" and "#pragma once\n" not in text:
            yield f"{name}: no '#pragma once', and no #ifndef in its place"


def check_suffixes(files):
    """A suffix without a file would be a rule that reads nothing."""
    for suffix in sorted(set(SOURCES) - {path.suffix for path in files}):
        yield f"tests/rules/tree.py: SOURCES: no file ends in {suffix}; delete it"


def check_modes(root, files):
    """A file that begins with #! is executable, and no other file is."""
    for path in files:
        with open(path, "rb") as file:
            is_script = file.read(2) == b"#!"
        if is_script != bool(path.stat().st_mode & 0o100):
            yield f"{path.relative_to(root).as_posix()}: {'chmod +x' if is_script else 'chmod -x'} it"


def check_layout(root, files):
    ours = [str(p) for p in files if p.suffix in (".c", ".h") and "tests/data" not in p.as_posix()]
    yield from run_tool(root, "clang-format", "--dry-run", "--Werror", "--ferror-limit=10", *ours)


def check_scripts(root, files):
    ours = [str(p) for p in files if p.suffix == ".sh" or re.match(rb"#!.*\b(ba)?sh\b", first_line(p))]
    yield from run_tool(root, "shellcheck", "--format=gcc", *ours)


def first_line(path):
    with open(path, "rb") as file:
        return file.readline(100)


def run_tool(root, *command):
    """The lines that name a place, of a tool that found something."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=root)
    except FileNotFoundError:
        yield f"no {command[0]}: scripts/setup --tests installs it"
        return
    if done.returncode:
        told = (done.stdout + done.stderr).replace(str(root) + "/", "").splitlines()
        yield from [line for line in told if re.match(r"\S+:\d+:\d+: ", line)] or told or [f"{command[0]} failed"]


def check_manual(root):
    """Every command has a file, a row and a section in the manual; the synopsis is the same in both."""
    table = (root / "src/cli/commands.inc").read_text()
    rows = re.findall(r'^COMMAND\((\w+), \w+,\s*"([^"]*)"', table, re.MULTILINE)
    if not rows:
        yield "src/cli/commands.inc: no rows"
    manual = (root / "docs/man/pawl.1").read_text()
    for name, synopsis in rows:
        if not (root / f"src/cli/cmd_{name}.c").exists():
            yield f"command {name}: no src/cli/cmd_{name}.c"
        if synopsis not in manual.replace("\\-", "-"):
            yield f"docs/man/pawl.1: no '{synopsis}'"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = tracked(root)
    faults = [*check_sources(root, files), *check_suffixes(files), *check_modes(root, files), *check_layout(root, files), *check_scripts(root, files),
              *check_manual(root)]
    print("\n".join(faults) or f"{len(files)} files keep the house rules")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
