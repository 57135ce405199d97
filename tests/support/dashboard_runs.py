# SPDX-License-Identifier: Apache-2.0
"""The runs of a history for the tests of the dashboard, as lines of `pawl history export`: a level that changes at run
200, an outlier, hostile names, a machine that degrades, verdicts with blocks, samples and a profile."""
import json
import math
import pathlib
import time

SCRIPT = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
HOSTILE = [SCRIPT, "quotes '\"` &amp; &", "\u202eright to left", "x" * 4000, "line\nbreak\t\u0001", "../../etc/passwd", "$(id)", "%00"]
RUNS = 300
CHANGE = 200  # the first run of the new level
KNOWN = 100  # runs before this one know nothing of their machine, as an older pawl kept them
DETAILED = 190  # runs from this one on have samples, blocks and an environment
MACHINES = ["GPU-0c0ffee0-aaaa-bbbb-cccc-000000000001", "runner-2"]
START = 1600000000


def wobble(i, size=0.01):
    """A figure that looks random and is the same each time."""
    return 1 + size * ((i * 7919 % 101) / 101 - 0.5)


def commit(i):
    return f"{0xc0de00 + i:08x}"


def level(i):
    return 2 if i < CHANGE else 2.4


def noise_pct(i):
    """The second machine degrades from run 240 on."""
    return (0.6 if i % 2 == 0 or i < 240 else 2.4) * wobble(i, 0.4)


def paired(i):
    before, sd = level(max(i - 50, 0)), noise_pct(i) / 100
    blocks = [{"base_ms": before * math.exp(sd * (wobble(31 * i + 5 * b, 3) - 1)),
               "candidate_ms": level(i) * math.exp(sd * (wobble(17 * i + 3 * b, 3) - 1)),
               "spoiled": "other processes used 1.2 CPUs" if b == 5 else None,
               "first": "base" if b % 2 else "candidate"} for b in range(14)]
    slow = 100 * (level(i) / before - 1)
    confirmed = i == RUNS - 1  # an improvement that 8 further blocks confirm
    return {"anchor": commit(max(i - 50, 0)), "anchor_kind": "the baseline's commit", "identical_code": False,
            "answer": "regression" if slow > 3 else "maintained", "slowdown_pct": slow, "slowdown_low_pct": slow - 0.4,
            "slowdown_high_pct": slow + 0.5, "block_sd": sd, "confirmed_slowdown_pct": -6.5 if confirmed else None,
            "policy": {"tolerate": 0.01, "detect": 0.03, "false_alarm": 0.001, "comparisons": 2},
            "blocks_counted": 13, "blocks": blocks, "confirmation": blocks[:8] if confirmed else []}


def result(i):
    processes = [{"samples_ms": [level(i) * wobble(100 * p + s + i, 0.03) * (1.2 if s == 7 else 1) for s in range(20)]} for p in range(6)]
    return {"kernel_name": "scale", "case": "tiny", "outcome": "ok", "device": "cuda", "processes": processes,
            "warnings": ["temperature 82 C is above 80 C"] if i == RUNS - 1 else [],
            "performance": {"median_ms": level(i), "throughput_gflops": 4100.0, "bandwidth_gb_s": 2050.0, "samples_ms": [level(i)] * 120},
            "roofline": {"arithmetic_intensity": 2.0, "bottleneck": "memory", "efficiency_pct": 42.7,
                         "recommendations": ["the loads are not coalesced"]},
            "gpu_state": {"before": {"frequency_mhz": 1980, "memory_frequency_mhz": 3201, "temperature_c": 45, "power_w": 210, "event_reasons": None},
                          "after": {"frequency_mhz": 1965, "memory_frequency_mhz": 3201, "temperature_c": 51, "power_w": 320, "event_reasons": "power cap"}},
            "environment": {"device": {"name": "NVIDIA H200", "kind": "cuda", "driver": "570.86", "arch": "sm_90a", "uuid": MACHINES[0]},
                            "clocks": "locked at 1980 MHz", "cpu": "Xeon 8480C", "toolchain": "nvcc 12.8, gcc 12.2", "isolation": "full", "cache": "cold",
                            "peak_gflops": 67000.0, "peak_bandwidth_gb_s": 4800.0}}


def profile(i):
    if i != CHANGE:
        return None
    return {"kernel_name": "scale", "case": "tiny", "change": "more DRAM read: 12.0 to 19.2 MB",
            "counters": {"kernels": [{"name": "scale_kernel", "counters": {"dram_pct": 91.0, "sm_pct": 33.0, "l2_hit_pct": 41.0,
                                                                         "coalesced_loads_pct": 25.0, "occupancy_pct": 88.0},
                                      "stalls_pct": {"long_scoreboard": 71.0, "wait": 9.0},
                                      "findings": [{"title": "loads that are not coalesced", "evidence": "25 % of the bytes are used",
                                                    "remedy": "let neighbouring threads read neighbouring words", "cost_pct": 44}]}]}}


