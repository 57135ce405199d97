/* SPDX-License-Identifier: Apache-2.0 */
/* Accepts a loss by name and with a reason. */
#include <string.h>

#include "gate/baseline_fields.h"
#include "gate/outcome_verdict.h"

static const struct pawl_result *baseline_accept_result(const struct pawl_results *results,
                                                        const char *kernel_name,
                                                        const char *case_name) {
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *result = &results->items[i];
    if (result->kernel_name && strcmp(result->kernel_name, kernel_name) == 0 &&
        result->config.name && strcmp(result->config.name, case_name) == 0)
      return result;
  }
  return NULL;
}

static pawl_status check_acceptable(const struct pawl_results *results,
                                    const struct pawl_result *result, const char *kernel_name,
                                    const char *case_name, const char *reason,
                                    struct pawl_error *err) {
  if (!reason || reason[strspn(reason, " \t\r\n")] == '\0')
    return pawl_fail(err, PAWL_USAGE,
                     "cannot accept kernel '%s', case '%s' without a reason: give --reason",
                     kernel_name, case_name);
  if (!result)
    return pawl_fail(err, PAWL_USAGE,
                     "cannot accept kernel '%s', case '%s': it is not in the results", kernel_name,
                     case_name);
  if (!pawl_result_timed(result))
    return pawl_fail(
        err, PAWL_FAILED, "cannot accept kernel '%s', case '%s': it is wrong or has no time%s%s",
        kernel_name, case_name, result->reason ? ": " : "", result->reason ? result->reason : "");
  if (results->dirty)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "cannot accept kernel '%s', case '%s': the results come from a dirty tree; "
                     "commit, then measure",
                     kernel_name, case_name);
  return PAWL_OK;
}

pawl_status pawl_baseline_accept(struct pawl_baseline *baseline, const struct pawl_results *results,
                                 const char *kernel_name, const char *case_name, const char *reason,
                                 struct pawl_arena *arena, struct pawl_error *err) {
  const struct pawl_result *result = baseline_accept_result(results, kernel_name, case_name);
  PAWL_TRY(check_acceptable(results, result, kernel_name, case_name, reason, err));
  struct pawl_baseline_entry fresh;
  PAWL_CLEANUP(pawl_bootstrap_plans_release) struct pawl_bootstrap_plans plans = {0};
  PAWL_TRY(pawl_baseline_entry_make(result, results, reason, &plans, arena, &fresh, err));
  const struct pawl_baseline_entry *old =
      pawl_baseline_find(baseline, kernel_name, case_name, pawl_baseline_hardware(results));
  const size_t place = old ? (size_t)(old - baseline->entries) : baseline->count;
  *baseline = pawl_baseline_copy(baseline, 1, arena);
  pawl_baseline_put(baseline, place, &fresh, PAWL_MOVE_ACCEPTED);
  return PAWL_OK;
}
