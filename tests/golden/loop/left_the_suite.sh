# SPDX-License-Identifier: Apache-2.0
# A case that left the suite is missing, not maintained, and the run says how to take it out of the baseline.
repository
sed -i 's/^check:/  small: {operator: scale, n: 100, dtype: f32}\n&/' pawl.yaml
commit "Have two cases"
quiet pawl -q run --update-baseline
commit "Record the baseline"
sed -i '/  small:/d' pawl.yaml
commit "Drop a case"
quiet pawl run
field perf/out/verdict.json totals.missing
quiet pawl baseline remove scale_cpu --case small
commit "Remove its entry"
quiet pawl -q run
