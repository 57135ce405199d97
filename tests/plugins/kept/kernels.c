/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the operator `kept`. Their work takes 1 ms of a CPU, or 30 ms. The cheats keep what
   they computed, and find it by a key without an order, by one value, or by what differs. The
   honest ones keep a plan, branch by their data, or do not care for the order. KERNEL names the one
   that a plug-in has. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pawl/kernel.h>

#include "kept.h"

#define ENTRIES 64

static enum kept_kind kind;
static float *x, *y;
static int64_t n, results;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

static void burn(double share) {
  const int64_t begin = now();
  while ((double)(now() - begin) < share * 1e9 * WORK_SECONDS(n)) {
  }
}

static int ascending(const void *a, const void *b) {
  const float p = *(const float *)a, q = *(const float *)b;
  return (p > q) - (p < q);
}

static void compute(void) {
  const int64_t side = (int64_t)sqrt((double)n);
  double value = kind == KEPT_MAX ? -INFINITY : 0;
  for (int64_t i = 0; i < n && kind == KEPT_NORM; i++) value += (double)x[i] * x[i];
  for (int64_t i = 0; i < n && kind == KEPT_MAX; i++) value = x[i] > value ? x[i] : value;
  if (kind == KEPT_NORM) y[0] = (float)sqrt(value), y[1] = (float)value;
  if (kind == KEPT_MAX) y[0] = (float)value, y[1] = (float)(2 * value);
  for (int64_t i = 0; i < n && kind == KEPT_MAP; i++) y[i] = 2 * x[i];
  if (kind == KEPT_MATRIX || kind == KEPT_BINS) memset(y, 0, (size_t)results * sizeof *y);
  for (int64_t i = 0; i < n && kind == KEPT_MATRIX; i++)
    for (int64_t j = 0; j < side; j++) y[i / side * side + j] += x[i] * x[i % side * side + j];
  for (int64_t i = 0; i < n && kind == KEPT_BINS; i++) y[((const int32_t *)(const void *)x)[i]]++;
  float *sorted = kind == KEPT_SORT ? y : x;
  if (kind != KEPT_SORT && kind != KEPT_IN_PLACE) return;
  if (kind == KEPT_SORT) memcpy(y, x, (size_t)n * sizeof *x);
  qsort(sorted, (size_t)n, sizeof *sorted, ascending);
  if (kind == KEPT_IN_PLACE) y[0] = (float)n;
}

static inline int honest(void) {
  burn(1);
  compute();
  return 0;
}

static struct {
  uint64_t key;
  float *x, *y;
} kept[ENTRIES];
static int count;

static uint64_t bits_of(int64_t i) {
  uint32_t bits;
  memcpy(&bits, &x[i], sizeof bits);
  return (bits + 1) * 0x9e3779b97f4a7c15u;
}

/* The same for every order of the values. */
static uint64_t unordered_key(void) {
  uint64_t key = 1;
  for (int64_t i = 0; i < n; i++) key += bits_of(i) ^ bits_of(i) >> 29;
  return key;
}

static uint64_t ordered_key(void) {
  uint64_t key = 1;
  for (int64_t i = 0; i < n; i++) key = (key ^ bits_of(i)) * 0xff51afd7ed558ccdu;
  return key | 1;
}

static int find(uint64_t key) {
  for (int i = 0; i < ENTRIES; i++)
    if (kept[i].key == key) return i;
  return -1;
}

static float *copy(const float *from, int64_t values) {
  return memcpy(malloc((size_t)values * sizeof *from), from, (size_t)values * sizeof *from);
}

static void keep(uint64_t key) {
  const int i = count++ % ENTRIES;
  free(kept[i].x), free(kept[i].y);
  kept[i].x = n < LARGE ? copy(x, n) : NULL;
  kept[i].y = copy(kind == KEPT_IN_PLACE ? x : y, kind == KEPT_IN_PLACE ? n : results);
  kept[i].key = key;
}

/* Gives the kept result in `share` of the time, or computes it. */
static int recall(uint64_t key, double share) {
  const int i = find(key);
  if (i < 0) {
    honest();
    keep(key);
    return 0;
  }
  burn(share);
  if (kind == KEPT_IN_PLACE) {
    memcpy(x, kept[i].y, (size_t)n * sizeof *x);
    y[0] = (float)n;
  } else {
    memcpy(y, kept[i].y, (size_t)results * sizeof *y);
  }
  return 0;
}

static inline int by_values(void) { return recall(unordered_key(), 0); }
static inline int by_content(void) { return recall(ordered_key(), 0); }
static inline int by_one_value(void) { return recall(bits_of(0) | 1, 0); }
/* It looks at 64 of all values. */
static inline int by_samples(void) {
  uint64_t key = 1;
  for (int64_t i = 0; i < n; i += (n + 63) / 64) key = (key ^ bits_of(i)) * 0xff51afd7ed558ccdu;
  return recall(key | 1, 0);
}
static inline int keeps_part(void) { return recall(ordered_key(), 1 / 1.4); }
static inline int keeps_little(void) { return recall(ordered_key(), 0.9); }

