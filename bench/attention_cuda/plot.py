#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/results/attention-h200.md from the numbers beside it (ladder.json, sweep.json, ratchet.json). Needs
matplotlib (Debian: python3-matplotlib).

    plot.py docs/results/attention-h200"""
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

BLUE, GREY, RED = "#2b6cb0", "#a0aec0", "#c53030"


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=100, metadata={"Software": None})
    plt.close(figure)


def draw_ladder(steps, path):
    """steps: [{"step", "ratio", "kept"}]: the default's time over the kernel's, in one run each."""
    figure, axes = plt.subplots(figsize=(9, 6.8))
    rows = range(len(steps), 0, -1)
    axes.barh(list(rows), [s["ratio"] for s in steps], color=[BLUE if s["kept"] else GREY for s in steps])
    for row, s in zip(rows, steps):
        axes.text(s["ratio"] + 0.005, row, f"{s['ratio']:.2f}", va="center", fontsize=8)
    axes.set_yticks(list(rows), [s["step"] for s in steps], fontsize=8)
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.axvline(1.45, color=RED, linewidth=0.8, linestyle="--", label="goal")
    axes.set_xlim(0.9, 1.55)
    axes.set_xlabel("time of PyTorch's default / time of the kernel (32,8,512,64 FP16, warm); grey: tried and dropped",
                    fontsize=8)
    axes.legend(loc="lower right", fontsize=8)
    save(figure, path)


def draw_ratchet(steps, path):
    """steps: pawl's verdict on each commit, in order; what is best known after each is the line."""
    figure, axes = plt.subplots(figsize=(9, 4.5))
    steps = [s for s in steps if s["verdict"] != "new"]  # the plain kernel is 200 times off the picture
    colours = {"improvement": BLUE, "maintained": GREY, "regression": RED}
    best, levels = None, []
    for place, s in enumerate(steps):
        low, high = s["ci_us"]
        colour = colours[s["verdict"]]
        axes.errorbar(place, s["now_us"], [[s["now_us"] - low], [high - s["now_us"]]], fmt="o", color=colour, capsize=3)
        axes.annotate(f"{s['now_us']:.1f}", (place, s["now_us"]), (0, 8), textcoords="offset points", ha="center",
                      fontsize=8, color=colour)
        best = s["now_us"] if s["moved"] else best
        levels.append(best)
    axes.step(range(len(steps)), levels, where="post", color=BLUE, linewidth=0.8, label="best known")
    for verdict, colour in colours.items():
        axes.plot([], [], "o", color=colour, label=verdict)
    axes.set_yscale("log")
    axes.set_yticks([40, 50, 60, 70], ["40", "50", "60", "70"])
    axes.minorticks_off()
    axes.set_xticks(range(len(steps)), [f"{s['commit']}\n{s['step']}" for s in steps], rotation=30, ha="right", fontsize=7)
    axes.set_ylabel("us, cold (32,8,512,64 FP16)")
    axes.legend(fontsize=8)
    save(figure, path)


def ratios(results, dtype):
    """[(shape, best other / ours)] of one dtype's rows of a sweep."""
    out = []
    for row in results:
        shape, _, name = row["case"].rpartition(" ")
        if name == dtype:
            ours = min(us for arm, us in row["us"].items() if arm.startswith("sdpa_"))
            out.append((shape, min(us for arm, us in row["us"].items() if not arm.startswith("sdpa_")) / ours))
    return out


def draw_sweep(results, path):
    figure, axes = plt.subplots(figsize=(9, 5.5))
    for dtype, label, marker, colour in (("float16", "FP16", "o", BLUE), ("bfloat16", "BF16", "x", GREY),
                                         ("float8_e4m3fn", "FP8, against FP16", "^", RED)):
        points = ratios(results, dtype)
        axes.plot(range(len(points)), [r for _, r in points], marker, color=colour, label=label, markersize=6)
    shapes = [shape for shape, _ in ratios(results, "float16")]
    axes.set_xticks(range(len(shapes)), shapes, rotation=70, ha="right", fontsize=7)
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set_ylabel("best PyTorch backend's time / ours")
    axes.grid(axis="y", linewidth=0.3)
    axes.legend(fontsize=8)
    save(figure, path)


def main():
    folder = pathlib.Path(sys.argv[1])
    draw_ladder(json.loads((folder / "ladder.json").read_text()), folder / "ladder.png")
    draw_ratchet(json.loads((folder / "ratchet.json").read_text()), folder / "ratchet.png")
    draw_sweep(json.loads((folder / "sweep.json").read_text())["results"], folder / "sweep.png")


if __name__ == "__main__":
    main()
