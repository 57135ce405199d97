# SPDX-License-Identifier: Apache-2.0
# --json: one document on standard output, whatever the verdict, and as its schema says (tests/support/documents.py).
valid_json pawl --json compare "$DATA/base.json" "$DATA/mixed.json"
valid_json pawl --json compare "$DATA/one_case.json" "$DATA/one_case.json"
valid_json pawl --json compare "$DATA/base.json" "$DATA/wrong.json"
valid_json pawl --json report "$DATA/base.json"
valid_json pawl --json ratchet "$DATA/slower.json"
valid_json pawl --json power "$DATA/base.json"
repository
valid_json pawl --json init --example minimal new
valid_json pawl --json baseline remove nothing
valid_json pawl --json chekc
valid_json pawl --json bench --case tny
sed -i 's/^check:/  small: {operator: scale, n: 2000, dtype: f32}\n&/; s/\(scale_cpu: .*\)}/\1, params: {M: 1}, tune: {M: [1, 2]}}/' pawl.yaml
echo 'gate: {false_alarm: 20%, miss: 20%, max_blocks: 12}' >>pawl.yaml
commit "Have something to share and to tune"
valid_json pawl --json list
valid_json pawl --json list --gate
valid_json pawl --json build
valid_json pawl --json diff scale_cpu
valid_json pawl --json check
valid_json pawl --json check --sanitize memcheck
valid_json pawl --json bench --samples 4
valid_json pawl --json history
valid_json pawl --json history compare HEAD main
valid_json pawl --json history note abcd1234 fixed
valid_json pawl --json history export
valid_json pawl -q --json run
valid_json pawl -q --json ci measure
valid_json pawl --json baseline list
valid_json pawl -q --json run --against none --shard 1/2 -o one
valid_json pawl -q --json run --against none --shard 2/2 -o two
valid_json pawl -q --json merge one two -o both
valid_json pawl --json verify perf/out/verdict.json
mkdir swept
cp "$GOLDEN"/../data/sweep/s* swept
valid_json pawl --json sweep --rewrite -o swept
valid_json pawl --json verify swept
valid_json pawl --json compare --paired @HEAD scale_cpu
valid_json pawl -q --json bisect --good HEAD~1 --case tiny --of wrong
valid_json pawl -q --json ci bisect
valid_json pawl -q --json selftest --case tiny --changes 0 --trials 1 --budget 0.1s
valid_json pawl -q --json selftest --case all --changes 0 --trials 1 --budget 0.1s
valid_json pawl -q --json tune scale_cpu --case tiny --budget 0.001s
valid_json pawl -q --json ci tune --kernel scale_cpu --case tiny --budget 0.001s
valid_json pawl -q --json ci tune --kernel scale_cpu --cases all --budget 0.001s
cat >cache.json <<'CACHE'
{"device_name": "a device", "kernel_name": "k", "tune_params_keys": ["A"], "cache": {"1": {"A": 1, "time": 2}, "2": {"A": 2, "time": 1}}}
CACHE
valid_json pawl --json tune --replay cache.json --strategy exhaustive
cat >pawl-wake.yaml <<'WAKE'
version: 1
repositories: [octo/app]
machines: {gpu: {labels: [gpu], start: ["true"], stop: ["true"]}}
WAKE
valid_json pawl --json wake start gpu
valid_json pawl --json doctor --quick
valid_json pawl --json guide
valid_json pawl --json guide triage-of-a-regression
valid_json pawl --json clean
cp "$GOLDEN/../data/ncu/saxpy_raw.csv" .
valid_json pawl --json profile --import saxpy_raw.csv
sed -i 's/2 \* x/3 * x/' kernels/scale_cpu.c
valid_json pawl --json check
valid_json pawl -q --json run
# an error is a document too, of every command
for command in $(pawl help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
  status=0
  pawl --json "$command" --nonsense >error.json 2>/dev/null || status=$?
  echo "$command: $status"
  field error.json status
  field error.json error
done
