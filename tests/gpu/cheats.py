#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges by `pawl run`, on a real GPU, a change that makes honest CUDA kernels cheat or leaves them honest in another way.

    tests/gpu/cheats.py NAME=FOLDER... [--suites cold,warm,streams,same] [--budgets TIME,...] [--dry] [-o FILE.json]

FOLDER is an unpacked bundle, or dist. Each suite is one run: `cold`, `warm` and `streams` are cheats and honest kernels, `same` is
identical work. nvcc compiles each source once; a build command writes the name of the behaviour into it. In the base each
kernel is honest. A cheat is held if pawl calls its change no improvement. An honest kernel is accused if its row is
anything but MAINTAINED, IMPROVEMENT or INCONCLUSIVE, and one that does more in each call if it is anything but a REGRESSION. --dry writes the repositories and runs nothing.
Exit 0: all cheats but those known as held in part are held, and no honest kernel is accused. 1: not."""

import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {"kept": "gpu/kept_cuda.cu", "ahead": "gpu/ahead_cuda.cu", "scale": "gpu/scale_cuda.cu"}
CHEAT, PARTLY, HONEST, SLOWER, SAME = "cheat", "in part", "honest", "slower", "same"

# (source, behaviour of the base, of the change, suite, what it is)
ROWS = [
    *(("kept", "honest", name, cache, CHEAT) for name in ("values", "one", "checksum", "samples", "part", "mends", "leaves")
      for cache in ("cold", "warm")),
    *(("kept", "honest", name, cache, HONEST) for name in ("plain", "window", "autotunes", "few", "reads") for cache in ("cold", "warm")),
    *(("ahead", "honest", name, "cold", CHEAT) for name in ("ahead", "stale", "remembers")),
    *(("ahead", "honest", name, "warm", CHEAT) for name in ("ahead", "stale", "remembers")),
    ("ahead", "cold", "warms", "cold", PARTLY),
    *(("ahead", base, name, cache, HONEST) for base, name in (("honest", "plain"), ("callback", "callback_again")) for cache in ("cold", "warm")),
    *(("scale", "spin_50us", name, "streams", CHEAT) for name in ("side_stream", "side_nonblocking", "eager")),
    *(("scale", "honest", name, "streams", HONEST) for name in ("legacy", "allocates")),
    *(("scale", "honest", name, "streams", SLOWER) for name in ("two_launches", "own_streams", "atomics", "waits")),
]
CASES = {"kept": {"map": "kind: 3, n: 65536", "norm": "kind: 1, n: 65536"}, "scale": {"million": "n: 1048576"}}
SAME_ROWS = [("kept", f"plain{i}", f"plane{i}", "cold", SAME) for i in range(9)]
SAME_CASES = {"kept": {f"n{n}": f"kind: 3, n: {n}" for n in (4096, 65536, 262144, 1048576)}}
GOOD = ("maintained", "improvement", "inconclusive")


MARK = "@@behaviour of this kernel@@"
WRAPPER = """extern "C" char behaviour_of_this_kernel[];
char behaviour_of_this_kernel[] = "{mark}";
#define {macro} behaviour_of_this_kernel
#include "{source}"
"""


def name_of(source, behaviour):
    return f"{source}_{behaviour}"


def compile_sources(home, folder):
    """{source: path of its plug-in}, in which MARK stands for the name of a behaviour."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    running = {}
    for source, path in SOURCES.items():
        wrapper = folder / f"{source}.cu"
        wrapper.write_text(WRAPPER.format(mark=MARK, macro=f"{source.upper()}_CUDA", source=path))
        host = ["-ccbin", os.environ["CXX"]] if os.environ.get("CXX") else []
        running[source] = subprocess.Popen([nvcc, "-O3", "-arch=sm_90", *host, "-shared", "-Xcompiler", "-fPIC", "-I", folder, "-I", home / "include",
                                            "-o", folder / f"{source}.bin", wrapper])
    for source, process in running.items():
        if process.wait():
            raise SystemExit(f"nvcc does not compile {source}")
    return {source: folder / f"{source}.bin" for source in SOURCES}


