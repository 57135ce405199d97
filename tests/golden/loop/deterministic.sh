# SPDX-License-Identifier: Apache-2.0
# `deterministic` of a kernel goes before what the kernel says of itself, in both directions. The last bit of this kernel
# depends on how often it was called; its tolerance allows that.
wrong="$GOLDEN/../plugins/wrong"
cp "$wrong/nondeterministic.c" claims.c
cp "$wrong/attention.h" claiming.h
sed 's/attention\.h/silent.h/' claims.c >silent.c
sed 's/\.flags = PAWL_KERNEL_DETERMINISTIC/.flags = 0/' claiming.h >silent.h
mv claiming.h attention.h
cat >pawl.yaml <<'SUITE'
version: 1
kernels:
  claims:        {operator: attention, sources: [claims.c]}
  claims_denied: {operator: attention, sources: [claims.c], deterministic: false}
  silent:        {operator: attention, sources: [silent.c]}
  silent_held:   {operator: attention, sources: [silent.c], deterministic: true}
cases:
  small: {operator: attention, B: 2, H: 2, S: 64, D: 16, dtype: f32}
SUITE
pawl -q --json check >check.json || echo "(exit status $?)"
python3 - <<'PYTHON'
import json
for kernel in json.load(open("check.json"))["kernels"]:
    wrong = [row["reason"] for row in kernel["rows"] if row["outcome"] != "ok"]
    print(kernel["kernel_name"], wrong[0] if wrong else "passed")
PYTHON
