# SPDX-License-Identifier: Apache-2.0
# report --save-case: the blocks of one row as a small verdict, which verify judges again.
verdict=$GOLDEN/../../docs/results/gate-h200/one.json
try pawl report "$verdict" --save-case case.json --expected regression --note "A loss that the blocks hide"
try pawl verify case.json
python3 - "$verdict" <<'PYTHON'
import json, sys
case, whole = json.load(open("case.json")), json.load(open(sys.argv[1]))
one, row = case["comparisons"][0]["paired"], whole["comparisons"][0]["paired"]
print(case["expected"], case["notices"], len(case["comparisons"]), len(one["base_samples_ms"]))
print("the blocks and the policy are the same:", (one["blocks"], one["policy"], one["seed"]) == (row["blocks"], row["policy"], row["seed"]))
PYTHON
pawl report case.json | grep -o 'A loss that the blocks hide'
echo "-- two rows"
python3 - <<'PYTHON'
import copy, json
case = json.load(open("case.json"))
del case["expected"]
case["comparisons"].append(copy.deepcopy(case["comparisons"][0]))
for part in case["comparisons"][1], case["comparisons"][1]["paired"]:
    part["case"] = "other"
case["totals"] = {key: 2 * number for key, number in case["totals"].items()}
json.dump(case, open("two.json", "w"))
PYTHON
try pawl report two.json --save-case other.json
try pawl report two.json --save-case other.json --case other
field other.json comparisons.0.case
try pawl report two.json --save-case other.json --case nothing
try pawl report two.json --save-case other.json --expected slower
try pawl report two.json --expected regression
try pawl report two.json --save-case other.json -o report.md
try pawl report --save-case other.json
