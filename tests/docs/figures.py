#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A measured figure of README.md or a guide has its evidence: its paragraph names a file below docs/results/. `pawl verify`
confirms a verdict and the folder of a sweep, and the figure stands in the report of the verdict, in the folder's README.md,
or on the page.

Usage: figures.py BUILD"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import staged  # noqa: E402

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs/guides").glob("*.md"))]
FIGURE = re.compile(r"(?<![\w.])[+-]?\d[\d.]*(?= (?:us|ns|ms|GB/s|TFLOP/s|times as fast|times as long)\b)|"
                    r"(?<![\w.])\d+\.\d+(?= %| s\b)|(?<=\[)[+-]\d[\d.]*|(?<=, )[+-]\d[\d.]*(?=\])|\b0\.\d{3,}\b")
EVIDENCE = re.compile(r"(?:docs/|(?<=\.\./))results/[\w./-]*(?:\.md|\.verdict\.json|/)(?![\w.])")
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
# Paragraphs whose figures nobody measured: settings, limits, arithmetic, and facts about other programs.
GIVEN = ("false_alarm", "Google Benchmark before 1.9", "A hundred clean trials", "PAWL_MACHINE", "The samples vary too much",
         "The scale is the median time of the current code", "candidate that hangs ends soon", "after the first job", "sleeps, `MODE=1`")


def confirm(path, home, scratch):
    """(what the evidence says, why it is none)"""
    whole = ROOT / path
    if not whole.exists():
        return "", "there is no such file"
    environment = staged.environment(home, pathlib.Path(scratch))
    if path.endswith(".verdict.json") or whole.is_dir():
        done = subprocess.run(["pawl", "-q", "verify", whole], env=environment, capture_output=True, text=True)
        if done.returncode:
            return "", f"pawl verify ends with {done.returncode}: {done.stdout}{done.stderr}"
    if whole.is_dir():
        return (whole / "README.md").read_text(), None
    if path.endswith(".verdict.json"):
        report = pathlib.Path(scratch) / "report.md"
        subprocess.run(["pawl", "-q", "report", whole, "-o", report], env=environment, check=True, stdout=subprocess.DEVNULL)
        return report.read_text(), None
    return whole.read_text(), None


def check(document, home, scratch):
    """(figures with evidence, faults)"""
    count, faults = 0, []
    for paragraph in re.split(r"\n\s*\n", FENCE.sub("", document.read_text())):
        figures = FIGURE.findall(CODE.sub("", paragraph))
        if not figures or any(words in paragraph for words in GIVEN):
            continue
        name, found = document.relative_to(ROOT), []
        for path in EVIDENCE.findall(paragraph):
            text, fault = confirm(path if path.startswith("docs/") else f"docs/{path}", home, scratch)
            faults += [f"{name}: {path}: {fault}"] if fault else []
            found.append(text)
        missing = [figure for figure in figures if not any(re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", text) for text in found)]
        faults += [f"{name}: no evidence for {', '.join(missing)} in: {paragraph.strip()[:90]}..."] if missing else []
        count += len(figures) - len(missing)
    return count, faults


def main():
    with tempfile.TemporaryDirectory(prefix="pawl-figures-") as scratch:
        home = staged.install(pathlib.Path(sys.argv[1]).resolve(), scratch)
        checked = [check(document, home, scratch) for document in DOCUMENTS]
    faults = [fault for _, found in checked for fault in found]
    sys.exit("\n".join(faults) if faults else print(f"{sum(count for count, _ in checked)} figures have their evidence"))


if __name__ == "__main__":
    main()
