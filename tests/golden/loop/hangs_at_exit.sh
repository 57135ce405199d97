# SPDX-License-Identifier: Apache-2.0
# A kernel whose destructor never returns: pawl names it once, ends it, and its results stand.
# Takes long.
repository
sed -i 's/processes: 6, timeout: 2s/processes: 2, timeout: 30s/' pawl.yaml
cat >>kernels/scale_cpu.c <<'C'
#include <unistd.h>
__attribute__((destructor)) static void stay(void) {
  for (;;) pause();
}
C
try pawl check --case tiny
pawl bench >/dev/null 2>"$SCRATCH/bench.err"
grep -c "did not exit within 2 s" "$SCRATCH/bench.err"
