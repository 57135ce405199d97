# SPDX-License-Identifier: Apache-2.0
# -o: flat for one case, a list for several, readable by anybody; `-` is standard output.
pawl -q compare "$DATA/one_case.json" "$DATA/one_case.json" -o one.json || true
for key in speedup improvement_pct is_regression baseline_time_ms current_time_ms threshold delta_pct ci_overlap \
  cliffs_delta cliffs_label mann_whitney_p verdict; do
  field one.json "$key"
done
quiet pawl compare "$DATA/base.json" "$DATA/mixed.json" -o several.json
field several.json comparisons.0.verdict
field several.json comparisons.1.verdict
field several.json comparisons.1.is_regression
try pawl compare "$DATA/base.json" several.json