def suite(folder, rows, cache, changed):
    """Writes the suite; each kernel is honest unless `changed`."""
    kernels = ""
    for source, base, behaviour, _, _ in rows:
        name, operator = name_of(source, behaviour), "kept" if source == "kept" else "scale"
        zeros = "\\x00" * (len(MARK) - len(behaviour if changed else base))
        edit = f'LC_ALL=C sed "s/{MARK}/{behaviour if changed else base}{zeros}/" {source}.bin >{name}.so'
        kernels += f"  {name}: {{operator: {operator}, device: cuda, build: {{command: [sh, -c, '{edit}'], output: {name}.so}}}}\n"
    operators = sorted({"kept" if row[0] == "kept" else "scale" for row in rows})
    shapes = SAME_CASES if rows[0][4] == SAME else CASES
    cases = "".join(f"  {name}: {{operator: {operator}, {shape}, dtype: f32}}\n" for operator in operators for name, shape in shapes[operator].items()
                    if cache == "cold" or name != "norm")
    sources = {"kept": "kept/operator.c", "scale": "scale.c"}
    checks = {"kept": "{kind: [1, 3], n: [1024, 4096]}", "scale": "{n: [1, 1000, 65536]}"}
    (folder / "pawl.yaml").write_text(
        "version: 1\noperators:\n" + "".join(f"  {name}: {{sources: [{sources[name]}]}}\n" for name in operators)
        + f"kernels:\n{kernels}cases:\n{cases}check:\n" + "".join(f"  {name}: {checks[name]}\n" for name in operators)
        + f"measure: {{warmup: 10, samples: 100, processes: 6, cache: {cache}}}\ngate: {{tolerate: 1%, detect: 3%, improve: 5%, max_blocks: 40}}\n"
        "profile: {regression: false, max_kernels: 0}\n")


