# SPDX-License-Identifier: Apache-2.0
# A kernel that does half of its work except in the first and the last timed calls, whose outputs it expects somebody to
# compare. Cold, and warm where it says that its bits differ each time: pawl compares a call that the kernel cannot foresee.
# Of the 100 calls of each of six processes, the kernel is right in about 15: all six looks meet these once in 10^5 runs.
# Warm, where it says that its bits are the same each time: pawl compares the bits of all calls.
repository
honest=$(cat kernels/scale_cpu.c)
# bench CACHE FLAGS: the bench of the kernel that says so of its bits
bench() {
  python3 - "$honest" "$2" <<'PYTHON'
import sys
from pathlib import Path
text, flags = sys.argv[1:]
assert "    .flags = PAWL_KERNEL_DETERMINISTIC,\n" in text and "i < n; i++) y" in text
text = text.replace("PAWL_KERNEL_DETERMINISTIC", flags)
text = text.replace("  for (int64_t i = 0; i < n; i++) y", """  static int calls;
  calls++;
  nanosleep(&(struct timespec){0, 1000000}, NULL); /* so that a sample is one call */
  for (int64_t i = 0; i < n; i += calls > 8 && calls < 94 ? 2 : 1) y""")
Path("kernels/scale_cpu.c").write_text("#define _GNU_SOURCE\n#include <time.h>\n" + text)
PYTHON
  sed -i "s/^measure:.*/measure: {warmup: 1, samples: 600, processes: 6, timeout: 30s, cache: $1}/" pawl.yaml
  pawl -q --json bench >"$SCRATCH/bench.json" || echo "(exit status $?)"
  echo "$1, $2"
  field "$SCRATCH/bench.json" results.0.outcome
  field "$SCRATCH/bench.json" results.0.reason | sed 's/or NaN:.*/or NaN/'
}
bench cold 0
bench warm 0
bench warm PAWL_KERNEL_DETERMINISTIC
