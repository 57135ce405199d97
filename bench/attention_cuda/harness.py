#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks and times pawl's CUDA attention kernels beside PyTorch's scaled_dot_product_attention, without pawl.

    harness.py check  PLUGIN.so...           fuzz matrix, edge shapes, hostile distributions, repeats
    harness.py split  PLUGIN.so...           of these checks, those of launches whose last round is split along the keys
    harness.py bench  PLUGIN.so...           the reference shape, warm and cold, against the default and each backend
    harness.py sweep  PLUGIN.so...           many shapes against the best backend of each (FP8: against the best one in FP16)
    harness.py small  PLUGIN.so...           launches that do not fill the GPU
    harness.py quick  PLUGIN.so...           one correctness check and a warm timing of each plug-in, side by side
    harness.py host   PLUGIN.so...           host time of a launch
    harness.py once   PLUGIN.so [B,H,S,D,causal,dtype]   one call: for compute-sanitizer and ncu
Options: --json FILE, --shape B,H,S,D,causal,dtype (bench, quick), --rounds N, --head-dim D (sweep)."""
import argparse
import json
import math
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import check
import timing
from plugin import Plugin

DTYPE_NAMES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "e4m3": torch.float8_e4m3fn}
BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION,
            "efficient": SDPBackend.EFFICIENT_ATTENTION}
REFERENCE = (32, 8, 512, 64, False, torch.float16)


def parse_shape(text):
    fields = text.split(",")
    return (*map(int, fields[:4]), fields[4] == "1", DTYPE_NAMES[fields[5]])


def shape_name(case):
    b, h, s, d, causal, dtype = case
    return f"{b},{h},{s},{d}{' causal' if causal else ''} {str(dtype)[6:]}"


def tflops(case, us):
    b, h, s, d, causal, _ = case
    return 4 * b * h * s * s * d / (2 if causal else 1) / us / 1e6


def torch_arms(q, k, v, causal, backends=BACKENDS):
    arms = {"default": lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)}
    for name, backend in backends.items():
        def call(backend=backend):
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        try:
            call()
            arms[name] = call
        except RuntimeError:
            continue
    return arms


def make_arms(plugins, case, backends=BACKENDS):
    b, h, s, d, causal, dtype = case
    q, k, v = check.inputs("normal", (b, h, s, d), dtype, 1)
    arms = torch_arms(*(t.to(check.output_dtype(dtype)) for t in (q, k, v)), causal, backends)
    for label, plugin in plugins.items():
        if plugin.refuses(b, h, s, d, causal, dtype) is None:
            arms[label] = plugin.prepare(q, k, v, torch.empty_like(q, dtype=check.output_dtype(dtype)), causal)
    return arms


def table(case, mode, samples, record):
    base = samples["default"]
    base_median = statistics.median(base)
    print(f"{shape_name(case)}, {mode}")
    for name, values in sorted(samples.items(), key=lambda item: statistics.median(item[1])):
        median, low, high = timing.median_ci(values)
        delta = timing.cliffs_delta(base, values)
        print(f"  {name:<22} {median:8.2f} us [{low:7.2f}, {high:7.2f}] {tflops(case, median):6.0f} TFLOP/s  "
              f"default / this {base_median / median:5.3f}  delta {delta:+.2f}")
    record.append({"case": shape_name(case), "mode": mode, "us": {n: [round(x, 3) for x in v] for n, v in samples.items()}})


def command_check(plugins, args, record):
    failures = 0
    for label, plugin in plugins.items():
        print(label)
        if plugin.grouped:
            failures += check.grouped(plugin)
            continue
        if plugin.refuses(2, 4, 512, 64, False, torch.float16):
            failures += check_f8(plugin)
            continue
        failures += check.fuzz(plugin) + check.edges(plugin) + check.distributions(plugin)
        failures += check.split(plugin)
        failures += check.strides(plugin) + check.repeats(plugin) + check.repeats(plugin, (4, 8, 700, 128), torch.bfloat16, 200, True)
    return failures


def check_f8(plugin):
    f8 = torch.float8_e4m3fn
    failures = check.run_cases(plugin, "fuzz matrix e4m3", [(c[:4], c[4], f8, "normal") for c in check.FUZZ])
    failures += check.run_cases(plugin, "edge shapes e4m3", [(c[:4], c[4], f8, "normal") for c in check.EDGES])
    failures += check.run_cases(plugin, "long sequences e4m3", [(c[:4], c[4], f8, "normal") for c in check.LONG_F8])
    failures += check.distributions(plugin, (f8,)) + check.strides(plugin, f8)
    return failures + check.repeats(plugin, dtype=f8) + check.repeats(plugin, (4, 8, 700, 128), f8, 200, True)


def command_split(plugins, args, record):
    return sum(check.split(plugin) for plugin in plugins.values())


def command_bench(plugins, args, record):
    arms = make_arms(plugins, args.shape)
    table(args.shape, "warm graph", timing.warm(arms, args.rounds), record)
    table(args.shape, "cold", timing.cold(arms), record)
    return 0


def command_quick(plugins, args, record):
    case = args.shape
    arms = make_arms(plugins, case, {})
    b, h, s, d, causal, dtype = case
    failures = 0
    for label, plugin in plugins.items():
        if label not in arms:
            continue
        good, largest, rel_rms = check.check_one(plugin, (b, h, s, d), causal, dtype, "normal", 5)
        failures += not good
        if not good:
            print(f"  {label}: WRONG, max {largest:.3g} rel-RMS {rel_rms:.3g}")
    table(case, "warm graph", timing.warm(arms, args.rounds), record)
    return failures


def sweep_cases():
    cases = []
    for dtype in (torch.float16, torch.bfloat16, torch.float8_e4m3fn):
        for d in (64, 128):
            for causal in (False, True):
                for b, h, s in ((32, 8, 448), (32, 8, 512), (32, 8, 640), (16, 8, 1024), (8, 8, 2048), (4, 8, 4096),
                                (2, 16, 8192)):
                    cases.append((b, h, s, d, causal, dtype))
    return cases


def command_sweep(plugins, args, record):
    ratios = {label: [] for label in plugins}
    for case in sweep_cases():
        if args.head_dim not in (None, case[3]) or all(plugin.refuses(*case) for plugin in plugins.values()):
            continue
        calls = 20 if case[2] <= 1024 else 5
        samples = timing.warm(make_arms(plugins, case, {k: BACKENDS[k] for k in ("cudnn", "flash")}), 7, calls)
        medians = {name: statistics.median(values) for name, values in samples.items()}
        best = min((m, n) for n, m in medians.items() if n not in plugins)
        line = f"{shape_name(case):<34} best {best[1]:<8}{best[0]:9.1f} us"
        for label in plugins:
            if label in medians:
                ratios[label].append((best[0] / medians[label], shape_name(case)))
                line += f"  {label} {medians[label]:9.1f} us {ratios[label][-1][0]:5.2f}x {tflops(case, medians[label]):4.0f}T"
        print(line)
        record.append({"case": shape_name(case), "mode": "sweep", "us": {n: round(m, 3) for n, m in medians.items()}})
    for label, values in ratios.items():
        if values:
            mean = math.exp(statistics.fmean(math.log(r) for r, _ in values))
            print(f"{label}: geometric mean {mean:.3f}x of the best backend, lowest {min(values)[0]:.3f}x at {min(values)[1]}")
    return 0


def command_small(plugins, args, record):
    """Launches that do not fill the GPU."""
    for case in [(b, h, s, d, False, torch.float16) for d in (64, 128) for b, h, s in
                 ((8, 4, 64), (1, 1, 512), (1, 8, 512), (2, 8, 512), (4, 8, 512), (8, 8, 512), (1, 8, 2048), (2, 8, 2048),
                  (1, 16, 4096), (64, 16, 128))]:
        samples = timing.warm(make_arms(plugins, case, {}), 7)
        medians = {name: statistics.median(values) for name, values in samples.items()}
        line = f"{shape_name(case):<24}"
        for name, median in medians.items():
            line += f"  {name} {median:7.2f} us {medians['default'] / median:5.2f}x"
        print(line)
        record.append({"case": shape_name(case), "mode": "small", "us": {n: round(m, 3) for n, m in medians.items()}})
    return 0


def command_host(plugins, args, record):
    case = (1, 8, 64, 64, False, torch.float16)
    for name, call in make_arms(plugins, case, {}).items():
        for _ in range(100):
            call()
        torch.cuda.synchronize()
        samples = []
        for _ in range(20):
            start = time.perf_counter()
            for _ in range(100):
                call()
            samples.append((time.perf_counter() - start) * 1e4)
            torch.cuda.synchronize()
        print(f"  host time of a launch, {shape_name(case)}: {name:<22} {statistics.median(samples):6.2f} us")
        record.append({"case": shape_name(case), "mode": "host", "us": {name: samples}})
    return 0


def command_once(plugins, args, record):
    b, h, s, d, causal, dtype = args.shape
    for label, plugin in plugins.items():
        q, k, v = check.inputs("normal", (b, h, s, d), dtype, 3)
        o = torch.empty_like(q, dtype=check.output_dtype(dtype))
        plugin.prepare(q, k, v, o, causal)()
        torch.cuda.synchronize()
        print(label, shape_name(args.shape), "checksum", o.float().sum().item())
    return 0


COMMANDS = {"check": command_check, "split": command_split, "bench": command_bench, "quick": command_quick, "sweep": command_sweep,
            "small": command_small,
            "host": command_host, "once": command_once}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("plugins", nargs="+")
    parser.add_argument("--shape", type=parse_shape, default=REFERENCE)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--head-dim", type=int)
    parser.add_argument("--json")
    args = parser.parse_args()
    if not torch.cuda.is_available():
        print("no CUDA device")
        return 77
    plugins = {path.split("/")[-1].removesuffix(".so"): Plugin(path) for path in args.plugins}
    record = []
    with torch.no_grad():
        failures = COMMANDS[args.command](plugins, args, record)
    if args.json:
        about = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
                 "cudnn": torch.backends.cudnn.version(), "date": time.strftime("%Y-%m-%d")}
        with open(args.json, "w") as file:
            json.dump({"about": about, "results": record}, file)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
