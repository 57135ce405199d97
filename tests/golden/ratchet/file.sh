# SPDX-License-Identifier: Apache-2.0
# The baseline file as it is written: stable key order, one number a line, so that a move reads well in git.
steady_machine
quiet pawl ratchet "$DATA/one_case.json" --update
cat perf/baseline.json
