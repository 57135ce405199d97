/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sequential_json.h"

#include <math.h>

json_t *pawl_sequential_policy_to_json(const struct pawl_sequential_policy *policy) {
  json_t *object = json_object();
  if (policy->rule > 1) pawl_json_set_int(object, "rule", policy->rule);
  pawl_json_set_number(object, "tolerate", policy->tolerate);
  pawl_json_set_number(object, "detect", policy->detect);
  pawl_json_set_number(object, "false_alarm", policy->false_alarm);
  pawl_json_set_number(object, "miss", policy->miss);
  pawl_json_set_int(object, "max_blocks", policy->max_blocks);
  pawl_json_set_int(object, "comparisons", policy->comparisons);
  return object;
}

pawl_status pawl_sequential_policy_from_json(const json_t *object, const char *name,
                                             struct pawl_sequential_policy *out,
                                             struct pawl_error *err) {
  long long rule, max_blocks, comparisons;
  if (!json_is_object(object))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'policy' is missing", name);
  PAWL_TRY(pawl_json_get_int(object, "rule", name, 1, &rule,
                             err)); /* documents from before rule 2 name none */
  PAWL_TRY(pawl_json_get_number(object, "tolerate", name, NAN, &out->tolerate, err));
  PAWL_TRY(pawl_json_get_number(object, "detect", name, NAN, &out->detect, err));
  PAWL_TRY(pawl_json_get_number(object, "false_alarm", name, NAN, &out->false_alarm, err));
  PAWL_TRY(pawl_json_get_number(object, "miss", name, NAN, &out->miss, err));
  PAWL_TRY(pawl_json_get_int(object, "max_blocks", name, 0, &max_blocks, err));
  PAWL_TRY(pawl_json_get_int(object, "comparisons", name, 0, &comparisons, err));
  if (max_blocks < 1 || max_blocks > PAWL_SIGN_MAX_BLOCKS || comparisons < 1 ||
      comparisons > 1000000)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: 'policy' has an impossible number of blocks or comparisons", name);
  if (rule < 1 || rule > PAWL_SEQUENTIAL_RULE)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'policy' is of rule %lld; this pawl knows 1 to %d",
                     name, rule, PAWL_SEQUENTIAL_RULE);
  out->rule = (int)rule;
  out->max_blocks = (int)max_blocks;
  out->comparisons = (int)comparisons;
  return PAWL_OK;
}
