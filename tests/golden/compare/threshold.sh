# SPDX-License-Identifier: Apache-2.0
# --threshold: the change alone decides, also without samples.
cd "$DATA"
try pawl compare --threshold -3.0 base.json slower.json
try pawl compare --threshold -15 base.json slower.json
try pawl compare --threshold=-3 base.json noise.json
try pawl compare base.json faster.json --threshold 25
try pawl compare --threshold -3 base.json wrong.json
