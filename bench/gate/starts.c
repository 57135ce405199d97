/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of a sandbox for a worker at its start and at its end: medians over STARTS of each kind,
   in turns. starts PLUGIN STARTS [cuda]      PAWL_WORKER names pawl-worker where it is not beside
   this program */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "stats/sort.h"
#include "worker/worker.h"

struct kind {
  enum pawl_isolate isolate;
  double *start_ms, *end_ms;
  enum pawl_isolation isolation;
  unsigned bounds;
};

static pawl_status start_once(struct kind *kind, const char *plugin, bool cuda, int number,
                              struct pawl_error *err) {
  struct pawl_worker *worker;
  const struct pawl_worker_options options = {.isolate = kind->isolate,
                                              .driver = PAWL_DRIVER_PLUGIN,
                                              .role = PAWL_ROLE_KERNEL,
                                              .name = "start",
                                              .plugin = plugin,
                                              .cuda = cuda,
                                              .timeout_seconds = 60};
  const int64_t begin = pawl_clock_ns();
  PAWL_TRY(pawl_worker_start(&worker, &options, err));
  const int64_t started = pawl_clock_ns();
  kind->isolation = pawl_worker_isolation(worker);
  kind->bounds = (unsigned)pawl_worker_bounds(worker);
  pawl_worker_free(worker);
  kind->start_ms[number] = (double)(started - begin) * 1e-6;
  kind->end_ms[number] = pawl_seconds_since(started) * 1e3;
  return PAWL_OK;
}

static void print(struct kind *kind, size_t count) {
  double *const lists[] = {kind->start_ms, kind->end_ms};
  printf("isolation %-5s bounds %u:", pawl_isolation_name(kind->isolation), kind->bounds);
  for (int i = 0; i < 2; i++) {
    pawl_sort_doubles(lists[i], count);
    printf(" %s %.2f ms [%.2f, %.2f]", i ? "end" : "start", lists[i][count / 2],
           lists[i][count / 4], lists[i][count - 1 - count / 4]);
    pawl_free(lists[i]);
  }
  putchar('\n');
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4 || atoi(argv[2]) < 1) return PAWL_USAGE;
  const int count = atoi(argv[2]);
  struct kind kinds[] = {{.isolate = PAWL_ISOLATE_OFF}, {.isolate = PAWL_ISOLATE_AVAILABLE}};
  struct pawl_error err = {0};
  for (int k = 0; k < 2; k++) {
    kinds[k].start_ms = pawl_alloc((size_t)count, sizeof(double));
    kinds[k].end_ms = pawl_alloc((size_t)count, sizeof(double));
  }
  for (int i = 0; i < 2 * count; i++) {
    if (start_once(&kinds[i % 2], argv[1], argc == 4, i / 2, &err) == PAWL_OK) continue;
    fprintf(stderr, "starts: %s\n", err.message);
    return (int)err.code;
  }
  for (int k = 0; k < 2; k++) print(&kinds[k], (size_t)count);
  return 0;
}
