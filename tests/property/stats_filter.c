/* SPDX-License-Identifier: Apache-2.0 */
/* Answers one request a line, so that stats_against_scipy.py can compare random samples with scipy:
     describe N X...            -> median mean std min max p95 p99 cv
     compare N X... M Y...      -> u p exact delta
     percentile FRACTION N X... -> value
     processes N X...         -> low high confidence
     bootstrap RESAMPLES SEED CONFIDENCE N X...   -> low high
   Numbers in and out are hexadecimal floats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/bootstrap.h"
#include "stats/cliffs.h"
#include "stats/describe.h"
#include "stats/mannwhitney.h"
#include "stats/process_interval.h"
#include "stats/sort.h"

static double next_number(void) {
  char word[64];
  if (scanf("%63s", word) != 1) exit(2);
  return strtod(word, NULL);
}

static double *next_samples(size_t *count) {
  *count = (size_t)next_number();
  double *samples = pawl_alloc(*count, sizeof *samples);
  for (size_t i = 0; i < *count; i++) samples[i] = next_number();
  return samples;
}

static void answer_describe(void) {
  size_t n;
  PAWL_CLEANUP(pawl_free_pointer) double *x = next_samples(&n);
  struct pawl_summary s;
  struct pawl_error err;
  if (pawl_summarize(x, n, &s, &err)) {
    printf("error %s\n", err.message);
    return;
  }
  printf("%a %a %a %a %a %a %a %a\n", s.median, s.mean, s.std, s.min, s.max, s.p95, s.p99, s.cv);
}

static void answer_compare(void) {
  size_t n, m;
  PAWL_CLEANUP(pawl_free_pointer) double *x = next_samples(&n);
  PAWL_CLEANUP(pawl_free_pointer) double *y = next_samples(&m);
  struct pawl_mann_whitney test;
  double delta;
  struct pawl_error err;
  if (pawl_mann_whitney(x, n, y, m, &test, &err) || pawl_cliffs_delta(x, n, y, m, &delta, &err)) {
    printf("error %s\n", err.message);
    return;
  }
  printf("%a %a %d %a\n", test.u, test.p, test.exact, delta);
}

static void answer_percentile(void) {
  const double fraction = next_number();
  size_t n;
  PAWL_CLEANUP(pawl_free_pointer) double *x = next_samples(&n), *sorted = NULL;
  struct pawl_error err;
  if (pawl_sorted_copy(x, n, &sorted, &err))
    printf("error %s\n", err.message);
  else
    printf("%a\n", pawl_quantile(sorted, n, fraction));
}

static void answer_process_interval(void) {
  size_t count;
  double *medians = next_samples(&count), low, high;
  pawl_process_interval(medians, count, &low, &high);
  printf("%a %a %a\n", low, high, pawl_process_interval_confidence(count));
  free(medians);
}

static void answer_bootstrap(void) {
  const double resamples = next_number(), seed = next_number(), confidence = next_number();
  size_t n;
  PAWL_CLEANUP(pawl_free_pointer) double *x = next_samples(&n);
  double low, high;
  struct pawl_error err;
  if (pawl_bootstrap_median_ci(x, n, confidence, (uint32_t)resamples, (uint64_t)seed, &low, &high,
                               &err)) {
    printf("error %s\n", err.message);
    return;
  }
  printf("%a %a\n", low, high);
}

int main(void) {
  char request[16];
  while (scanf("%15s", request) == 1) {
    if (strcmp(request, "describe") == 0)
      answer_describe();
    else if (strcmp(request, "compare") == 0)
      answer_compare();
    else if (strcmp(request, "percentile") == 0)
      answer_percentile();
    else if (strcmp(request, "processes") == 0)
      answer_process_interval();
    else if (strcmp(request, "bootstrap") == 0)
      answer_bootstrap();
    else
      return 2;
    fflush(stdout);
  }
  return 0;
}
