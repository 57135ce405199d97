# SPDX-License-Identifier: Apache-2.0
# --set: cases that it makes equal are one row with a name of its own; those that stay apart keep theirs.
repository
sed -i 's/^check:/  another_case: {operator: scale, n: 100, dtype: f32}\n&/' pawl.yaml
rows() { python3 -c '
import json
for row in json.load(open("results.json"))["results"]:
    print(row["case"], row["config"]["n"])'; }
quiet pawl -q bench --samples 4 --set n=17 -o results.json
rows
quiet pawl -q bench --samples 4 --set n=17 --case another_case -o results.json
rows
quiet pawl -q bench --samples 4 --set dtype=f32 -o results.json
rows
pawl check scale_cpu --set n=17 | head -1
