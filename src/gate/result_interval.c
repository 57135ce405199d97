/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/result_interval.h"

#include <math.h>

#include "base/memory.h"
#include "stats/describe.h"
#include "stats/process_interval.h"

size_t pawl_result_process_medians(const struct pawl_result *result, double *medians) {
  size_t count = 0;
  for (size_t i = 0; i < result->process_count; i++) {
    const struct pawl_process_samples *process = &result->processes[i];
    struct pawl_summary summary;
    if (pawl_summarize(process->samples_ms, process->count, &summary, NULL) == PAWL_OK)
      medians[count++] = summary.median;
  }
  return count;
}

bool pawl_result_interval(const struct pawl_result *result, double *low, double *high) {
  PAWL_CLEANUP(pawl_free_pointer)
  double *medians = pawl_alloc(result->process_count + 1, sizeof *medians);
  const size_t count = pawl_result_process_medians(result, medians);
  if (count == 0) {
    *low = result->performance.ci_95_low;
    *high = result->performance.ci_95_high;
    return false;
  }
  pawl_process_interval(medians, count, low, high);
  if (pawl_result_held_up(result) && result->performance.process_ci_95_low < *low)
    *low = result->performance.process_ci_95_low; /* the shortest possible times */
  return true;
}

bool pawl_result_held_up(const struct pawl_result *result) {
  return json_integer_value(json_object_get(result->environment, PAWL_HELD_UP)) > 0;
}

bool pawl_result_flushed_clean(const struct pawl_result *result) {
  return json_is_true(json_object_get(result->environment, PAWL_CLEAN_FLUSH));
}

void pawl_result_fastest(const struct pawl_result *result, double *least, double *greatest) {
  size_t count = 0;
  double low = INFINITY, high = 0;
  for (size_t i = 0; i < result->process_count; i++) {
    const struct pawl_process_samples *process = &result->processes[i];
    double fastest = INFINITY;
    for (size_t j = 0; j < process->count; j++) fastest = fmin(fastest, process->samples_ms[j]);
    if (!process->count) continue;
    count++;
    low = fmin(low, fastest);
    high = fmax(high, fastest);
  }
  *least = count < PAWL_PROCESS_INTERVAL_LEAST ? NAN : low;
  *greatest = count < PAWL_PROCESS_INTERVAL_LEAST ? NAN : high;
}
