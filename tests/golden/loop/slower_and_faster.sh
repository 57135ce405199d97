# SPDX-License-Identifier: Apache-2.0
# A change that makes the kernel 25 times slower is a regression, and taking it back from a slow baseline an improvement.
# Judged by the stored samples: measuring in pairs takes a quiet machine, which a test cannot ask for.
# Needs a quiet machine.
repository
sed -i "s/^measure:/gate: {between_runs: 100%}\nmeasure:/" pawl.yaml
sleeps 1
commit "Sleep"
quiet pawl -q run --against none --update-baseline
commit "Record the baseline"
sleeps 25
quiet pawl -q run --against none
head -1 perf/out/report.md | grep -o "^.*slower:"
field perf/out/verdict.json verdict
cp perf/baseline.json before.json
commit "Be slow"
quiet pawl -q run --against none --update-baseline
cmp perf/baseline.json before.json && echo "a loss moves nothing"
rm perf/baseline.json before.json
commit "Start over"
quiet pawl -q run --against none --update-baseline
commit "Record the slow baseline"
sleeps 1
commit "Be fast"
quiet pawl -q run --against none --update-baseline
field perf/out/verdict.json verdict
python3 -c '
import json
document = json.load(open("perf/baseline.json"))
first, last = document["moves"][0], document["moves"][-1]
print([move["kind"] for move in document["moves"]])
assert last["to_ms"] < 0.5 * last["from_ms"]
assert document["entries"][0]["median_ms"] == last["to_ms"]'