def main_point(i):
    point = {"kernel_name": "scale", "case": "tiny", "unit": "ms", "value": level(i) * wobble(i), "low": level(i) * 0.98, "high": level(i) * 1.02}
    if i == 77:
        point["value"] = 9  # the outlier that a picture must keep
    if i == RUNS - 2:
        point |= {"value": None, "low": None, "high": None, "identical": True, "verdict": "maintained", "anchor": commit(200), "role": "kernel"}
        return point
    if i >= KNOWN:
        sd = noise_pct(i)
        point |= {"role": "kernel", "machine": MACHINES[i % 2], "base_sd_pct": sd, "block_sd_pct": 1.2 * sd, "false_alarm": 0.0005,
                  "blocks": 13, "verdict": "regression" if CHANGE <= i < CHANGE + 50 else "maintained"}
    if i >= DETAILED:
        test = paired(i)
        point |= {"result": result(i), "profile": profile(i), "anchor": test["anchor"], "change_pct": -test["slowdown_pct"],
                  "comparison": {"verdict": point["verdict"], "reason": None, "paired": test, "cliffs_delta": -0.4, "cliffs_label": "medium",
                                 "mann_whitney_p": 0.001}}
    return point


def moves(i):
    kinds = {0: ("new", None, 2.0, None), 250: ("accepted", 2.0, 2.4, "a correct result costs " + SCRIPT), RUNS - 1: ("improvement", 2.4, 2.25, None)}
    if i not in kinds:
        return []
    kind, before, after, reason = kinds[i]
    return [{"kernel_name": "scale", "case": "tiny", "hardware": None, "kind": kind, "from_ms": before, "to_ms": after,
             "git_commit": commit(i), "timestamp": time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(START + 3600 * i)), "reason": reason}]


def run_of(i):
    points = [main_point(i)]
    if i == 0:
        points += [{"kernel_name": name, "case": name, "unit": "ms", "value": 1} for name in HOSTILE]
    if i == 280:
        points += [{"kernel_name": "torch_default", "case": "tiny", "unit": "ms", "value": 3.1, "role": "reference"}]
    return {"schema_version": 1, "id": f"{i:032x}", "source": "run", "time": START + 3600 * i, "commit": commit(i),
            "subject": SCRIPT if i == CHANGE else f"Change {i}", "branch": "main", "hardware_name": "NVIDIA H200", "points": points,
            "baseline_moves": moves(i)}


def judged_row(name, case, verdict, slowdown, reason):
    """A row of verdict.json whose 40 blocks give the verdict."""
    blocks = [{"base_ms": 2.0 + 0.001 * (i % 7), "candidate_ms": (2.0 + 0.001 * (i % 5)) * (1 + slowdown),
               "spoiled": None, "first": ("base", "candidate")[i % 2]} for i in range(40)]
    policy = {"rule": 3, "tolerate": 0.01, "detect": 0.03, "false_alarm": 0.001, "miss": 0.01, "max_blocks": 60, "comparisons": 2}
    row = {"kernel_name": name, "case": case, "config": {"dtype": "f32"}, "verdict": verdict, "baseline_time_ms": 2.0,
           "current_time_ms": 2.0 * (1 + slowdown), "outcome": "ok",
           "paired": {"kernel_name": name, "case": case, "anchor": "a" * 40, "anchor_kind": "the baseline's commit",
                      "policy": policy, "seed": 42, "blocks": blocks}}
    return row | ({"accepted": {"reason": reason, "author": SCRIPT, "commit": "b" * 40}} if reason else {})


def write_run(folder, more=0):
    """The output of a run with an accepted loss, a hostile name and `more` rows without a change, in FOLDER/out."""
    rows = [judged_row("many", f"case_{i:04d}", "maintained", 0, None) for i in range(more)] + [judged_row("scale", "tiny", "accepted", 0.2, "a correct result costs " + SCRIPT), judged_row(SCRIPT, SCRIPT, "maintained", 0, None)]
    totals = dict.fromkeys(("configurations", "regressions", "improvements", "maintained", "inconclusive", "broken", "missing", "new",
                            "unsupported", "accepted"), 0) | {"configurations": 2 + more, "accepted": 1, "maintained": 1 + more}
    verdict = {"schema_version": 1, "verdict": "accepted", "failed": False, "unpaired": False, "totals": totals, "comparisons": rows,
               "builds": [], "checks": [], "baseline_moves": [], "notices": []}
    measured = [{"kernel_name": row["kernel_name"], "case": row["case"], "config": row["config"], "timestamp": "2020-09-25 04:26:40",
                 "correctness": {"passed": True}, "environment": result(RUNS - 1)["environment"],
                 "performance": {"median_ms": 2.4, "samples_ms": [2.4 * wobble(i, 0.03) for i in range(60)], "throughput_gflops": 4100.0},
                 "roofline": {"arithmetic_intensity": 2.0, "bottleneck": "memory", "efficiency_pct": 42.7, "recommendations": []}} for row in rows]
    (folder / "out").mkdir(exist_ok=True)
    (folder / "out/verdict.json").write_text(json.dumps(verdict))
    (folder / "out/results.json").write_text(json.dumps({"schema_version": 1, "commit": commit(RUNS - 1), "results": measured}))


def write_harness_file(path):
    """The hostile names as another harness (hyperfine) would hand them over."""
    path.write_text(json.dumps({"results": [{"command": name, "times": [0.2, 0.3, 0.25]} for name in HOSTILE]}))


def page_home(folder):
    """An installed pawl, as far as the page looks: a folder for PAWL_HOME."""
    (folder / "share/pawl").mkdir(parents=True)
    (folder / "share/pawl/web").symlink_to(pathlib.Path(__file__).resolve().parents[2] / "web")
    return folder


def handed_over(script):
    """The document in a script of the page's folder data/."""
    return json.loads(script.read_text().removeprefix("pawl.take(").removesuffix(");\n"))
