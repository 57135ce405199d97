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
try pawl tune --replay cache.json --strategy random --evaluations 30 --seed 3
try pawl tune --replay cache.json --strategy bayesian --evaluations 40 --seed 3
pawl tune --replay cache.json --evaluations 60 >first
pawl tune --replay cache.json --evaluations 60 | cmp - first && tail -1 first
pawl --json tune --replay cache.json --evaluations 60 --strategy random >replay.json
field replay.json optimum_ms
field replay.json configurations
gzip -k cache.json
pawl tune --replay cache.json.gz --evaluations 60 | cmp - first && echo "the same packed"
head -c 300 cache.json.gz >cut.json.gz
try pawl tune --replay cut.json.gz --evaluations 60
echo "-- a cache of an interrupted Kernel Tuner, and T4"
python3 - <<'PYTHON'
import json
cache = json.load(open("cache.json"))
open("open.json", "w").write(json.dumps(cache)[:-2] + ",")
rows = [{"configuration": {k: row[k] for k in "A B MODE".split()}, "times": {}, "correctness": 1,
         "invalidity": "correct" if isinstance(row["time"], float) else "runtime",
         "measurements": [{"name": "time", "value": row["time"], "unit": "ms"}] if isinstance(row["time"], float) else []}
        for row in cache["cache"].values()]
json.dump({"schema_version": "1.0.0", "results": rows}, open("t4.json", "w"))
PYTHON
pawl tune --replay open.json --evaluations 1 | head -1
pawl tune --replay t4.json --evaluations 1 | head -1
sed 's/"unit": "ms"/"unit": "s"/g' t4.json >seconds.json
pawl tune --replay seconds.json --evaluations 1 | head -1
sed '0,/"unit": "ms"/s//"unit": "parsec"/' t4.json >parsec.json
try pawl tune --replay parsec.json --evaluations 1
sed 's/"time": [0-9.][0-9.]*/"time": "RuntimeFailedConfig"/g' cache.json >failing.json
pawl tune --replay failing.json --evaluations 1 | head -1
echo '{"schema_version": 2, "candidates": [{"params": {"A": "1"}, "median_ms": 1}]}' >newer.json
try pawl tune --replay newer.json --evaluations 1
echo "-- what an earlier search knew"
pawl tune --replay cache.json --evaluations 2 --prior t4.json | tail -1
echo '{"tune_params_keys": ["A", "B"], "cache": {"1": {"A": 1, "B": 2, "time": 2}}}' >other.json
try pawl tune --replay cache.json --evaluations 2 --prior other.json
echo '{"tune_params_keys": ["A", "B", "MODE"], "cache": {"1": {"A": 1, "B": 2, "MODE": "diagonal", "time": 2}}}' >other.json
try pawl tune --replay cache.json --evaluations 2 --prior other.json
echo "-- the journal of a replay names the content of the earlier search"
pawl tune --replay cache.json --evaluations 2 --prior t4.json -o journal >/dev/null
pawl tune --replay cache.json --evaluations 2 --prior t4.json -o journal --resume | tail -1
sed -i 's/"correct"/"correct" /' t4.json
try pawl tune --replay cache.json --evaluations 2 --prior t4.json -o journal --resume
echo "-- the parameters that the code has are the first result"
try pawl tune --replay cache.json --current A=1,B=0,MODE=row --evaluations 3
pawl tune --replay cache.json --current A=1,B=0,MODE=row --evaluations 2 -o current >/dev/null
try pawl tune --replay cache.json --current A=8,B=0,MODE=row --evaluations 2 -o current --resume
pawl tune --replay cache.json --current A=1,B=0,MODE=row --evaluations 2 -o current --resume | tail -1
try pawl tune --replay cache.json --current A=1,B=0 --evaluations 2 -o current
wc -l <current/tune.jsonl
pawl tune --replay cache.json --current A=1,B=0 -o new 2>/dev/null || test -e new || echo "no folder for a mistake"
pawl tune --replay cache.json --current A=32,B=8,MODE=row --evaluations 1 | tail -1
echo "-- the first batch has only the questions that no answer changes, with the current parameters and without"
for current in A=8,B=0,MODE=row none; do
  if [ "$current" = none ]; then set --; else set -- --current "$current"; fi
  pawl tune --replay cache.json "$@" --batch 8 --evaluations 12 -o batch.$current >/dev/null
  echo "$current:$(grep -o '"open": *[0-9]*' batch.$current/tune.jsonl | tr -dc '0-9\n' | tr '\n' ' ')"
done
