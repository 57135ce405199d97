# SPDX-License-Identifier: Apache-2.0
# Mistakes in the words and in the space: one line each.
repository
try pawl tune
try pawl tune scale_gpu --case tiny
try pawl tune scale_cpu --case tiny
space() {
  cp pawl.yaml kept.yaml
  sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], params: {N: 1}, tune: {M: [1, 2, word], constraints: [\"$1\"]}}|" pawl.yaml
  try pawl tune --case tiny
  ${2:-:} pawl list
  mv kept.yaml pawl.yaml
}
space "M < " try
space "Q < 4" try
space "M * 2 < 4"
space "N > 1"
space "M == 'wrd'"
# the column counts characters
space "M == 'ä' or Q"
# a constraint has its own line
cp pawl.yaml kept.yaml
sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], tune: {M: [1, 2], constraints: [M > 0,\n              'M < 9',\n              Q > 1]}}|" pawl.yaml
try pawl tune scale_cpu --case tiny
sed "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], tune: {constraints: ['1 == 1']}}|" kept.yaml >pawl.yaml
try pawl list
mv kept.yaml pawl.yaml
sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], tune: {M: [1, 2]}}|" pawl.yaml
try pawl tune scale_cpu --case tyni
try pawl tune scale_cpu --strategy bayesain
try pawl tune scale_cpu --budget soon
try pawl tune scale_cpu --budget -3m
try pawl tune scale_cpu --executor slurm
PAWL_SLURM_PATIENCE=soon try pawl tune scale_cpu --executor slurm --evaluators 2
try pawl tune scale_cpu --executor slurm --evaluators 2 --slurm-options "--comment='a b"
try pawl tune scale_cpu --executer local
try pawl tune scale_cpu --evaluations 3
try pawl tune scale_cpu --replay cache.json
try pawl tune --replay cache.json
echo '{' >cache.json
try pawl tune --replay cache.json
echo '{}' >cache.json
try pawl tune --replay cache.json
echo '{"tune_params_keys": ["A"], "cache": {"1": {"B": 1, "time": 2}}}' >cache.json
try pawl tune --replay cache.json
echo '{"tune_params_keys": ["A"], "cache": {"1": {"A": 1, "time": 2}, "x": {"A": 1, "time": 3}}}' >cache.json
try pawl tune --replay cache.json
echo "-- a space in a file"
sed -i "s|tune: {M: \[1, 2\]}|tune: space.json|" pawl.yaml
cat >space.json <<'JSON'
{"ConfigurationSpace": {
  "TuningParameters": [{"Name": "M", "Type": "int", "Values": "[16, 32, 64]", "Default": 16},
                       {"Name": "T", "Type": "string", "Values": "['float', 'double']"}, {"Name": "N", "Values": [1]}],
  "Conditions": [{"Expression": "M <= 32 or T == 'float'", "Parameters": ["M", "T"]}]}}
JSON
try pawl -q tune scale_cpu --budget 0.001s
for values in '[1.0, 2.5, 1e-3]' "['isTrue', 'False\\\\\"', True]" '[1, 2, 1]'; do
  VALUES=$values python3 -c 'import json, os; space = json.load(open("space.json")); space["ConfigurationSpace"]["TuningParameters"][0]["Values"] = os.environ["VALUES"]; space["ConfigurationSpace"]["Conditions"] = []; json.dump(space, open("range.json", "w"))'
  sed -i "s|tune: space.json|tune: range.json|" pawl.yaml
  echo "$values"
  pawl -q tune scale_cpu --budget 0.001s 2>&1 | tail -1
  head -1 perf/out/tune/tune.jsonl | grep -o '"M":\[[^]]*\]'
  sed -i "s|tune: range.json|tune: space.json|" pawl.yaml
done
sed 's/"Conditions": \[{/"Conditions": {"A": [{/; s/}\]\(}}\)/}]}\1/' space.json >range.json
sed -i "s|tune: space.json|tune: range.json|" pawl.yaml
try pawl tune scale_cpu
sed 's/"Name": "T"/"Name": "M"/' space.json >range.json
try pawl tune scale_cpu
sed -i "s|tune: range.json|tune: space.json|" pawl.yaml
for range in 'range(16, 65, 16)' 'list(range(3))' 'list( range(9, 3, -2) )' 'range(1, 2' 'range(4, 4)' 'range(1, 5, 0)' 'range(99999999999)' 'range(0, 10000000, 5000000)'; do
  sed "s/\[16, 32, 64\]/$range/" space.json >range.json
  sed -i "s|tune: space.json|tune: range.json|" pawl.yaml
  echo "$range"
  pawl -q tune scale_cpu --budget 0.001s 2>&1 | tail -1
  sed -i "s|tune: range.json|tune: space.json|" pawl.yaml
done
cp space.json kept.json
sed -i 's/"Conditions": \[/&{"Expression": "M > 0"}, /; s/M <= 32 or/M <= 1e- or/' space.json
try pawl list
sed -i 's/M <= 1e- or/M % (M - 16) or/' space.json
try pawl tune scale_cpu
mv kept.json space.json
sed -i 's/, 64\]"/, "/' space.json
try pawl tune scale_cpu
echo '{}' >space.json
try pawl tune scale_cpu
sed -i "s|tune: space.json|tune: ../space.json|" pawl.yaml
try pawl tune scale_cpu
sed -i "s|tune: ../space.json|tune: {M: [1, 2]}|" pawl.yaml
try pawl tune scale_cpu --case tiny --cases all
try pawl tune scale_cpu --cases tiny,tyni
try pawl tune scale_cpu --cases tiny,
# a case counts once; a name that only begins alike is another
sed -i 's/^check:/  tin: {operator: scale, n: 100, dtype: f32}\n&/' pawl.yaml
try pawl tune scale_cpu --cases tiny,tin,tiny
try pawl tune scale_cpu --cases tin,tiny,tinny
try pawl tune --replay cache.json --cases all
try pawl tune scale_cpu --case tiny --current M=1
try pawl tune --from none --current M=1
