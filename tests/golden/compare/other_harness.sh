# SPDX-License-Identifier: Apache-2.0
# A file of another harness: compare names its format and the command that reads it, and that command works.
printf 'version: 1\n' >pawl.yaml
git init -q -b main && commit "Start"
printf '{"results": [{"command": "a", "times": [0.5]}]}' >'hyper fine.json'
printf '{"benchmarks": [{"name": "a", "real_time": 2, "time_unit": "ms"}]}' >google.json
printf '{"benchmarks": [{"fullname": "t.py::test_a", "stats": {"median": 0.5}}]}' >pytest.json
printf '{"benchmarks": [{"alias": "a", "runs": [{"name": "a", "stats": {"p50": 4}}]}]}' >mitata.json
printf '{"benchmarks": [{"name": "a", "time": 4}]}' >plain.json
printf '{"results": [{"configuration": {"x": 1}, "times": {"runtimes": [2]}, "invalidity": "correct"}]}' >t4.json
printf '[{"name": "a", "unit": "s", "value": 1}]' >custom.json
printf 'BenchmarkA-2 \t 100\t 10.0 ns/op\n' >go.txt
for file in 'hyper fine.json' google.json pytest.json mitata.json plain.json t4.json custom.json go.txt; do
  try pawl compare "$file" "$file"
done
printf '{"results": [{"command": "a"}]}' >none.json
try pawl compare none.json none.json
try pawl compare "$DATA/base.json" google.json
try pawl -q import hyperfine 'hyper fine.json' --commit HEAD
