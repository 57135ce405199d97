# SPDX-License-Identifier: Apache-2.0
# A kernel that says that its bits differ each time, and does half of its work except in the first and the last timed
# calls, whose outputs it expects somebody to compare: pawl compares a call that the kernel cannot foresee. Of the 100
# calls of each of six processes, the kernel is right in about 15: all six looks meet these once in 10^5 runs.
repository
python3 - <<'PYTHON'
from pathlib import Path
path = Path("kernels/scale_cpu.c")
text = path.read_text()
assert "    .flags = PAWL_KERNEL_DETERMINISTIC,\n" in text and "i < n; i++) y" in text
text = text.replace("    .flags = PAWL_KERNEL_DETERMINISTIC,\n", "")
text = text.replace("  for (int64_t i = 0; i < n; i++) y", """  static int calls;
  calls++;
  for (int64_t i = 0; i < n; i += calls > 6 && calls < 96 ? 2 : 1) y""")
path.write_text(text)
path = Path("pawl.yaml")
path.write_text(path.read_text().replace("warmup: 1, samples: 12, processes: 6", "warmup: 1, samples: 600, processes: 6"))
PYTHON
pawl -q --json bench >"$SCRATCH/bench.json" || echo "(exit status $?)"
field "$SCRATCH/bench.json" results.0.outcome
field "$SCRATCH/bench.json" results.0.reason | sed 's/or NaN:.*/or NaN/'
