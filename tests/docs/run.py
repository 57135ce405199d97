#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of the documents. A fenced block whose info string has test=NAME belongs to the scenario NAME of
its document: the scenario's blocks run in order, in one scratch folder.

    ```console test=NAME        each "$ command" must succeed; the lines below it, where there are any, are its output
                                (`*` within a line, `...` for any number of lines)
    ```sh test=NAME             a script that must succeed
    ```LANG test=NAME file=F    what the file F holds from then on

Every yaml block, marked or not, must be a suite that pawl reads, except those of an addition (additions.py). Every link
to a file must lead to one.

Usage: run.py --build DIR | --home DIR [DOCUMENT...]"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import staged  # noqa: E402
import transcript  # noqa: E402

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.M | re.S)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
MARK = "@@pawl-docs-status"
TIME_LIMIT = 900  # seconds; only a scenario that hangs takes so long, on a busy machine too


class Block:
    def __init__(self, language, options, body, line):
        self.language, self.options, self.body, self.line = language, options, body, line


def blocks_of(text):
    for found in FENCE.finditer(text):
        words = found["info"].split() or [""]
        options = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        yield Block(words[0], options, found["body"], text[: found.start()].count("\n") + 1)


def steps_of(block):
    """(line, command, expected output or None) of a block."""
    if "file" in block.options:
        name = block.options["file"]
        yield block.line, f"mkdir -p \"$(dirname '{name}')\" && cat >'{name}' <<'PAWL_END'\n{block.body}PAWL_END", None
    elif block.language == "sh":
        yield block.line, f"(set -e\n{block.body})", None
    elif block.language == "console":
        lines, i = block.body.splitlines(), 0
        while i < len(lines):
            if not lines[i].startswith("$ "):
                raise ValueError(f"line {block.line + 1 + i}: output without a command")
            line, command, output = block.line + 1 + i, lines[i][2:], []
            i += 1
            while command.endswith("\\"):
                command, i = command + "\n" + lines[i].removeprefix("> "), i + 1
            while i < len(lines) and not lines[i].startswith("$ "):
                output.append(lines[i])
                i += 1
            yield line, command, "\n".join(output) if output else None
    else:
        raise ValueError(f"line {block.line}: a {block.language} block runs only as a file= of a scenario")


def run_scenario(name, blocks, environment, folder):
    """Faults of the scenario's steps; the first ends it."""
    steps = [step for block in blocks for step in steps_of(block)]
    script = "".join(f"{command}\nprintf '\\n{MARK} %d\\n' $?\n" for _, command, _ in steps)
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIME_LIMIT)
    parts = re.split(rf"\n{MARK} (\d+)\n", transcript.without_progress(done.stdout))
    for (line, command, expected), output, status in zip(steps, parts[::2], parts[1::2]):
        if status != "0":
            return [f"line {line} ({name}): exit status {status} of: {command}\n{output}"]
        if expected is not None and not transcript.glob_matches(expected, output):
            return [f"line {line} ({name}): {transcript.difference(expected, output, command)}"]
    missing = len(steps) - len(parts) // 2
    return [f"scenario {name} ended early, {missing} steps were not run"] if missing else []


def check_suite(block, environment, folder):
    (folder / "suite.yaml").write_text(block.body)
    done = subprocess.run(["pawl", "-f", "suite.yaml", "list"], cwd=folder, env=environment, capture_output=True,
                          text=True)
    return [] if done.returncode == 0 else [f"line {block.line}: {done.stderr.strip()}"]


def check_document(path, home):
    text = path.read_text()
    faults, scenarios = [], {}
    for block in blocks_of(text):
        if "test" in block.options:
            scenarios.setdefault(block.options["test"], []).append(block)
        if block.language == "yaml" and "addition" not in block.options:
            with tempfile.TemporaryDirectory(prefix="pawl-docs-") as scratch:
                scratch = pathlib.Path(scratch)
                faults += check_suite(block, staged.environment(home, scratch / "home"), scratch)
    for name, blocks in scenarios.items():
        with tempfile.TemporaryDirectory(prefix="pawl-docs-") as scratch:
            scratch = pathlib.Path(scratch)
            work = scratch / "work"
            work.mkdir()
            environment = staged.environment(home, scratch / "home")
            try:
                faults += run_scenario(name, blocks, environment, work)
            except (ValueError, subprocess.TimeoutExpired) as error:
                faults.append(f"scenario {name}: {error}")
    prose = FENCE.sub("", text)
    faults += [f"the link {target} leads nowhere" for target in LINK.findall(prose)
               if not (path.parent / target).exists()]
    return faults, len(scenarios)


def check_readme():
    """The README's list of commands is whole."""
    readme, table = (ROOT / "README.md").read_text(), (ROOT / "src/cli/commands.inc").read_text()
    return [f"README.md has no row for pawl {name}" for name in re.findall(r"^COMMAND\((\w+)", table, re.M)
            if f"| `pawl {name}` |" not in readme]


def check_decisions():
    """The index of decisions has a row for each page."""
    folder = ROOT / "docs/adr"
    index = (folder / "README.md").read_text()
    return [f"docs/adr/README.md has no row for {path.name}" for path in sorted(folder.glob("*.md"))
            if path.name != "README.md" and f"]({path.name}) |" not in index]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    staged.add_home(parser)
    parser.add_argument("documents", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    documents = arguments.documents or [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
    failed, total = 0, 0
    with staged.home(arguments) as home:
        for path in documents:
            path = path.resolve()
            faults, scenarios = check_document(path, home)
            print(f"{'FAIL' if faults else 'ok':4} {path.relative_to(ROOT)}, {scenarios} scenarios", flush=True)
            print(*faults, sep="\n", end="\n" if faults else "")
            failed, total = failed + bool(faults), total + scenarios
    if not arguments.documents:
        lists = check_readme() + check_decisions() + ([] if total else ["no document has an example that runs: the marks are gone"])
        print(*lists, sep="\n", end="\n" if lists else "")
        failed += len(lists)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
