# SPDX-License-Identifier: Apache-2.0
# A search for several cases: its journal has the times of each, a search for other cases is another search, and the
# formats of Kernel Tuner have the geometric mean. A budget of no time tries nothing new.
repository
sed -i "s|^  tiny: .*|&\n  large: {operator: scale, n: 9000, dtype: f32}|" pawl.yaml
sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], tune: {M: [1, 2, 3]}}|" pawl.yaml
at_once() {
  try pawl -q tune scale_cpu --strategy exhaustive --budget 0.001s "$@" | sed 's/--budget [0-9]*[sm] or/--budget LONGER or/'
}
at_once --cases all
field perf/out/tune/tune.json cases
field perf/out/tune/tune.json rule
{
  echo '{"key": "M=1", "outcome": "wrong", "reason": "on '"'large'"': off by one", "cases": [{"median_ms": 2, "current_ms": 4, "checked": true}, {"median_ms": null, "current_ms": null, "checked": true}]}'
  echo '{"key": "M=2", "outcome": "ok", "cases": [{"median_ms": 9, "current_ms": 2, "checked": true}, {"median_ms": 4, "current_ms": 8, "checked": true}]}'
  echo '{"key": "M=3", "outcome": "ok", "cases": [{"median_ms": 8, "current_ms": 2, "checked": false}, {"median_ms": null, "current_ms": null, "checked": false}]}'
} >>perf/out/tune/tune.jsonl
cp perf/out/tune/tune.jsonl kept
at_once --cases large,tiny --resume
head -4 perf/out/tune/tune.jsonl | cmp - kept && echo "the same journal"
for number in 0 1 2; do
  field perf/out/tune/tune.json candidates.$number.times
  field perf/out/tune/tune.json candidates.$number.median_ms
  field perf/out/tune/tune.json candidates.$number.checked
done
python3 -c '
import json
cache = json.load(open("perf/out/tune/kernel_tuner_cache.json"))["cache"]
print([cache[key]["time"] for key in "123"])'
at_once --case tiny --resume
cp kept perf/out/tune/tune.jsonl
sed -i '$s/"cases": .*/"cases": []}/' perf/out/tune/tune.jsonl
at_once --cases all --resume
