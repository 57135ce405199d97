/* SPDX-License-Identifier: Apache-2.0 */
/* Times one statistic: stats_bench OPERATION REPEATS FILE [FILE]; each file holds little-endian
   doubles. Prints the seconds of each call on one line, then the result. Every call starts from
   raw, unsorted samples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "stats/bootstrap.h"
#include "stats/cliffs.h"
#include "stats/mannwhitney.h"
#include "stats/sort.h"

enum { LARGEST = 1 << 20 };

struct arms {
  const double *x, *y;
  size_t x_count, y_count;
};

static pawl_status bootstrap(const struct arms *arms, double result[2], struct pawl_error *err) {
  return pawl_bootstrap_median_ci(arms->x, arms->x_count, PAWL_BOOTSTRAP_CONFIDENCE,
                                  PAWL_BOOTSTRAP_RESAMPLES, PAWL_BOOTSTRAP_SEED, &result[0],
                                  &result[1], err);
}

/* 100 sample sets by one plan: how commands that compare many configurations do it. */
static pawl_status bootstrap_shared(const struct arms *arms, double result[2],
                                    struct pawl_error *err) {
  struct pawl_bootstrap_plan plan PAWL_CLEANUP(pawl_bootstrap_plan_release) = {0};
  PAWL_TRY(pawl_bootstrap_plan_init(&plan, arms->x_count, PAWL_BOOTSTRAP_RESAMPLES,
                                    PAWL_BOOTSTRAP_SEED, err));
  for (int i = 0; i < 100; i++) {
    double *sorted PAWL_CLEANUP(pawl_free_pointer) = NULL;
    PAWL_TRY(pawl_sorted_copy(arms->x, arms->x_count, &sorted, err));
    PAWL_TRY(pawl_bootstrap_plan_apply(&plan, sorted, PAWL_BOOTSTRAP_CONFIDENCE, &result[0],
                                       &result[1], err));
  }
  return PAWL_OK;
}

static pawl_status mann_whitney(const struct arms *arms, double result[2], struct pawl_error *err) {
  struct pawl_mann_whitney test;
  PAWL_TRY(pawl_mann_whitney(arms->x, arms->x_count, arms->y, arms->y_count, &test, err));
  result[0] = test.u;
  result[1] = test.p;
  return PAWL_OK;
}

static pawl_status cliffs_delta(const struct arms *arms, double result[2], struct pawl_error *err) {
  return pawl_cliffs_delta(arms->x, arms->x_count, arms->y, arms->y_count, &result[0], err);
}

static const struct {
  const char *name;
  pawl_status (*call)(const struct arms *, double result[2], struct pawl_error *);
} operations[] = {{"bootstrap", bootstrap},
                  {"bootstrap-shared", bootstrap_shared},
                  {"mann-whitney", mann_whitney},
                  {"cliffs-delta", cliffs_delta}};

static double *read_samples(const char *path, size_t *count) {
  FILE *const file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "cannot open '%s'\n", path);
    exit(PAWL_NO_INPUT);
  }
  double *const samples = pawl_alloc(LARGEST, sizeof *samples);
  *count = fread(samples, sizeof *samples, LARGEST, file);
  fclose(file);
  return samples;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: stats_bench OPERATION REPEATS FILE [FILE]\n");
    return PAWL_USAGE;
  }
  struct arms arms = {0};
  double *const x = read_samples(argv[3], &arms.x_count), *const y = read_samples(argv[argc - 1],
                                                                                  &arms.y_count);
  arms.x = x;
  arms.y = y;
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    if (strcmp(argv[1], operations[i].name) != 0) continue;
    double result[2] = {0};
    struct pawl_error err;
    for (long repeat = strtol(argv[2], NULL, 10); repeat > 0; repeat--) {
      const int64_t start = pawl_clock_ns();
      if (operations[i].call(&arms, result, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return (int)err.code;
      }
      printf("%.9f ", (double)(pawl_clock_ns() - start) * 1e-9);
    }
    printf("\n%.17g %.17g\n", result[0], result[1]);
    pawl_free(x);
    pawl_free(y);
    return 0;
  }
  fprintf(stderr, "unknown operation '%s'\n", argv[1]);
  return PAWL_USAGE;
}
