#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The options of every command, in the words of `pawl help COMMAND`, as docs/options.md and as a section of
docs/man/pawl.1. The tables of options in src/cli/ are the only source.

PAWL_RUN, optional: the program that runs a pawl of another machine (packaging/cross-build).

Usage: options.py PAWL            writes both
       options.py --check PAWL    says what differs; exit status 1 if anything does"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/options.md"
MANUAL = ROOT / "docs/man/pawl.1"
BEGIN, END = '.\\" Written by scripts/options.py: begin', '.\\" Written by scripts/options.py: end'


def help_of(pawl, *words):
    return subprocess.run([*os.environ.get("PAWL_RUN", "").split(), pawl, "help", *words], capture_output=True, text=True, check=True).stdout


def options_in(lines):
    """[(option and argument, help)]; a long option has its help on the next line."""
    found = []
    for line in lines:
        one = re.match(r"  (-\S.*?)(?:\s{2,}(\S.*))?$", line) or re.match(r"  (-.{23}) (\S.*)$", line)
        if one:
            found.append([one[1], one[2] or ""])
        elif found and line.startswith(" " * 20):
            found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
    return found


def read(pawl):
    """(global options, [(command, synopsis, summary, options)])"""
    overview = help_of(pawl)
    names = re.findall(r"^  ([a-z]+) +\S", overview.split("\nOptions of every command")[0], re.MULTILINE)
    commands = []
    for name in names:
        text = help_of(pawl, name)
        usage, summary = re.match(r"usage: pawl (.*)\n\n(.*)\n", text).groups()
        commands.append((name, usage, summary, options_in(text.split("\nOptions:\n")[1].splitlines())
                         if "\nOptions:\n" in text else []))
    before = overview.split("Options of every command, before or after its name:\n")[1].split("\n\n")[0]
    return options_in(before.splitlines()), commands


def sentence(text):
    return text[0].upper() + text[1:] + "."


def page(general, commands):
    lines = ["# Options", "",
             "The words of `pawl help COMMAND`, for every command. `scripts/options.py` writes this page.", "",
             "## Every command", "", "These options come before or after the command's name.", ""]
    lines += [f"- `{option}`: {words}" for option, words in general]
    for name, synopsis, summary, options in commands:
        lines += ["", f"## {name}", "", f"    pawl {synopsis}", "", sentence(summary)]
        lines += [""] * bool(options) + [f"- `{option}`: {words}" for option, words in options]
    return "\n".join(lines) + "\n"


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def section(commands):
    lines = [BEGIN, ".Sh OPTIONS OF THE COMMANDS"]
    for name, _, _, options in commands:
        if not options:
            continue
        lines += [f".Ss {name}", ".Bl -tag -width Ds"]
        for option, words in options:
            flag, _, argument = option.partition(" ")
            lines += [f".It Fl {roff(flag[1:])}" + (f" Ar {roff(argument)}" if argument else ""), roff(words)]
        lines += [".El"]
    return "\n".join([*lines, END]) + "\n"


def manual(commands):
    text = MANUAL.read_text()
    if BEGIN not in text:
        return text.replace(".Sh ENVIRONMENT\n", section(commands) + ".Sh ENVIRONMENT\n")
    before, rest = text.split(BEGIN)
    return before + section(commands) + rest.split(END + "\n")[1]


def main():
    check = sys.argv[1] == "--check"
    general, commands = read(sys.argv[-1])
    if len(commands) < 10 or len(general) < 5 or sum(len(c[3]) for c in commands) < 50:
        sys.exit("options.py does not understand `pawl help` any more")
    status = 0
    before = MANUAL.read_text().replace("\\-", "-").split(".Sh COMMANDS")[0]
    for option, _ in general:
        if not re.search(rf"\.It Fl (\S+ , )?{re.escape(option.split()[0][1:])}\b", before):
            print(f"docs/man/pawl.1 does not explain '{option}' of `pawl help`")
            status = 1
    for path, text in [(PAGE, page(general, commands)), (MANUAL, manual(commands))]:
        if not check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"{path.relative_to(ROOT)} differs from `pawl help`: run scripts/options.py {sys.argv[-1]}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
