# SPDX-License-Identifier: Apache-2.0
# run KERNEL --case NAME: only what is named is measured, judged and recorded; the report says so.
# Takes long.
repository
cp kernels/scale_cpu.c kernels/other.c
cat >pawl.yaml <<'SUITE'
version: 1
operators:
  scale: {sources: [operators/scale.c]}
  twice: {sources: [operators/scale.c]}
kernels:
  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}
  other: {operator: scale, device: cpu, sources: [kernels/other.c]}
references:
  known: {operator: scale, device: cpu, sources: [kernels/other.c]}
cases:
  tiny: {operator: scale, n: 1000, dtype: f32}
  small: {operator: scale, n: 2000, dtype: f32}
  elsewhere: {operator: twice, n: 1000, dtype: f32}
check:
  scale: {n: [1, 1000]}
measure: {warmup: 1, samples: 12, processes: 6, timeout: 30s}
SUITE
commit "Two kernels"
rows() {
  python3 - <<'PYTHON'
import json
verdict = json.load(open("perf/out/verdict.json"))
for row in sorted(verdict["comparisons"], key=lambda row: (row["kernel_name"], row["case"])):
    print(row["verdict"], row["kernel_name"], row["case"])
print(sorted({(row["kernel_name"], row["config"]["n"]) for row in json.load(open("perf/out/results.json"))["results"]}))
notices = [notice for notice in verdict["notices"] if "canary" not in notice]  # a busy machine causes notices of the canary
print([build["kernel_name"] for build in verdict["builds"]], notices)
PYTHON
}
quiet pawl -q run scale_cpu --case tiny --update-baseline
rows
commit "Record one row"
quiet pawl -q run other
rows
quiet pawl -q run --case small
rows
try pawl run othr
try pawl run --case tny
try pawl run known
try pawl run other --case elsewhere
