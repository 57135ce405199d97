#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden tests of the command line: <group>/<name>.sh is run by sh -e in a folder of its own; its exit status, standard
output and standard error must be those in the files beside it:

    name.exit          the exit status; 0 where there is no such file
    name.stdout        standard output; empty where there is no such file
    name.stderr        standard error, likewise
    name.stdout.glob, name.stderr.glob   instead: `*` matches within a line, a line `...` any number of lines

Usage: run.py --build DIR [--accept] [--jobs N] [--part short|long|times|alone] [GROUP[/NAME]...]
       run.py --home DIR ...     with an installed pawl

A script that needs true times never runs beside another of its kind: --part times runs these, one after another. One
that needs a quiet machine runs beside nothing: --part alone runs these. --part long runs those that take long, and
--part short all others.

--accept writes the files from what happened (all but the globs): read the difference before you commit it. It writes
nothing of a script that ended with another status than the expected one, or printed a status that no command should have.
README.md says what a script may use."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import documents  # noqa: E402
import sample_results  # noqa: E402
import staged  # noqa: E402
import transcript  # noqa: E402

DATA = sample_results.folder()
SANITIZED = "PAWL_TEST_SANITIZED" in os.environ  # pawl is many times slower then
TIME_LIMIT = 600  # seconds; only a script that hangs takes so long, on a busy machine too
TRUE_TIMES = "# Needs true times."  # a script that says so does not run at all where pawl is sanitized
QUIET = "# Needs a quiet machine."  # nor one that says this
LONG = "# Takes long."
PLAIN = "# Needs a pawl without a sanitizer."  # nor one that says this, because its kernels have a sanitizer of their own


def execute(script, home):
    """(exit status, stdout, stderr), with the folders' paths replaced by their names."""
    with tempfile.TemporaryDirectory(prefix="pawl-golden-") as scratch:
        scratch = pathlib.Path(scratch)
        work = scratch / "work"
        work.mkdir()
        environment = staged.environment(home, scratch / "home")
        kept = scratch / "documents"
        kept.mkdir()
        environment.update({"GOLDEN": str(HERE), "DATA": str(DATA), "SCRATCH": str(scratch), staged.DOCUMENTS: str(kept)})
        with open(scratch / "stdout", "wb+") as out, open(scratch / "stderr", "wb+") as error:
            process = subprocess.Popen(["sh", "-eu", "-c", '. "$GOLDEN/lib.sh"; . "$0"', str(script)], cwd=work,
                                       env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=error,
                                       start_new_session=True)
            try:
                status = process.wait(TIME_LIMIT)
            except subprocess.TimeoutExpired:
                status = f"none within {TIME_LIMIT} s"
            try:
                os.killpg(process.pid, signal.SIGKILL)  # whatever the script left running
            except ProcessLookupError:
                pass
            process.wait()
        invalid = invalid_files(work, script) + documents.faults_of_kept(kept)
        texts = [(scratch / name).read_bytes().decode(errors="backslashreplace") for name in ("stdout", "stderr")]
        names = [(str(DATA), "$DATA"), (str(HERE), "$GOLDEN"), (str(home), "$PAWL_HOME"), (str(work), "$WORK"),
                 (str(scratch), "$SCRATCH")]
        for path, name in names:
            texts = [text.replace(path, name) for text in texts]
        subprocess.run(["chmod", "-R", "u+rwX", str(scratch)], check=False)
        return str(status), *map(transcript.without_progress, texts), invalid


def invalid_files(work, script):
    """Faults of the documents that pawl wrote. A script names those that it wrote itself: `# By hand: FILE...`."""
    faults, by_hand = [], re.findall(r"^# By hand: (.*)", script.read_text(), re.M)
    for path in sorted(work.rglob("*.json")):
        name = documents.schema_of_file(path)
        if name and path.is_file() and str(path.relative_to(work)) not in " ".join(by_hand).split():
            try:
                faults += [f"{path.relative_to(work)}: {fault}" for fault in
                           documents.faults(documents.parse(path.read_text()), name)]
            except ValueError as error:
                faults.append(f"{path.relative_to(work)}: {error}")
    return faults


