# SPDX-License-Identifier: Apache-2.0
# A search over a recorded space, in the form of Kernel Tuner: the same for the same seed.
python3 - <<'PYTHON'
import json
cache = {}
for a in [1, 2, 4, 8, 16, 32]:
    for b in range(10):
        for mode in ["row", "column"]:
            time = 1 + abs(a - 8) / 16 + (b - 6) ** 2 / 50 + (mode == "column") / 4
            failed = a == 32 and b > 7
            cache[f"{a},{b},{mode}"] = {"A": a, "B": b, "MODE": mode, "time": "RuntimeFailedConfig" if failed else time}
json.dump({"device_name": "a device", "kernel_name": "k", "tune_params_keys": ["A", "B", "MODE"], "cache": cache},
          open("cache.json", "w"))
PYTHON
try pawl tune --replay cache.json --strategy exhaustive
try pawl tune --replay cache.json --strategy annealing --evaluations 30 --seed 3
try pawl tune --replay cache.json --strategy bayesian --evaluations 40 --seed 3
pawl tune --replay cache.json --evaluations 60 >first
pawl tune --replay cache.json --evaluations 60 | cmp - first && tail -1 first
pawl --json tune --replay cache.json --evaluations 60 --strategy random >replay.json
field replay.json optimum_ms
field replay.json configurations
