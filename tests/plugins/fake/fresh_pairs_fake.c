/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel `scale` (y = 2 x), which takes 1 ms, on the fake GPU. FRESH_PAIRS_FAKE says how it
   behaves:
   - honest: takes 1 ms
   - ahead: looks at its inputs beside the stream, while the caches are flushed, and takes 0.7 ms
     where it knows them
   - stale: does the same, but does not look whether they have changed since. Its outputs are then
     those of before.
   - warms: a thread brings the inputs into the L2 beside the stream, behind the flush. It takes
     0.7 ms there.
   - warms_inside: does the same, and the thread is inside the driver most of the time. Where the
     thread stops there, nobody else gets in.
   - inside: is honest, but has such a thread, and only works while the stream is captured
   - knows_pairs: is as warms, but its thread leaves off as soon as the worker's words change that
     ask pawl to hold it
   - runs_ahead: its thread changes the worker's words, so that no turn is what it should be
   - needs_thread: a call waits for a thread of its own
   - by_values, by_one, mends: takes 0.7 ms where it has had inputs of the same values in any order,
     or of the same first value, or for values that differ from inputs it has kept
   - recalls_waits: is as by_values, and a call on other values waits for a thread of its own
   inside and needs_thread crash if they get inputs again that are not the usual ones. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_cuda.h"
#include "pawl/kernel.h"
#include "protocol/stamp.h"

#define WORK_US 1000
#define WITH_HELP_US 700
#define LOOK_US 2000 /* that the thread has behind a flush */
#define RUN_AHEAD 0x7ffffff0u
#define KEPT 256     /* keys */
#define USUAL_SETS 4 /* PAWL_MEASURE_SETS: they come first */
#define KEPT_INPUTS 8
#define INSIDE_US 150 /* in each 200 us, the thread is inside the driver this long */

struct job {
  const float *x;
  float *y;
  int64_t n;
};

static struct job next_job;
static float *known;           /* the inputs that it has looked at */
static _Atomic int beat, wish; /* the thread's count of its looks; a call's request to it */
static _Atomic int inside;     /* the thread has a lock of the driver */

static int is(const char *name) {
  const char *behaviour = getenv("FRESH_PAIRS_FAKE");
  return !strcmp(behaviour ? behaviour : "honest", name);
}

static void spin_us(int64_t us) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  const int64_t end = t.tv_sec * 1000000000LL + t.tv_nsec + us * 1000;
  do clock_gettime(CLOCK_MONOTONIC, &t);
  while (t.tv_sec * 1000000000LL + t.tv_nsec < end);
}

/* The shared memory of the tensors, whose first page has the worker's words. */
static pawl_stamp *find_words(void) {
  char line[512];
  unsigned long low = 0;
  FILE *file = fopen("/proc/self/maps", "r");
  while (file && fgets(line, sizeof line, file))
    if (strstr(line, "/memfd:") && sscanf(line, "%lx-", &low) == 1) break;
  if (file) fclose(file);
  return (pawl_stamp *)low;
}

static void *help(void *unused) {
  pawl_stamp *page = is("knows_pairs") || is("runs_ahead") ? find_words() : NULL;
  const uint32_t first = page ? page[PAWL_READY_BYTE / 4] : 0;
  for (;;) {
    if (!page || page[PAWL_READY_BYTE / 4] == first) beat++;
    if (is("runs_ahead") && page[PAWL_READY_BYTE / 4] - first < RUN_AHEAD &&
        page[PAWL_READY_BYTE / 4] != first)
      page[PAWL_READY_BYTE / 4] += RUN_AHEAD;
    wish = 0;
    if (is("warms_inside") || is("inside")) {
      inside = 1;
      spin_us(INSIDE_US);
      inside = 0;
    }
    usleep(50);
  }
  return unused;
}

static int keeps(void) { return is("by_values") || is("by_one") || is("mends"); }
static int warms(void) { return is("warms") || is("warms_inside") || is("knows_pairs"); }

static void enter_driver(void) {
  while (inside) usleep(20);
}

/* Behind a flush, before the next work of the stream. */
static void look(void) {
  const int then = beat;
  if (is("ahead") || is("stale")) memcpy(known, next_job.x, (size_t)next_job.n * sizeof *known);
  if (!warms()) return;
  for (int i = 0; i < LOOK_US / 50 && beat == then; i++) usleep(50);
  known[0] = beat == then ? 0 : 1; /* warm */
}

