# SPDX-License-Identifier: Apache-2.0
# Shards of a bench join to the whole.
repository
sed -i 's/^check:/  small: {operator: scale, n: 100, dtype: f32}\n&/' pawl.yaml
commit "Add a case"
quiet pawl -q bench --shard 1/2 -o one.json
quiet pawl -q bench --shard 2/2 -o two.json
try pawl merge one.json two.json -o both.json
field both.json results.0.case
field both.json results.1.case
