#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/results/attention-h200.md from the numbers beside it (ladder.json, sweep.json). Needs
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
    figure, axes = plt.subplots(figsize=(9, 5.2))
    rows = range(len(steps), 0, -1)
    axes.barh(list(rows), [s["ratio"] for s in steps], color=[BLUE if s["kept"] else GREY for s in steps])
    for row, s in zip(rows, steps):
        axes.text(s["ratio"] + 0.005, row, f"{s['ratio']:.2f}", va="center", fontsize=8)
    axes.set_yticks(list(rows), [s["step"] for s in steps], fontsize=8)
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.axvline(1.45, color=RED, linewidth=0.8, linestyle="--", label="goal")
    axes.set_xlim(0.9, 1.5)
    axes.set_xlabel("time of PyTorch's default / time of the kernel (32,8,512,64 FP16, warm); grey: tried and dropped",
                    fontsize=8)
    axes.legend(loc="lower right", fontsize=8)
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
    draw_sweep(json.loads((folder / "sweep.json").read_text())["results"], folder / "sweep.png")


if __name__ == "__main__":
    main()
