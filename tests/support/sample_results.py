#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results for the tests of the command line: made up, with a fixed seed, to be as the CPU example's are.
tests/golden/data/README.md says what each file is for.
Usage: sample_results.py FOLDER"""

import functools
import json
import pathlib
import random
import shutil
import statistics
import sys
import tempfile

KEPT = pathlib.Path(__file__).resolve().parent.parent / "golden/data"  # the files that were written by hand
CASES = {"training_512": (dict(B=2, H=4, S=512, D=64), 3.2), "inference_1k": (dict(B=1, H=4, S=1024, D=64), 6.1)}


def row(case, factor, seed, sd=0.004, kernel="sdpa_cpu"):
    shape, milliseconds = CASES[case]
    rng = random.Random(f"{case} {seed}")
    processes = []
    for _ in range(6):
        luck = rng.gauss(1, sd / 2)
        processes.append([round(milliseconds * factor * luck * rng.gauss(1, sd), 6) for _ in range(5)])
    samples = [sample for process in processes for sample in process]
    ordered = sorted(samples)
    median, mean, deviation = statistics.median(samples), statistics.mean(samples), statistics.stdev(samples)
    medians = [statistics.median(process) for process in processes]  # the interval of six is their range
    flop = 4.0 * shape["B"] * shape["H"] * shape["S"] ** 2 * shape["D"]
    traffic = 4 * 4.0 * shape["B"] * shape["H"] * shape["S"] * shape["D"]
    return {
        "schema_version": 1, "kernel_name": kernel, "case": case, "operator": "attention",
        "config": {**shape, "dtype": "f32"}, "outcome": "ok", "reason": None, "device": "cpu",
        "timestamp": "2026-01-02 03:04:05", "warnings": [],
        "correctness": {"passed": True, "max_abs_error": 4.2e-7, "max_rel_error": 3.1e-5, "mean_abs_error": 2.6e-8,
                        "correlation": 0.9999999999, "rel_rms_error": 1.2e-7},
        "performance": {
            "median_ms": round(median, 6), "mean_time_ms": round(mean, 6), "std_dev_ms": round(deviation, 6),
            "min_ms": ordered[0], "max_ms": ordered[-1], "p50_ms": round(median, 6), "p95_ms": ordered[-2],
            "p99_ms": ordered[-1], "cv": round(deviation / mean, 6), "ci_95_low": ordered[9],
            "ci_95_high": ordered[20],
            "process_ci_95_low": min(medians), "process_ci_95_high": max(medians), "throughput_gflops": round(flop / median / 1e6, 3),
            "bandwidth_gb_s": round(traffic / median / 1e6, 3), "peak_memory_mb": None, "samples_ms": samples},
        "roofline": {"arithmetic_intensity": flop / traffic, "bottleneck": "compute",
                     "efficiency_pct": round(flop / median / 1e6 / 3.6, 1), "recommendations": ["use wider vectors"]},
        "processes": [{"samples_ms": process} for process in processes],
    }


def results(rows, commit="1" * 40, hardware="cpu:example:2", dirty=False):
    return {"schema_version": 1, "commit": commit, "hardware": hardware, "hardware_name": "Example CPU @ 2.80GHz",
            "toolchain": "cc 12.2.0", "timestamp": "2026-01-02 03:04:05", "dirty": dirty, "results": rows}


def both(factor, seed, **options):
    return [row(case, factor, seed, **options) for case in CASES]


@functools.cache
def folder():
    """A folder with all files of README.md, which goes when the program ends."""
    place = tempfile.TemporaryDirectory(prefix="pawl-data-")
    folder.keeper = place
    path = pathlib.Path(place.name).resolve()
    write_all(path)
    return path


def without_time(result, outcome, reason):
    lost = {**result, "outcome": outcome, "reason": reason, "performance": None, "roofline": None, "processes": None}
    if outcome == "wrong":
        lost["correctness"] = {**result["correctness"], "passed": False, "max_abs_error": 0.25}
    else:
        lost["correctness"] = None
    return lost


def write_all(place):
    shutil.copytree(KEPT, place, dirs_exist_ok=True)
    (place / "hostile").mkdir()

    def write(name, document):
        (place / name).write_text(json.dumps(document, indent=1) + "\n")

    base, next_commit = both(1.0, "base"), "2" * 40
    training, inference = base
    write("base.json", results(base))
    write("noise.json", results(both(1.0, "noise"), next_commit))
    write("slower.json", results(both(1.12, "slower"), next_commit))
    write("a_little_faster.json", results(both(0.94, "little"), next_commit))
    write("faster.json", results(both(0.8, "faster"), next_commit))
    write("mixed.json", results([row("training_512", 0.8, "m"), row("inference_1k", 1.12, "m")], next_commit))
    write("one_case.json", results([row("training_512", 1.0, "noise")], next_commit))
    write("new_kernel.json", results(both(1.0, "noise") + [row("training_512", 1.4, "new", kernel="sdpa_plain")],
                                     next_commit))
    write("wrong.json", results([without_time(training, "wrong", "element 17 of O is 0.5, expected 0.25"),
                                 row("inference_1k", 0.5, "wrong")], next_commit))
    write("crashed.json", results([training, without_time(inference, "crashed", "killed by SIGSEGV")], next_commit))
    write("build_failed.json", results([without_time(r, "build_failed", "cc failed") for r in base], next_commit))
    write("other_hardware.json", results(both(0.5, "other"), next_commit, "cpu:another:64"))
    write("dirty.json", results(both(0.8, "faster"), next_commit, dirty=True))
    write("shard_1.json", results([row("training_512", 1.0, "base")]))
    write("shard_2.json", results([row("inference_1k", 1.0, "base")]))
    write("shard_2_other_commit.json", results([row("inference_1k", 1.0, "base")], next_commit))
    write("shard_2_other_hardware.json", results([row("inference_1k", 1.0, "base")], hardware="cpu:another:64"))
    write_hostile(place, training, write)


def write_hostile(place, good, write):
    def changed(**performance):
        return results([{**good, "performance": {**good["performance"], **performance}}])

    write("hostile/no_results.json", results([]))
    write("hostile/no_samples.json", changed(samples_ms=[]))
    write("hostile/no_time.json", results([{**good, "performance": {}, "processes": None}]))
    write("hostile/negative_sample.json", changed(samples_ms=[3.2, -3.1, 3.3]))
    write("hostile/negative_median.json", changed(median_ms=-3.2))
    write("hostile/zero_median.json", changed(median_ms=0))
    write("hostile/text_for_number.json", changed(median_ms="3.2"))
    write("hostile/nan_sample.json", changed(samples_ms=[3.2, float("nan"), 3.3]))
    write("hostile/nan_median.json", changed(median_ms=float("nan"), mean_time_ms=float("nan")))
    write("hostile/infinite.json", changed(samples_ms=[3.2, float("inf"), 3.3]))
    write("hostile/contradiction.json", changed(median_ms=1.0))
    write("hostile/upside_down.json", changed(ci_95_low=4.0, ci_95_high=3.0))
    write("hostile/same_twice.json", results([good, good]))
    write("hostile/newer.json", {**results([good]), "schema_version": 99})
    write("hostile/list.json", [good])
    write("hostile/passed_is_text.json", results([{**good, "correctness": {"passed": "yes"}}]))
    text = json.dumps(results([good]), indent=1)
    (place / "hostile/truncated.json").write_text(text[: len(text) // 2])
    (place / "hostile/empty.json").write_text("")
    (place / "hostile/binary.json").write_bytes(bytes(range(256)))
    (place / "hostile/control_characters.json").write_text(
        json.dumps(results([{**good, "kernel_name": "sdpa\x1b[2Jcpu\n"}])) + "\n")


if __name__ == "__main__":
    write_all(pathlib.Path(sys.argv[1]))
