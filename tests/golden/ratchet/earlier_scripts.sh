# SPDX-License-Identifier: Apache-2.0
# The earlier scripts' baseline judges what it can; results are no baseline to be written over.
steady_machine
cp "$DATA/legacy/baseline.json" old.json
verdicts pawl -q ratchet "$DATA/legacy/sweep.json" --baseline old.json
cp "$DATA/base.json" results.json
quiet pawl ratchet "$DATA/faster.json" --baseline results.json --update
cmp results.json "$DATA/base.json"