/* Computes what differs from kept inputs: each value, or a row of the matrix, costs its share. */
static inline int mends(void) {
  const int64_t side = kind == KEPT_MATRIX ? (int64_t)sqrt((double)n) : 1;
  int64_t least = n + 1;
  for (int e = 0; e < ENTRIES && kept[e].x; e++) {
    int64_t different = 0;
    for (int64_t i = 0; i < n; i++) different += kept[e].x[i] != x[i];
    if (different < least) least = different;
  }
  burn(fmin((double)least / (double)n, 1));
  compute();
  if (count < ENTRIES && (least > n / 2 || side > 1)) keep(1);
  return 0;
}

/* Keeps the result of an address, whatever its values are. */
static inline int by_address(void) { return recall((uint64_t)(uintptr_t)x, 0); }

/* The shared memory of x. */
static uint32_t *shared, *shared_end;

static bool find_shared(void) {
  char line[512];
  unsigned long low, high;
  FILE *file = shared ? NULL : fopen("/proc/self/maps", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "%lx-%lx", &low, &high) == 2 && (unsigned long)x >= low &&
        (unsigned long)x < high)
      shared = (uint32_t *)low, shared_end = (uint32_t *)high;
  if (!file) return false;
  fclose(file);
  return true;
}

/* Honest in the first process of a measurement, by the word of calls. */
static inline int later_by_words(void) {
  static bool later;
  if (find_shared()) later = *(const volatile uint32_t *)shared >= 40;
  return later ? by_values() : honest();
}

/* The same by a mark that its first process leaves in the page of words, and by outputs that nobody
   has written yet. */
static inline int later_by_outputs(void) {
  static bool later;
  if (find_shared()) {
    int64_t unwritten = 0;
    for (const uint32_t *word = shared; word < shared_end; word++) unwritten += *word == UINT32_MAX;
    later = shared[512] || unwritten <= results * 5 / 2;
    shared[512] = 1;
  }
  return later ? by_values() : honest();
}

/* A thread that works on inputs as soon as their first value changes. */
static struct {
  const float *x;
  float first;
  _Atomic int done;
} ahead[ENTRIES];
static double ahead_share = 1; /* its share of the work */

static void *work_ahead(void *unused) {
  for (;; usleep(50))
    for (int i = 0; i < ENTRIES && ahead[i].x; i++) {
      if (ahead[i].x[0] == ahead[i].first) continue;
      ahead[i].done = 0;
      ahead[i].first = ahead[i].x[0];
      burn(ahead_share);
      ahead[i].done = 1;
    }
  return unused;
}

/* Returns whether the thread has ended its work on x. */
static bool is_done_ahead(void) {
  static pthread_t thread;
  int i = 0;
  while (i < ENTRIES - 1 && ahead[i].x && ahead[i].x != x) i++;
  const bool done = ahead[i].done && ahead[i].first == x[0];
  ahead[i].x = x;
  if (!thread) pthread_create(&thread, NULL, work_ahead, NULL);
  return done;
}

/* Waits for that thread. */
static inline int helped(void) {
  while (!is_done_ahead()) sched_yield();
  compute();
  return 0;
}

/* The thread has a small part of the work. A call takes long where it has not ended that before. */
static inline int races(void) {
  ahead_share = 0.05;
  if (!is_done_ahead()) nanosleep(&(struct timespec){0, (long)(1e9 * RACE_SECONDS)}, NULL);
  compute();
  return 0;
}

/* Honest: a plan for each size, which costs as much as a call. */
static inline int plans_by_size(void) {
  static int64_t planned;
  static double *table;
  if (planned != n) {
    free(table);
    table = malloc((size_t)n * sizeof *table);
    for (int64_t i = 0; i < n; i++) table[i] = 2;
    burn(1);
    planned = n;
  }
  burn(1);
  for (int64_t i = 0; i < n; i++) y[i] = (float)(table[i] * (double)x[i]);
  return 0;
}

/* Honest: it sorts by insertion, with a branch for each comparison. */
static inline int sorts_by_branches(void) {
  memcpy(y, x, (size_t)n * sizeof *x);
  for (int64_t i = 1; i < n; i++) {
    const float value = y[i];
    int64_t j = i;
    for (; j > 0 && y[j - 1] > value; j--) y[j] = y[j - 1];
    y[j] = value;
  }
  return 0;
}

/* Honest: it stops early where a run of values is in order already. */
static inline int stops_early(void) {
  for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];
  for (int64_t i = 1; i < n && x[i] > x[i - 1]; i++) burn(0.01);
  burn(1);
  return 0;
}

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static int launch(const struct pawl_launch *call) {
  kind = (enum kept_kind)call->shape->dims[0].value;
  x = call->tensors[0].data;
  y = call->tensors[1].data;
  n = call->tensors[0].size[0];
  results = call->tensors[1].size[0];
  return KERNEL();
}

static const struct pawl_kernel kernel = {.abi_version = PAWL_ABI_VERSION,
                                          .struct_size = sizeof(struct pawl_kernel),
                                          .name = "kept_kernel",
                                          .operator_name = "kept",
                                          .device = PAWL_CPU,
                                          .flags = PAWL_KERNEL_DETERMINISTIC,
                                          .supports = supports,
                                          .launch = launch};

const struct pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
