# SPDX-License-Identifier: Apache-2.0
# A link stays a link: what it points to is written. pawl names a link that leads nowhere or in a circle.
steady_machine
mkdir real perf
ln -s ../real/baseline.json perf/baseline.json
quiet pawl -q ratchet "$DATA/base.json" --update
quiet pawl -q ratchet "$DATA/faster.json" --update
readlink perf/baseline.json
field real/baseline.json moves.2.kind
echo old >report.md
ln -s report.md link.md
quiet pawl -q report "$DATA/base.json" -o link.md
readlink link.md
head -1 report.md
ln -s circle.json circle.json
try pawl ratchet "$DATA/base.json" --baseline circle.json
try pawl merge "$DATA/shard_1.json" "$DATA/shard_2.json" -o circle.json
