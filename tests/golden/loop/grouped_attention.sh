# SPDX-License-Identifier: Apache-2.0
# grouped_attention: the plain kernel is right with any number of heads of keys and with lengths; a kernel that gives
# queries the wrong head of keys is wrong, and so is one that forgets the lengths.
cp "$GOLDEN/../../kernels/attention/sdpa_cpu.c" right.c
sed 's|head / heads_of_key \*|head % (q->size[0] * launch->tensors[1].size[1]) *|' right.c >heads.c
sed 's|GROUPED ? ((const int32_t \*)launch->tensors\[4\].data)\[head / q->size\[1\]\] : s|s|' right.c >lengths.c
cat >pawl.yaml <<'SUITE'
version: 1
kernels:
  right: {operator: grouped_attention, sources: [right.c], params: {GROUPED: 1}}
  heads: {operator: grouped_attention, sources: [heads.c], params: {GROUPED: 1}}
  lengths: {operator: grouped_attention, sources: [lengths.c], params: {GROUPED: 1}}
cases:
  whole: {operator: grouped_attention, B: 2, H: 4, KV: 2, S: 40, D: 16, dtype: f32}
  ragged: {operator: grouped_attention, B: 3, H: 2, KV: 2, S: 33, D: 8, causal: 1, varlen: 1, dtype: f32}
SUITE
pawl -q --json check >check.json || echo "(exit status $?)"
python3 - <<'PYTHON'
import json
for kernel in json.load(open("check.json"))["kernels"]:
    wrong = sorted({row["config"]["S"] for row in kernel["rows"] if row["outcome"] != "ok"})
    print(kernel["kernel_name"], "is wrong at S =" if wrong else "passed", *wrong)
PYTHON
sed -i 's/H: 4, KV: 2/H: 4, KV: 3/' pawl.yaml
try pawl -q check
cp "$GOLDEN/../../kernels/attention/pawl.yaml" pawl.yaml
try pawl list