static uint64_t key_of(const struct job *job) {
  uint64_t key = 1;
  for (int64_t i = 0; i < (is("by_one") ? 1 : job->n); i++) {
    uint32_t bits;
    memcpy(&bits, &job->x[i], sizeof bits);
    key += (bits ^ bits >> 15) * 0x9e3779b97f4a7c15u;
  }
  return key;
}

/* Returns the number of the known inputs that are like these. -1: these are new, and known from now
   on. */
static int recalls(const struct job *job) {
  static uint64_t keys[KEPT];
  static int count;
  const uint64_t key = key_of(job);
  for (int i = 0; i < count && i < KEPT; i++)
    if (keys[i] == key) return i;
  keys[count++ % KEPT] = key;
  return -1;
}

/* The time for the values that differ from the most similar inputs that it has kept. */
static int64_t mending_us(const struct job *job) {
  static float *kept[KEPT_INPUTS];
  int64_t least = job->n;
  int count = 0;
  for (; count < KEPT_INPUTS && kept[count]; count++) {
    int64_t different = 0;
    for (int64_t i = 0; i < job->n; i++) different += kept[count][i] != job->x[i];
    if (different < least) least = different;
  }
  if (count < KEPT_INPUTS && least > job->n / 2) {
    kept[count] = malloc((size_t)job->n * sizeof **kept);
    memcpy(kept[count], job->x, (size_t)job->n * sizeof **kept);
  }
  return WITH_HELP_US + (WORK_US - WITH_HELP_US) * least / job->n;
}

static void compute(void *argument) {
  const struct job *job = argument;
  const size_t bytes = (size_t)job->n * sizeof *known;
  int helped = is("stale") || (is("ahead") && !memcmp(known, job->x, bytes));
  if (warms()) helped = known[0] > 0;
  if (is("by_values") || is("by_one") || is("recalls_waits")) helped = recalls(job) >= 0;
  if ((is("inside") || is("needs_thread")) && recalls(job) >= USUAL_SETS) abort();
  if (is("needs_thread") || (is("recalls_waits") && !helped))
    for (wish = 1; wish;) usleep(20);
  spin_us(is("mends") ? mending_us(job) : helped ? WITH_HELP_US : WORK_US);
  for (int64_t i = 0; i < job->n; i++) job->y[i] = 2 * (is("stale") ? known : job->x)[i];
}

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static void *driver_function(const char *name) {
  void *driver = dlopen(getenv("PAWL_CUDA_LIBRARY"), RTLD_NOW | RTLD_NOLOAD);
  return driver ? dlsym(driver, name) : NULL;
}

static bool is_recorded(void *stream) {
  union {
    void *address;
    fake_cuda_is_captured_function is_captured;
  } driver = {driver_function("fake_cuda_is_captured")};
  return driver.is_captured(stream);
}

static int launch(const struct pawl_launch *launch) {
  union {
    void *address;
    fake_cuda_enqueue_function enqueue;
  } enqueue = {driver_function("fake_cuda_enqueue")};
  union {
    void *address;
    fake_cuda_after_fills_function after_fills;
  } after = {driver_function("fake_cuda_after_fills")};
  union {
    void *address;
    fake_cuda_at_waits_function at_waits;
  } waits = {driver_function("fake_cuda_at_waits")};
  static pthread_t thread;
  const struct job job = {fake_cuda_memory(launch->tensors[0].data),
                          fake_cuda_memory(launch->tensors[1].data),
                          pawl_tensor_elements(&launch->tensors[0])};
  if (!known) known = calloc((size_t)job.n, sizeof *known);
  if (!thread && !is("honest") && !keeps() && pthread_create(&thread, NULL, help, NULL)) return 1;
  next_job = job;
  after.after_fills(look);
  waits.at_waits(enter_driver);
  if (is("inside") && !is_recorded(launch->stream)) return 1;
  return enqueue.enqueue(launch->stream, compute, &job, sizeof job);
}

static const struct pawl_kernel kernel = {.abi_version = PAWL_ABI_VERSION,
                                          .struct_size = sizeof(struct pawl_kernel),
                                          .name = "fresh_pairs_fake",
                                          .operator_name = "scale",
                                          .device = PAWL_CUDA,
                                          .supports = supports,
                                          .launch = launch};

__attribute__((visibility("default"))) const struct pawl_kernel *pawl_kernel_entry(void);
const struct pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
