/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sequential_json.h"

/* Documents from before rule 2 name no rule. */
static json_t *write_rule(const void *source) {
  const struct pawl_sequential_policy *policy = source;
  return policy->rule > 1 ? json_integer(policy->rule) : NULL;
}

static pawl_status read_rule(const json_t *value, const struct pawl_json_path *path,
                             struct pawl_arena *arena, void *target, struct pawl_error *err) {
  (void)arena;
  const long long rule = json_integer_value(value); /* 0: it is no integer */
  if (rule < 1 || rule > PAWL_SEQUENTIAL_RULE)
    return pawl_json_path_fail(path, NULL, PAWL_BAD_DATA, err,
                               "must be a rule that this pawl knows, 1 to %d",
                               PAWL_SEQUENTIAL_RULE);
  ((struct pawl_sequential_policy *)target)->rule = (int)rule;
  return PAWL_OK;
}

static void init_policy(void *target) { ((struct pawl_sequential_policy *)target)->rule = 1; }

static pawl_status sequential_json_check_policy(void *target, const struct pawl_json_path *path,
                                                struct pawl_error *err) {
  const struct pawl_sequential_policy *policy = target;
  if (policy->max_blocks < 1 || policy->max_blocks > PAWL_SIGN_MAX_BLOCKS ||
      policy->comparisons < 1 || policy->comparisons > 1000000)
    return pawl_json_path_fail(path, NULL, PAWL_BAD_DATA, err,
                               "has an impossible number of blocks or comparisons");
  return PAWL_OK;
}

#define POLICY(name, rule, ...) \
  { #name, PAWL_FIELD_##rule, offsetof(struct pawl_sequential_policy, name), __VA_ARGS__ }
static const struct pawl_field policy_rows[] = {
    POLICY(rule, OWN, .left_out = true, .write = write_rule, .read = read_rule),
    POLICY(tolerate, NUMBER, 0),
    POLICY(detect, NUMBER, 0),
    POLICY(false_alarm, NUMBER, 0),
    POLICY(miss, NUMBER, 0),
    POLICY(max_blocks, INT, 0),
    POLICY(comparisons, INT, 0),
    POLICY(discovery, FLAG, .left_out = true),
};
const struct pawl_fields pawl_sequential_policy_fields =
    PAWL_FIELDS(policy_rows, struct pawl_sequential_policy, .init = init_policy,
                .check = sequential_json_check_policy);
