#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code under test cannot tell whether it is the base or the candidate: nothing that a process sees predicts its arm.

Usage: arms.py BUILD ARM_STARTS [--blocks N] [TEST...]

Blocks of a base and a candidate, which differ in one digit, start as for a verdict. A probe prints what it sees. For each
fact a rule that half of the blocks taught guesses the arm in the other half. Where the arms cannot be told apart, each
guess is right with probability 1/2, whatever the rule is, because a coin decides which arm of a block starts first and
the guesses of one block are of one start that a second coin draws. So the number of right guesses is binomial, and the
bound of a false alarm is shared out over all facts and rules."""

import argparse
import collections
import hashlib
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import no_namespaces  # noqa: E402
import staged  # noqa: E402

FALSE_ALARM = 1e-5  # probability for one test, over all facts and rules
BLOCKS = 64  # half of them judge: with 400 facts, 31 right guesses of 32 accuse
PROBES = ROOT / "tests/plugins/arms"


def tail(right, count):
    """The probability of at least `right` heads in `count` tosses of a fair coin."""
    return sum(math.comb(count, i) for i in range(right, count + 1)) / 2**count


def number(text):
    match = re.fullmatch(r"(?:0x)?([0-9a-f]+)", text) if text.startswith("0x") else re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text)
    return (int(text, 16) if text.startswith("0x") else float(text)) if match else None


def by_value(taught):
    """Guesses the arm that had the value more often."""
    seen = collections.defaultdict(lambda: [0, 0])
    for arm, value in taught:
        seen[value][arm] += 1
    return lambda value: None if seen[value][0] == seen[value][1] else int(seen[value][1] > seen[value][0])


def by_bits(taught):
    """Guesses by the last bit, which tells even numbers from odd ones."""
    guess = by_value([(arm, int(found) % 2) for arm, value in taught if (found := number(value)) is not None])
    return lambda value: guess(int(found) % 2) if (found := number(value)) is not None else None


def by_size(taught):
    """The limit that parts the numbers of the two arms best."""
    rows = sorted((found, arm) for arm, value in taught if (found := number(value)) is not None)
    total, below, best = sum(arm for _, arm in rows), 0, (0, None, 0)
    for i, (value, arm) in enumerate(rows[:-1], 1):
        below += arm
        if rows[i][0] == value:
            continue
        gain = 2 * below - i - (2 * (total - below) - (len(rows) - i))
        if abs(gain) > best[0]:
            best = (abs(gain), value, int(gain < 0))
    return lambda value: None if best[1] is None or (found := number(value)) is None else best[2] if found > best[1] else 1 - best[2]


def tells(starts):
    """The facts that predict the arm of a start: [(fact, right guesses, guesses)]. starts: {block: [facts of base, of candidate]}."""
    names = sorted({name for facts in starts.values() for one in facts for name in one})
    rules = [by_value, by_bits, by_size]
    found = []
    for name in names:
        rows = [[(arm, facts[arm].get(name, "absent")) for arm in (0, 1)] for _, facts in sorted(starts.items())]
        taught, asked = [row for pair in rows[::2] for row in pair], [random.choice(pair) for pair in rows[1::2]]
        for rule in rules:
            guess = rule(taught)
            right = sum(random.randrange(2) if (said := guess(value)) is None else said == arm for arm, value in asked)
            if tail(right, len(asked)) * len(names) * len(rules) < FALSE_ALARM:
                found.append((name, right, len(asked), rows[0][0][1], rows[0][1][1]))
                break
    return found


def repository(folder, environment, kernel):
    """The minimal example with a probe as its kernel, in two commits that differ in one digit."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout

    shutil.copytree(ROOT / "templates/minimal", folder)
    for probe in PROBES.glob("probe.*"):
        shutil.copy(probe, folder / "kernels")
    (folder / "data").mkdir()
    (folder / "data/table.bin").write_bytes(b"table" * 4000)
    (folder / "kernels/version.h").write_text("#define VERSION 1\n")
    (folder / "pawl.yaml").write_text(f"""version: 1
operators:
  scale: {{sources: [operators/scale.c]}}
kernels:
  probe: {{{kernel}}}
cases:
  tiny: {{operator: scale, n: 1000, dtype: f32}}
""")
    (folder / ".gitignore").write_text(".pawl\nperf/out\n")
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "Base")
    (folder / "kernels/version.h").write_text("#define VERSION 2\n")
    git("commit", "-q", "-a", "-m", "Candidate")
    for path in folder.rglob("*"):
        if ".git" not in path.parts:
            os.utime(path, (1e9, 1e9))  # the base's files are new
    return git("rev-parse", "HEAD~").strip()


