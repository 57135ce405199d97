# SPDX-License-Identifier: Apache-2.0
# The files of the scripts that pawl replaces: single results ("performance" or "metrics"), baselines, sweeps.
cd "$DATA/legacy"
try pawl compare --threshold -3.0 single.json single_metrics.json
try pawl compare --threshold -3.0 single_metrics.json single.json
try pawl compare single.json single_metrics.json
try pawl compare --threshold -3.0 single.json single_wrong.json
try pawl compare baseline.json sweep.json
try pawl compare sweep.json sweep.json
try pawl compare --threshold -3.0 sweep.json single.json
