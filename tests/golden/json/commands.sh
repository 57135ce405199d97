# SPDX-License-Identifier: Apache-2.0
# --json: one document on standard output, whatever the verdict.
valid_json pawl --json compare "$DATA/base.json" "$DATA/mixed.json"
valid_json pawl --json compare "$DATA/one_case.json" "$DATA/one_case.json"
valid_json pawl --json compare "$DATA/base.json" "$DATA/wrong.json"
valid_json pawl --json report "$DATA/base.json"
valid_json pawl --json ratchet "$DATA/slower.json"
repository
valid_json pawl --json list
valid_json pawl --json build
valid_json pawl --json check
valid_json pawl --json bench --samples 4
valid_json pawl -q --json run
valid_json pawl --json doctor
sed -i 's/2 \* x/3 * x/' kernels/scale_cpu.c
valid_json pawl --json check
valid_json pawl -q --json run