def bad_statuses(script, status, texts):
    """The statuses that --accept must not write down: another status than that of name.exit, a bug of pawl (70), a command
    that the shell cannot start (126, 127), a signal (128 and above)."""
    expected = script.with_suffix(".exit")
    wanted = expected.read_text().strip() if expected.exists() else "0"
    faults = [] if status == wanted else [f"exit status {status}, expected {wanted}"]
    for text in texts.values():
        printed = {int(number) for number in re.findall(r"^\(exit status (\d+)\)$", text, re.M)}
        faults += [f"a command ended with exit status {number}" for number in sorted(printed) if number == 70 or number >= 126]
    return faults


def check(script, status, texts, accept):
    """A list of what is not as expected."""
    faults = bad_statuses(script, status, texts)
    accept = accept and not faults
    for kind, text in texts.items():
        exact, glob = script.with_suffix(f".{kind}"), script.with_suffix(f".{kind}.glob")
        if glob.exists():
            if not transcript.glob_matches(glob.read_text(), text):
                faults.append(transcript.difference(glob.read_text(), text, glob.name))
        elif accept:
            exact.unlink(missing_ok=True)
            if text:
                exact.write_text(text)
        else:
            expected = exact.read_text() if exact.exists() else ""
            if text != expected:
                faults.append(transcript.difference(expected, text, exact.name))
    return faults


def run_one(script, home, accept):
    begin = time.monotonic()
    status, out, error, invalid = execute(script, home)
    faults = check(script, status, {"stdout": out, "stderr": error}, accept and not invalid) + invalid
    faults += ["it printed '(null)': a text that is not there"] if "(null)" in out + error else []
    if faults and error and "stderr" not in faults[-1]:
        faults.append(f"standard error was:\n{error}")
    return faults, time.monotonic() - begin


def select(names):
    scripts = sorted(HERE.glob("*/*.sh"))
    if not names:
        return scripts
    chosen = [s for s in scripts if any(f"{s.parent.name}/{s.stem}" == n or s.parent.name == n for n in names)]
    if not chosen:
        sys.exit(f"run.py: no test '{' '.join(names)}'")
    return chosen


def tell(script, faults, seconds):
    """Whether it failed."""
    print(f"{'FAIL' if faults else 'ok':4} {script.parent.name}/{script.stem} {seconds:.1f} s", flush=True)
    print(*faults, sep="\n", end="\n" if faults else "")
    return bool(faults)


def kind_of(script):
    """The part that runs it."""
    text = script.read_text()
    return "alone" if QUIET in text else "times" if TRUE_TIMES in text else "long" if LONG in text else "short"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    staged.add_home(parser)
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--jobs", type=int, default=max(3, os.cpu_count() or 2))  # they mostly wait
    parser.add_argument("--part", choices=("short", "long", "times", "alone"))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    os.umask(0o022)
    scripts, failed, left_out = select(arguments.names), 0, 0
    kinds = {script: kind_of(script) for script in scripts}
    if arguments.part:
        scripts = [script for script in scripts if kinds[script] == arguments.part]
    together = [script for script in scripts if kinds[script] in ("short", "long")]
    one_by_one = [script for script in scripts if script not in together]
    with staged.home(arguments) as home:
        for script in [script for script in together if SANITIZED and PLAIN in script.read_text()]:
            print(f"left out: {script.parent.name}/{script.stem}: a sanitized pawl cannot load its kernels", flush=True)
            together.remove(script)
            left_out += 1
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            outcomes = pool.map(lambda script: run_one(script, home, arguments.accept), together)
            for script, outcome in zip(together, outcomes):
                failed += tell(script, *outcome)
        for script in one_by_one:
            if SANITIZED:
                print(f"left out: {script.parent.name}/{script.stem} needs true times, and a sanitizer slows pawl", flush=True)
                left_out += 1
            else:
                failed += tell(script, *run_one(script, home, arguments.accept))
    passed = len(scripts) - failed - left_out
    print(f"{passed} of {len(scripts)} golden tests passed" + (f", {left_out} left out" if left_out else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
