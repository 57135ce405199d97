# SPDX-License-Identifier: Apache-2.0
# A configuration that is the fastest and right where it is timed, but wrong on another shape, hides no good one; nor
# does one that fails when the screening is over, nor one that does not support a shape that the current code supports,
# nor one that writes to the inputs of its rivals.
# Needs true times.
repository
python3 - <<'PYTHON'
from pathlib import Path
kernel = Path("kernels/scale_cpu.c")
loop = "for (int64_t i = 0; i < n; i++)"
text = kernel.read_text()
assert loop in text
late = f"""#include <stdio.h>
#include <stdlib.h>
static int screened(void) {{
  char line[4096];
  FILE *journal = fopen("{Path.cwd()}/perf/out/tune/tune.jsonl", "r");
  int lines = 0;
  while (journal && fgets(line, sizeof line, journal)) lines++;
  if (journal) fclose(journal);
  return lines > 3;
}}
static void reach_out(float *x) {{ /* to the inputs of other calls, after the first round */
  static float *seen[8];
  static int calls;
  int i = 0;
  while (i < 8 && seen[i] && seen[i] != x) i++;
  if (i < 8) seen[i] = x;
  if (!screened() || ++calls < 9) return;
  for (i = 0; i < 8; i++)
    if (seen[i] && seen[i] != x) seen[i][3] = 0;
}}
"""
slow = f"""volatile float sum = 0;
  if (FAST == 2 && screened()) abort();
  if (FAST == 4) reach_out((float *)(uintptr_t)x);
  for (int pass = FAST == 4 ? PASSES - 2 : FAST ? PASSES : 1; pass < PASSES; pass++) {loop} sum = sum + x[i];
  """
text = late + text.replace(loop, slow + loop).replace("2 * x[i]", "2 * x[i] + (FAST == 1 && n == 1000 ? 0.5f : 0.0f)")
text = text.replace("return shape->dtype", """const int64_t n = pawl_shape_get(shape, "n");
  if (n == 1) return "one element"; /* with all parameters */
  if (FAST == 3 && n == 1000) return "few elements";
  return shape->dtype""")
kernel.write_text(text)
suite = Path("pawl.yaml")
text = suite.read_text().replace("sources: [kernels/scale_cpu.c]}", """sources: [kernels/scale_cpu.c],
    params: {PASSES: 12, FAST: 0},
    tune: {PASSES: [12, 3, 4], FAST: [0, WHICH], constraints: ["FAST == 0 or PASSES == 12"]}}""")
suite.write_text(text.replace("tiny: {operator: scale, n: 1000,", "tiny: {operator: scale, n: 40000,") +
                 "gate: {tolerate: 5%, detect: 30%, improve: 20%, max_blocks: 30, busy: count}\n")
PYTHON
sed -i "s/measure: {/measure: {cache: warm, isolation: off, /" pawl.yaml
failures() { sed -n '/^## What failed/,/^!/p' perf/out/tune/suggestions.md | grep '^| [0-9]'; }
for which in 1 2 3 4; do
  sed -i "s/FAST: \[0, [A-Z1234]*\]/FAST: [0, $which]/" pawl.yaml
  commit "FAST is $which"
  pawl -q tune scale_cpu --case tiny --strategy exhaustive --budget 60s | sed -e 's/is [0-9.]* times as fast/is many times as fast/' -e 's/ \[.*\]//'
  failures | sed -e 's/[0-9]* of [0-9]* elements.*/some elements/'
done
