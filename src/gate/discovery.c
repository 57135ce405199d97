/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/discovery.h"

#include <math.h>

#include "stats/sort.h"

/* An e-value that rounding moved below its limit still reaches it. */
#define ROUNDING (1 - 1e-9)

bool pawl_discovery_has(const struct pawl_paired_test *test) {
  return test->policy.discovery && !test->identical && !isnan(test->e_value);
}

/* Returns the least e-value that is called, or INFINITY. */
static double least_called(struct pawl_paired_test *const *tests, size_t count) {
  PAWL_CLEANUP(pawl_free_pointer) double *values = pawl_alloc(count + 1, sizeof *values);
  size_t n = 0;
  double comparisons = 0, false_alarm = 1, least = INFINITY;
  for (size_t i = 0; i < count; i++) {
    if (!pawl_discovery_has(tests[i])) continue;
    values[n++] = tests[i]->e_value;
    comparisons = fmax(comparisons, tests[i]->policy.comparisons);
    false_alarm = fmin(false_alarm, tests[i]->policy.false_alarm);
  }
  comparisons = fmax(comparisons, (double)n);
  pawl_sort_doubles(values, n);
  for (size_t called = 1; called <= n; called++) {
    const double limit = comparisons / ((double)called * false_alarm) * ROUNDING;
    if (values[n - called] >= limit) least = limit;
  }
  return least;
}

void pawl_paired_tests_discover(struct pawl_paired_test *const *tests, size_t count) {
  const double least = least_called(tests, count);
  for (size_t i = 0; i < count; i++) {
    struct pawl_paired_test *test = tests[i];
    if (!pawl_discovery_has(test) || !(test->e_value >= least)) continue;
    if (test->decision != PAWL_DECISION_CONTINUE && test->decision != PAWL_DECISION_INCONCLUSIVE)
      continue;
    test->decision =
        test->slowdown.estimate > 0 ? PAWL_DECISION_REGRESSION : PAWL_DECISION_IMPROVEMENT;
    test->reason = "proven beside the other changes of the run, not alone";
  }
}
