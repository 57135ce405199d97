# SPDX-License-Identifier: Apache-2.0
# What is the fastest where it is tuned for may be slower elsewhere: the search goes on to what is faster everywhere.
# Needs true times.
repository
sleeps 2
# the current code sleeps 2 ms; MODE 1 sleeps 1.5 ms; MODE 2 sleeps 0.5 ms, and on large inputs 3
sed -i 's/2000000}/MODE == 1 ? 1500000 : MODE == 2 ? (n > 1000 ? 3000000 : 500000) : 2000000}/' kernels/scale_cpu.c
sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], params: {MODE: 0}, tune: {MODE: [0, 1, 2]}}|" pawl.yaml
sed -i "s|^  tiny: .*|&\n  large: {operator: scale, n: 9000, dtype: f32}|" pawl.yaml
sed -i "s/measure: {.*/measure: {cache: warm, isolation: off, warmup: 1, samples: 6, processes: 2, timeout: 30s}/" pawl.yaml
echo "gate: {tolerate: 5%, detect: 20%, improve: 10%, false_alarm: 2%, miss: 5%, busy: count}" >>pawl.yaml
commit "Tune"
for where in --case=tiny --cases=all; do
  pawl -q tune scale_cpu "$where" --budget 60s | sed -e 's/is [0-9.]* times as fast/is N times as fast/g' -e 's/ \[[0-9., ]*\]//g' -e 's/, [0-9.]* % more/, N % more/'
  python3 -c '
import json
tune = json.load(open("perf/out/tune/tune.json"))
print([(one["params"], one["answer"]) for one in tune["finalists"]], [one["harmed"] for one in tune["other_cases"]])'
  sed -n '/^## The other cases/,/^## How/p' perf/out/tune/suggestions.md | grep -o '^| .MODE=.*. | [a-z]* |' || :
done
# judging the fastest on large inputs takes the rest of the time: nothing is said of the other one
sed -i 's/3000000 :/90000000 :/' kernels/scale_cpu.c
commit "Sleep longer"
try pawl -q tune scale_cpu --case tiny --budget 12s | sed -e 's/is [0-9.]* times as fast/is N times as fast/g' -e 's/--budget [0-9]*[sm] or/--budget LONGER or/'
