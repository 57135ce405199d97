#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recorded comparisons of tests/data/misjudged, whose first answer was wrong or unclear, judged again by every rule.
`pawl report FILE --save-case` makes such a file.

Usage: misjudged.py PAWL [--check]     writes docs/results/misjudged.md, or only says whether it is as it should be"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import documents  # noqa: E402

CASES = ROOT / "tests/data/misjudged"
PAGE = ROOT / "docs/results/misjudged.md"
RULES = int(re.search(r"#define PAWL_SEQUENTIAL_RULE (\d+)", (ROOT / "src/stats/sequential.h").read_text())[1])


def judge(pawl, path):
    """The replay of a file's only row."""
    done = subprocess.run([pawl, "-q", "--json", "verify", str(path)], capture_output=True, text=True)
    replay = json.loads(done.stdout)
    if done.returncode not in (0, 1) or len(replay.get("rows", [])) != 1:
        sys.exit(f"{path.name}: pawl verify ended with {done.returncode}: {done.stdout}{done.stderr}")
    return replay["rows"][0]


def judge_by_rule(pawl, case, rule, scratch):
    """The answer of a rule to the blocks. They ended with the answer of the recording's rule, so another rule may want more."""
    case = json.loads(json.dumps(case))
    case["comparisons"][0]["paired"]["policy"]["rule"] = rule
    path = pathlib.Path(scratch) / "case.json"
    path.write_text(json.dumps(case))
    return judge(pawl, path)


def cell(row, expected):
    if row["answer"] == "continue":
        return "wants more blocks"
    mark = "" if expected is None or row["answer"] == "inconclusive" else " (right)" if row["answer"] == expected else " **(wrong)**"
    return f"{row['answer']}, {row['blocks']} blocks{mark}"


def rows_of(pawl, scratch):
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_text())
        for fault in documents.faults(case, "verdict"):
            sys.exit(f"{path.name}: {fault}")
        own = judge(pawl, path)
        if own["difference"]:
            sys.exit(f"{path.name}: the rule of its recording now answers otherwise: {own['difference']}")
        expected = case.get("expected")
        recorded = case["comparisons"][0]["paired"]
        yield [path.stem, expected or "unknown", f"{recorded['answer']}, rule {recorded['policy'].get('rule', 1)}",
               *[cell(judge_by_rule(pawl, case, rule, scratch), expected) for rule in range(1, RULES + 1)],
               " ".join(case["notices"]) or ""]


def page(pawl):
    with tempfile.TemporaryDirectory(prefix="pawl-cases-") as scratch:
        rows = list(rows_of(pawl, scratch))
    if not rows:
        sys.exit(f"{CASES} has no case")
    heads = ["case", "right answer", "recorded", *[f"rule {rule}" for rule in range(1, RULES + 1)], "what happened"]
    table = "\n".join(f"| {' | '.join(row)} |" for row in [heads, ["---"] * len(heads), *rows])
    return f"""# Misjudged comparisons, by rule

Written by `bench/gate/misjudged.py`, and a test compares it with every change. Each row is a recorded comparison of
`tests/data/misjudged` whose first answer was wrong or unclear, judged again from its blocks. [The rules](../adr/sequential-test.md) have numbers in
`src/stats/sequential.h`. A recording ends with the answer of its own rule, so that another rule may want more blocks.

{table}

To add a case, save the row of a verdict and run the script:

    pawl report perf/out/verdict.json --save-case tests/data/misjudged/NAME.json --kernel KERNEL --case CASE --expected maintained --note TEXT
    bench/gate/misjudged.py PAWL
"""


def main():
    text = page(sys.argv[1])
    if "--check" not in sys.argv:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        print(f"{PAGE.relative_to(ROOT)} is not what the rules answer now: read bench/gate/misjudged.py, then run it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
