# SPDX-License-Identifier: Apache-2.0
# Needs true times.
# A change that keeps 30 % of its work, where calls are warm, is no improvement beside its base.
repository
sed -i 's/^measure: {warmup: 1, samples: 12/gate: {busy: count}\nmeasure: {cache: warm, warmup: 4, samples: 24/' pawl.yaml
sleeps 5
commit "Sleep"
pawl -q run --against none --update-baseline >"$SCRATCH/out" 2>&1 || echo "(exit status $?)"
commit "Record the baseline"
python3 - <<'PYTHON'
from pathlib import Path
path = Path("kernels/scale_cpu.c")
text = path.read_text()
at = text.index("  nanosleep")
text = text[:at] + """  static struct { float x[1000]; int64_t n; } known[64];
  static int count;
  const size_t bytes = (size_t)n * sizeof *x;
  int i = 0;
  while (i < 64 && (known[i].n != n || memcmp(known[i].x, x, bytes))) i++;
  nanosleep(&(struct timespec){0, i < 64 ? 3500000 : 5000000}, NULL);
  if (i == 64) memcpy(known[count % 64].x, x, bytes), known[count++ % 64].n = n;
""" + text[text.index("\n", at) + 1:]
path.write_text("#include <string.h>\n" + text)
PYTHON
commit "Keep"
pawl run >"$SCRATCH/out" 2>&1 || echo "(exit status $?)"
grep -o "its times count 1.[34]" "$SCRATCH/out"
field perf/out/verdict.json verdict
