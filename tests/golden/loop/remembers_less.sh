# SPDX-License-Identifier: Apache-2.0
# Needs true times.
# Kernels that remember in ways that are hard to find: none of them is measured as faster than its work, which takes
# 0.3 ms, or it is wrong.
repository
honest=$(cat kernels/scale_cpu.c)
# cheat NAME BEFORE-LAUNCH AT-BEGIN: the kernel with this code; it must call works() to do the work
cheat() {
  python3 - "$honest" "$2" "$3" <<'PYTHON'
import sys
from pathlib import Path
text, before, begin = sys.argv[1:]
at = text.index("static int launch")
head, rest = text[at:].split("\n}\n", 1)
works = head.replace("launch", "works", 1).replace("  return 0;", """  struct timespec wait = {0, 300000};
  nanosleep(&wait, NULL);
  return 0;""")
Path("kernels/scale_cpu.c").write_text(
    "#include <stdlib.h>\n#include <string.h>\n#include <sys/resource.h>\n#include <time.h>\n" + text[:at] + works + "\n}\n"
    + before + "\nstatic int launch(const struct pawl_launch *call) {\n" + begin + "\n}\n" + rest)
PYTHON
  pawl -q --json bench >"$SCRATCH/bench.json" || true
  python3 - "$1" "$SCRATCH/bench.json" <<'PYTHON'
import json, sys
row = json.load(open(sys.argv[2]))["results"][0]
median = row["performance"]["median_ms"]
print(sys.argv[1] + ":", "wrong" if row["outcome"] == "wrong" else "gains nothing" if median >= 0.3 else row)
PYTHON
}
memory='static struct { float *x, *y; } known[64];
static int count, honest;
static int find(const struct pawl_launch *call) {
  const size_t bytes = (size_t)call->tensors[0].size[0] * sizeof(float);
  for (int i = 0; i < 64; i++)
    if (known[i].x && !memcmp(known[i].x, call->tensors[0].data, bytes)) return i;
  return -1;
}
static int learn(const struct pawl_launch *call) {
  const size_t bytes = (size_t)call->tensors[0].size[0] * sizeof(float);
  const int i = count++ % 64;
  works(call);
  free(known[i].x), free(known[i].y);
  known[i].x = memcpy(malloc(bytes), call->tensors[0].data, bytes);
  known[i].y = memcpy(malloc(bytes), call->tensors[1].data, bytes);
  return 0;
}
static int recall(const struct pawl_launch *call, int i) {
  memcpy(call->tensors[1].data, known[i].y, (size_t)call->tensors[0].size[0] * sizeof(float));
  return 0;
}'
cheat "honest after the first miss" "$memory" '  static int calls;
  const int i = honest ? -1 : find(call);
  if (i >= 0) return recall(call, i);
  if (calls++ >= 4) honest = 1; /* four sets are learned */
  return learn(call);'
cheat "computes in the warm-up" "$memory" '  const int i = find(call);
  return i >= 0 ? recall(call, i) : learn(call);'
cheat "by address within a request" "$memory" '  static struct { void *at; long when; int entry; } by[64];
  static int places;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage); /* a request makes the worker wait */
  for (int i = 0; i < places; i++)
    if (by[i].at == call->tensors[0].data && by[i].when == usage.ru_nvcsw / 8) return recall(call, by[i].entry);
  learn(call);
  if (places == 64) places = 0;
  getrusage(RUSAGE_SELF, &usage);
  by[places].at = call->tensors[0].data, by[places].when = usage.ru_nvcsw / 8, by[places++].entry = (count - 1) % 64;
  return 0;'
cheat "mends what it remembers" "$memory" '  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data;
  const int64_t n = call->tensors[0].size[0];
  for (int i = 0; i < 64; i++) {
    int other = 0;
    for (int64_t j = 0; known[i].x && j < n; j++) other += known[i].x[j] != x[j];
    if (!known[i].x || other > 64) continue; /* a few elements have changed places */
    for (int64_t j = 0; j < n; j++) y[j] = known[i].x[j] == x[j] ? known[i].y[j] : 2 * x[j];
    return 0;
  }
  return learn(call);'
