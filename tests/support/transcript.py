# SPDX-License-Identifier: Apache-2.0
"""Expected text, with two wild-cards: `*` for anything within a line, a line `...` for any number of lines."""

import difflib
import re


# pawl prints this every 30 seconds if a command takes longer. On a busy machine any command may.
PROGRESS = re.compile(r"^(?:! )?[a-z][a-z ]*: \d+ %(?:, (?:at most )?[0-9.]+ (?:s|min|h) left)?: .*\n", re.M)


def without_progress(text):
    return PROGRESS.sub("", text)


def line_matches(pattern, line):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), line) is not None


def glob_matches(pattern, text):
    """Whether the lines of `text` are those of `pattern`; each "..." takes as few lines as it can."""
    lines, starts = text.splitlines(), {0}
    for wanted in pattern.splitlines():
        if wanted.strip() == "...":
            starts = set(range(min(starts, default=len(lines) + 1), len(lines) + 1))
        else:
            starts = {i + 1 for i in starts if i < len(lines) and line_matches(wanted, lines[i])}
    return len(lines) in starts


def difference(expected, actual, name):
    return "\n".join(difflib.unified_diff(expected.splitlines(), actual.splitlines(), f"{name}, expected",
                                          f"{name}, actual", lineterm=""))
