# SPDX-License-Identifier: Apache-2.0
# Results of a dirty tree never move the baseline.
steady_machine
quiet pawl ratchet "$DATA/base.json" --update
cp perf/baseline.json first.json
verdicts pawl ratchet "$DATA/dirty.json" --update
cmp perf/baseline.json first.json && echo "the baseline is as it was"
try pawl baseline accept sdpa_cpu --case training_512 --reason "faster" --results "$DATA/dirty.json"
cmp perf/baseline.json first.json && echo "the baseline is as it was"
