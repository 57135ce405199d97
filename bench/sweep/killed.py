#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Usage: bench/sweep/killed.py [--seconds N] [--seed N] [WORDS OF pawl sweep...], in the folder of a suite.

Kills `pawl sweep` with SIGKILL twice at random moments, goes on until it is complete or the seconds are over, and verifies the folder. Prints
a table of the means. Exit 1: a block is lost or doubled, or the folder does not verify. The folder is perf/out/sweep, which belongs to the code of
no kernel."""
import argparse
import gzip
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

OUT = pathlib.Path("perf/out/sweep")
FIRST_KILLS = 0.3  # the share of the seconds in which both kills happen
LEFT_LINE = re.compile(r"([0-9.]+) (s|min|h) left")


def journal():
    packed, plain = OUT / "samples.ndjson.gz", OUT / "samples.ndjson"
    if packed.exists():
        return gzip.decompress(packed.read_bytes()).decode()
    return plain.read_text() if plain.exists() else ""


def blocks():
    return [line for line in journal().splitlines(keepends=True) if line.endswith("\n")]


class Sweep:
    """A command that runs. `left` has the seconds left that it told, and when."""

    def __init__(self, words, budget=None):
        self.begin, self.left, self.last = time.monotonic(), [], ""
        extra = ["--budget", "%.0fs" % budget] if budget else []
        self.process = subprocess.Popen(["pawl", "sweep", *extra, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            found = LEFT_LINE.search(line)
            if found:
                self.left.append((time.monotonic(), float(found[1]) * {"s": 1, "min": 60, "h": 3600}[found[2]]))
            else:
                self.last = line.strip()

    def kill(self, seconds, least):
        """Waits some seconds and for that many blocks. Returns whether it still ran."""
        while self.process.poll() is None and (time.monotonic() - self.begin < seconds or len(blocks()) < least):
            time.sleep(0.02)
        running = self.process.poll() is None
        self.process.kill()
        self.process.wait()
        return running


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--seed", type=int, default=None)
    options, words = parser.parse_known_args()
    rng, begin, kept = random.Random(options.seed), time.monotonic(), []
    if OUT.exists():
        sys.exit("'%s' exists: move it away" % OUT)
    for number in (1, 2):
        sweep = Sweep(words)
        running = sweep.kill(options.seconds * FIRST_KILLS / 2 * rng.uniform(0.3, 1), len(kept) + 1)
        text, now = journal(), blocks()
        cut = not text.endswith("\n") and bool(text)
        print("kill %d after %.1f s: %d blocks%s%s" % (number, time.monotonic() - sweep.begin, len(now), ", a line is cut" if cut else "",
                                                       "" if running else "; it had ended: " + sweep.last))
        if now[:len(kept)] != kept:
            sys.exit("FAULT: a block that was there is another one")
        kept = now
    rest = options.seconds - (time.monotonic() - begin)
    sweep = Sweep(words, budget=max(1, rest - max(6, 0.05 * options.seconds)))
    try:
        sweep.process.wait(timeout=max(2, rest - 3))
    except subprocess.TimeoutExpired:
        sweep.process.send_signal(signal.SIGINT)
        sweep.process.wait()
    end = time.monotonic()
    print("exit status %d after %.1f s in all, %.1f s of them behind the second kill" % (sweep.process.returncode, end - begin, end - sweep.begin))
    if sweep.process.returncode not in (0, 2) and not (OUT / "claims.json").exists():
        sys.exit("FAULT: " + sweep.last)
    for when, left in sweep.left[:1] + sweep.left[len(sweep.left) // 2:len(sweep.left) // 2 + 1]:
        print("  %.0f s behind it pawl told %.0f s left; it took %.0f s" % (when - sweep.begin, left, end - when))
    sys.exit(report(kept))


def report(kept):
    """Prints the table; returns the exit status."""
    now, plan = blocks(), json.loads((OUT / "sweep.json").read_text())
    places = [(block["point"], block["number"]) for block in map(json.loads, now)]
    whole = now[:len(kept)] == kept and len(set(places)) == len(places)
    whole = whole and all((point, number - 1) in places for point, number in places if number)
    claims = json.loads((OUT / "claims.json").read_text())
    print("%d of %d shapes complete with %d blocks; %s" % (claims["complete"], len(plan["points"]), len(now),
                                                            "none lost or doubled" if whole else "FAULT: lost or doubled"))
    print("\n| kernel | reference | speed-up | interval | faster | slower | not decided | failed |\n|---|---|---:|---:|---:|---:|---:|---:|")
    for mean in claims["means"]:
        number = lambda key: "%.3f" % mean[key] if mean[key] else "-"
        print("| %s | %s | %s | %s to %s | %d | %d | %d | %d |" % (mean["kernel"], mean["reference"], number("speedup"), number("low"), number("high"),
                                                                mean["faster"], mean["slower"], mean["undecided"], mean["failed"]))
    for arm in plan["arms"]:
        if arm.get("missing"):
            print("absent: %s: %s" % (arm["name"], arm["missing"]))
    verify = subprocess.run(["pawl", "-q", "verify", str(OUT)], capture_output=True, text=True)
    print("\n" + "\n".join(verify.stdout.splitlines()[-3:]))
    return 0 if whole and verify.returncode in (0, 2) else 1


main()