def write_sources(folder):
    for path in ("kept/operator.c", "kept/kept.h", "gpu/kept_cuda.cu", "gpu/ahead_cuda.cu"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests/plugins" / path, folder / path)
    shutil.copy(ROOT / "tests/gpu/scale_cuda.cu", folder / "gpu")
    shutil.copy(ROOT / "templates/minimal/operators/scale.c", folder)


def write(folder, compiled, rows, cache):
    """A repository whose HEAD has the honest kernels and whose work tree has the change."""
    write_sources(folder)
    for path in compiled.values():
        shutil.copy(path, folder)
    (folder / ".gitignore").write_text(".pawl/\nperf/out/\n*.so\n")
    suite(folder, rows, cache, changed=False)
    git = ["git", "-C", str(folder), "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*git, *words], check=True)
    suite(folder, rows, cache, changed=True)


def state_of(kind, row):
    verdict = row["verdict"]
    if kind == SLOWER:
        return "honest" if verdict == "regression" else "unknown" if row.get("paired") is None and verdict == "inconclusive" else "ACCUSED"
    if kind in (HONEST, SAME):
        return kind if verdict in GOOD and (kind, verdict) != (SAME, "improvement") else "ACCUSED"
    change = (row.get("paired") or {}).get("slowdown_pct")
    if verdict == "inconclusive" and change is None:
        return "unknown"
    if row.get("outcome") == "crashed":
        return "CRASHED"
    if verdict == "improvement":
        return "OPEN" if kind == CHEAT else "in part"
    return "held" if verdict != "inconclusive" or change > -3 else "unclear"


def reason_of(row):
    paired = row.get("paired") or {}
    return " ".join(str(row.get("reason") or paired.get("reason") or "").split())[:110]


def judge(home, folder, budget):
    begin = time.monotonic()
    done = subprocess.run([home / "bin/pawl", "-q", "run", "--against", "HEAD", "--references", "none", "--budget", budget], cwd=folder,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    try:
        return seconds, done, json.loads((folder / "perf/out/verdict.json").read_text())
    except (OSError, ValueError):
        print(f"pawl run ends with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return seconds, done, {"comparisons": []}


def show(label, name, row, kind):
    paired = row.get("paired") or {}
    change, blocks = paired.get("slowdown_pct"), len(paired.get("blocks") or [])
    state = state_of(kind, row)
    print(f"{row['kernel_name'][:22]:22} {str(row.get('case')):8} {name:4} {kind:7} {state:8} {row['verdict']:12} "
          f"{'' if change is None else f'{change:+.1f} %':>9} {blocks:3} {reason_of(row)}", flush=True)
    return {"pawl": label, "kernel": row["kernel_name"], "case": row.get("case"), "suite": name, "kind": kind, "state": state,
            "verdict": row["verdict"], "slowdown_pct": change, "block_sd": paired.get("block_sd"), "blocks": blocks, "reason": reason_of(row)}


def summary(label, name, rows):
    states = [row["state"] for row in rows]
    sds = [row["block_sd"] for row in rows if row["block_sd"]]
    print(f"{label} {name}: " + ", ".join(f"{states.count(state)} {state}" for state in sorted(set(states)))
          + (f"; sd of a block {100 * math.sqrt(statistics.fmean(sd * sd for sd in sds)):.2f} %" if sds else ""))
    for row in rows:
        if row["state"] not in ("held", "honest", "same", "unknown"):
            print(f"  {row['state']}: {row['kernel']} {row['case']}: {row['verdict']} {row['slowdown_pct']} {row['reason'][:60]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("versions", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--suites", default="cold,warm,streams,same")
    parser.add_argument("--budgets", default="80s", metavar="TIME,...", help="of each suite; the last one counts for those behind it")
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("-o", metavar="FILE.json")
    options = parser.parse_args()
    kept = []
    with tempfile.TemporaryDirectory(prefix="pawl-cheats-") as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "compiled").mkdir()
        write_sources(scratch / "compiled")
        compiled = compile_sources(pathlib.Path(options.versions[0].partition("=")[2]).resolve(), scratch / "compiled")
        budgets = options.budgets.split(",")
        for number, (version, name) in enumerate((v, s) for s in options.suites.split(",") for v in options.versions):
            label, _, home = version.partition("=")
            rows = SAME_ROWS if name == "same" else [row for row in ROWS if row[3] == name]
            folder = scratch / str(number)
            folder.mkdir()
            write(folder, compiled, rows, "warm" if name == "warm" else "cold")
            if options.dry:
                shutil.copytree(folder, f"/tmp/cheats-{name}", dirs_exist_ok=True)
                continue
            seconds, done, document = judge(pathlib.Path(home).resolve(), folder, budgets[min(number // len(options.versions), len(budgets) - 1)])
            kinds = {name_of(row[0], row[2]): row[4] for row in rows}
            phases = {key: round(value, 1) for key, value in (document.get("phases") or {}).items() if value and value > 0.1}
            print(f"{label}, {name}: {len(rows)} kernels, {len(document['comparisons'])} rows in {seconds:.1f} s, exit {done.returncode}; {phases}", flush=True)
            found = sorted(document["comparisons"], key=lambda row: row["kernel_name"])
            shown = [show(label, name, row, kinds.get(row["kernel_name"], "?")) for row in found]
            summary(label, name, shown)
            kept += shown
            if options.o and document["comparisons"]:
                pathlib.Path(options.o).write_text(json.dumps(kept, indent=1) + "\n")
                shutil.copy(folder / "perf/out/verdict.json", pathlib.Path(options.o).with_name(f"verdict-{label}-{name}.json"))
    return 1 if any(row["state"] in ("OPEN", "ACCUSED", "CRASHED") for row in kept) else 0


sys.exit(main())
