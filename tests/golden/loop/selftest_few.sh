# SPDX-License-Identifier: Apache-2.0
# A selftest takes a slow-down of 10 %, and does not say that the calibration passed after two trials. power reads a run's folder.
# A false alarm among the two trials may call it FAILED, by chance.
# Needs true times.
repository
sed -i 's/^measure:/gate: {busy: count, max_blocks: 12}\n&/' pawl.yaml
git commit -q -a -m "Judge with few blocks"
pawl -q selftest scale_cpu --case tiny --changes 0,10% --trials 2 --seed 1 | sed -n 's/^| \([0+][^|]*\)| 2 .*/\1/p; s/FAILED/too few trials to tell/; s/: [0-9]* false alarms/: N false alarms/p'
try pawl selftest --changes 20%
pawl -q run --against none >/dev/null
pawl power perf/out | sed -n '2s/ .*//p'
try pawl power perf
