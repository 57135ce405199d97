# SPDX-License-Identifier: Apache-2.0
# Needs true times.
# Kernels whose helper works on the inputs of the next call while the cache is flushed. Their inputs change after that,
# while the helper is held: none is measured as faster than its work, which takes 0.3 ms.
repository
sed -i 's/samples: 12, processes: 6, timeout: 2s/samples: 8, processes: 1, timeout: 30s/' pawl.yaml
honest=$(cat kernels/scale_cpu.c)
# cheat NAME HELPER: the kernel with this code, which calls look() again and again where it is not timed
cheat() {
  python3 - "$honest" "$2" <<'PYTHON'
import sys
from pathlib import Path
text, helper = sys.argv[1:]
at = text.index("static int launch")
rest = text[at:].split("\n}\n", 1)[1]
Path("kernels/scale_cpu.c").write_text("""#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
""" + text[:at] + """
#define N 1000
/* Known results, shared with a process too. */
static struct memory { const float *x; float *y; float in[N], out[N]; atomic_int ready; } *known;
static void work(const float *x, float *y) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 300000);
  for (int i = 0; i < N; i++) y[i] = 2 * x[i];
}
/* Once over all buffers: works on those that have changed. */
static void look(void) {
  for (int i = 0; i < 8; i++) {
    struct memory *k = &known[i];
    if (!k->x || (k->ready && !memcmp(k->in, k->x, sizeof k->in))) continue;
    k->ready = 0;
    memcpy(k->in, k->x, sizeof k->in);
    work(k->in, k->out);
    k->ready = 1;
  }
}
""" + helper + """
static int launch(const struct pawl_launch *call) {
  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data;
  if (call->tensors[0].size[0] != N) {
    for (int64_t i = 0; i < call->tensors[0].size[0]; i++) y[i] = 2 * x[i];
    return 0;
  }
  if (!known) {
    known = mmap(NULL, 8 * sizeof *known, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    begin();
  }
  for (int i = 0; i < 8; i++) {
    struct memory *k = &known[i];
    if (!k->x) k->x = x;
    if (k->x != x) continue;
    if (k->ready && !memcmp(k->in, x, sizeof k->in)) return memcpy(y, k->out, sizeof k->out), 0;
    break;
  }
  work(x, y);
  return 0;
}
""" + rest)
PYTHON
  pawl -q --json bench >"$SCRATCH/bench.json" || true
  python3 - "$1" "$SCRATCH/bench.json" <<'PYTHON'
import json, sys
row = json.load(open(sys.argv[2]))["results"][0]
slow = row["outcome"] == "ok" and row["performance"]["median_ms"] >= 0.3
found_out = row["outcome"] == "wrong" and "it stores results" in row["reason"]  # where the helper is not in time
print(sys.argv[1] + ":", "gains nothing" if slow or found_out else row)
PYTHON
}
cheat "a thread" '
static void *help(void *unused) {
  for (;;) look(), usleep(50);
  return unused;
}
static void begin(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, help, NULL);
}'
cheat "a process" '
static void begin(void) {
  if (fork() == 0)
    for (setsid();;) look(), usleep(50);
}'
