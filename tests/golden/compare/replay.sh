# SPDX-License-Identifier: Apache-2.0
# A recorded run, judged again from its blocks: every answer agrees, to the last digit of its numbers.
recorded=$GOLDEN/../data/replay/rule_1.json
try pawl verify "$recorded"
try pawl power "$recorded"
echo "-- a block that was changed by one in the last digit"
python3 - "$recorded" <<'PYTHON'
import json, math, sys
document = json.load(open(sys.argv[1]))
paired = document["comparisons"][4]["paired"]
for block in paired["blocks"]:
    block["candidate_ms"] = math.nextafter(block["candidate_ms"], math.inf)
json.dump(document, open("changed.json", "w"))
PYTHON
try pawl verify changed.json | sed 's/is [-0-9.]*, recomputed [-0-9.]*/is X, recomputed Y/'
echo "-- a document of a newer pawl"
sed '1s/{/{"schema_version": 99,/' "$recorded" >newer.json
try pawl verify newer.json
try pawl power newer.json
# Who says "the same code", or leaves the blocks out, shows nothing.
forge() {
  python3 - "$1" "$recorded" <<'PYTHON'
import json, sys
verdict = json.load(open(sys.argv[2]))
for row in verdict["comparisons"]:
    row["verdict"] = "maintained"
    if sys.argv[1] == "nothing":
        row["paired"] = None
    else:
        row["paired"].update(identical_code=True, blocks=[], answer="maintained", slowdown_pct=0, slowdown_low_pct=0, slowdown_high_pct=0)
json.dump(verdict, open("forged.json", "w"))
PYTHON
  try pawl verify forged.json
}
forge "the same"
# equal code has its hash, which a build of both commits can confirm; another verdict does not follow from it
repository
quiet pawl -q run --update-baseline
commit "Record the baseline"
quiet pawl -q run
pawl verify perf/out/verdict.json | sed 's/code [0-9a-f]*$/code HASH/'
sed -i 's/"verdict": "maintained"/"verdict": "improvement"/' perf/out/verdict.json
pawl verify perf/out/verdict.json || echo "exit status $?"
forge nothing
