# SPDX-License-Identifier: Apache-2.0
# A benchmark of a harness has times, or a reason: a failed program is no faster program, a time of 0 costs its own row,
# a name that comes twice is two rows, and a run in which no row has a time is not decided.
cat >pawl.yaml <<'SUITE'
version: 1
kernels:
  tool: {command: [sh, emit.sh]}
measure: {samples: 6, processes: 6, isolation: "off"}
gate: {busy: count}
SUITE
printf '.pawl\nperf/out\n' >.gitignore
emit() { # FORMAT JSON: the tool prints some words, then its document
  sed -i "s/tool: .*/tool: {command: [sh, emit.sh], parse: $1}/" pawl.yaml
  printf "sleep 0.04; echo '[info] start'; cat <<'JSON'\n%s\nJSON\necho '[info] end'\n" "$2" >emit.sh
}
reasons() {
  python3 -c '
import json
for row in json.load(open("results.json"))["results"]: print(row["case"], row["outcome"], row.get("reason") or "")'
}
bench() {
  emit "$1" "$2"
  quiet pawl -q bench -o results.json
  reasons | sed 's/in a run of .*/in a run of N s/'
}
bench hyperfine '{"results": [{"command": "a", "times": [0.001, 0.001], "exit_codes": [0, 139]}, {"command": "b", "times": [0.001, 0.0], "exit_codes": [0, 0]},
  {"command": "solve", "times": [0.001], "parameters": {"n": "1"}}, {"command": "solve", "times": [0.002], "parameters": {"n": "2"}}]}'
bench google-benchmark '{"benchmarks": [{"name": "twice", "real_time": 1000, "repetitions": 1, "repetition_index": 0},
  {"name": "twice", "real_time": 2000, "repetitions": 1, "repetition_index": 0}, {"name": "empty", "real_time": 9e-7}, {"name": "sleep", "real_time": 9e12}]}'
bench jmh '[{"benchmark": "x.Sort.list", "mode": "avgt", "primaryMetric": {"score": 3, "scoreUnit": "us/op"}}]'
bench nvbench '{"devices": [{"id": 0}, {"id": 1}], "benchmarks": [{"name": "copy", "states": [
  {"device": 0, "summaries": [{"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", "value": "1e-3"}]}]},
  {"device": 1, "summaries": [{"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", "value": "-nan"}]}]}]},
  {"name": "parse", "states": [{"device": null, "summaries": [{"tag": "nv/cpu_only/time/cpu/mean", "data": [{"name": "value", "value": "2e-3"}]}]}]}]}'
git init -q -b main .
emit nvbench '{"benchmarks": [{"name": "copy", "states": [{"is_skipped": true, "skip_reason": "no GPU"}]}]}'
commit "Start"
quiet pawl -q run
head -1 perf/out/report.md
emit hyperfine ''
commit "Print nothing"
quiet pawl -q run
head -1 perf/out/report.md