class Arms(unittest.TestCase):
    confine = None

    def starts(self, kernel):
        with tempfile.TemporaryDirectory(prefix="pawl-arms-") as scratch:
            folder = pathlib.Path(scratch) / "user" / "project"
            environment = dict(staged.environment(home, pathlib.Path(scratch) / "user"))
            base = repository(folder, environment, kernel)
            done = subprocess.run([options.arm_starts, folder, base, "probe", str(options.blocks)], cwd=folder, env=environment,
                                  capture_output=True, text=True, preexec_fn=self.confine)
        self.assertEqual(done.returncode, 0, done.stderr)
        starts = {}
        for line in done.stdout.splitlines():
            block, text = line.split(" ", 1)
            facts = dict(word.split("=", 1) for word in re.split(r"[;\s]+", text) if "=" in word)
            self.assertGreater(len(facts), 20, line)
            starts.setdefault(int(block), [None, None])[int(facts.pop("version")) - 1] = facts
        self.assertEqual(len(starts), options.blocks)
        return starts

    def assert_none_tells(self, kernel):
        found = tells(self.starts(kernel))
        if found:
            self.fail("\n" + "\n".join(f"{name}: {right} of {count} guesses right; base {base}, candidate {candidate}"
                                       for name, right, count, base, candidate in found))

    def test_plugin(self):
        self.assert_none_tells("operator: scale, device: cpu, sources: [kernels/probe.c]")

    def test_program(self):
        self.assert_none_tells("operator: scale, device: cpu, protocol: [python3, kernels/probe.py]")

    def test_command(self):
        self.assert_none_tells("command: [python3, kernels/probe.py, command], parse: probe")


class Apart(Arms):
    """The same without namespaces: each start has copies of its files in a new folder."""

    confine = staticmethod(no_namespaces.forbid_namespaces)


class Judge(unittest.TestCase):
    """The judge itself: it finds what tells the arms apart, and accuses nothing else."""

    def judged(self, fact):
        return [name for name, *_ in tells({i: [{"fact": fact(i, 0)}, {"fact": fact(i, 1)}] for i in range(100)})]

    def test_a_name_tells(self):
        self.assertEqual(self.judged(lambda block, arm: "ab"[arm]), ["fact"])

    def test_a_parity_tells(self):
        self.assertEqual(self.judged(lambda block, arm: str(4 * block + arm)), ["fact"])

    def test_a_size_tells(self):
        self.assertEqual(self.judged(lambda block, arm: str(random.randrange(1000) + 1000 * arm)), ["fact"])

    def test_what_tells_mostly_tells(self):
        self.assertEqual(self.judged(lambda block, arm: str(random.random() < 0.02 + 0.96 * arm)), ["fact"])

    def test_noise_tells_nothing(self):
        for fact in (lambda block, arm: "same", lambda block, arm: str(block), lambda block, arm: str(random.randrange(4)),
                     lambda block, arm: hashlib.sha256(bytes([block, arm])).hexdigest()):
            self.assertEqual(self.judged(fact), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("arm_starts", type=pathlib.Path)
    parser.add_argument("--blocks", type=int, default=BLOCKS)
    options, rest = parser.parse_known_args()
    options.arm_starts = options.arm_starts.resolve()
    with tempfile.TemporaryDirectory(prefix="pawl-stage-") as stage:
        home = staged.install(options.build, stage)
        unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() or sys.exit(1)
