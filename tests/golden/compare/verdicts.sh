# SPDX-License-Identifier: Apache-2.0
# Every verdict of compare, and its exit status: 1 before 2 before 0.
cd "$DATA"
for candidate in slower faster a_little_faster noise base mixed one_case new_kernel wrong crashed build_failed; do
  try pawl compare base.json "$candidate.json"
done
