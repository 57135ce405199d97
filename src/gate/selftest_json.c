/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schema/selftest.schema.json. */
#include <math.h>

#include "gate/selftest.h"
#include "gate/sequential_json.h"

#define ROW(type, name, rule, member, ...) \
  { name, PAWL_FIELD_##rule, offsetof(struct type, member), __VA_ARGS__ }

/* --- the summary --- */

#define TALLY(...) ROW(pawl_selftest_tally, __VA_ARGS__)
static const struct pawl_field tally_rows[] = {
    TALLY("injected_pct", NUMBER, change, .scale = 100),
    TALLY("trials", INT, trials),
    TALLY("regression", INT, decisions[PAWL_DECISION_REGRESSION]),
    TALLY("improvement", INT, decisions[PAWL_DECISION_IMPROVEMENT]),
    TALLY("maintained", INT, decisions[PAWL_DECISION_MAINTAINED]),
    TALLY("inconclusive", INT, decisions[PAWL_DECISION_INCONCLUSIVE]),
    TALLY("called_pct", NUMBER, rate, .scale = 100),
    TALLY("called_low_pct", NUMBER, low, .scale = 100),
    TALLY("called_high_pct", NUMBER, high, .scale = 100),
    TALLY("median_blocks", NUMBER, median_blocks),
};
const struct pawl_fields pawl_selftest_tally_fields =
    PAWL_FIELDS(tally_rows, struct pawl_selftest_tally, NULL);

static json_t *write_summary(const void *selftest) {
  json_t *summary = json_array();
  for (int i = 0; i < PAWL_SELFTEST_CHANGES; i++) {
    struct pawl_selftest_tally tally;
    pawl_selftest_tally(selftest, pawl_selftest_changes[i], &tally);
    json_array_append_new(summary, pawl_struct_write(&pawl_selftest_tally_fields, &tally));
  }
  return summary;
}

/* --- the trials --- */

static const char *trial_answer_name(int number) {
  return pawl_decision_name((enum pawl_decision)number);
}
static pawl_status check_trial(void *target, const struct pawl_json_path *path,
                               struct pawl_error *err) {
  const struct pawl_selftest_trial *trial = target;
  if (trial->decision != PAWL_DECISION_CONTINUE) return PAWL_OK;
  return pawl_json_path_fail(path, "answer", PAWL_BAD_DATA, err, "is no answer");
}

#define TRIAL(...) ROW(pawl_selftest_trial, __VA_ARGS__)
static const struct pawl_field trial_rows[] = {
    TRIAL("injected_pct", NUMBER, change, .required = true, .scale = 100),
    TRIAL("seed", SEED, seed, .text = true),
    TRIAL("answer", CHOICE, decision, .required = true, .name_of = trial_answer_name,
          .names = PAWL_DECISION_INCONCLUSIVE + 1),
    TRIAL("blocks", SIZE, blocks),
    TRIAL("spoiled", SIZE, spoiled),
    TRIAL("slowdown_pct", NUMBER, slowdown, .scale = 100),
    TRIAL("block_sd", NUMBER, block_sd),
};
static const struct pawl_fields trial_fields =
    PAWL_FIELDS(trial_rows, struct pawl_selftest_trial, .check = check_trial);

/* --- the whole --- */

static json_t *write_failed(const void *selftest) {
  return json_boolean(pawl_selftest_failed(selftest));
}
static json_t *write_chance(const void *selftest) {
  const double chance = pawl_selftest_chance(selftest);
  return isfinite(chance) ? json_real(chance) : NULL;
}

#define SELFTEST(...) ROW(pawl_selftest, __VA_ARGS__)
static const struct pawl_field selftest_rows[] = {
    {"schema_version", PAWL_FIELD_VERSION, .max = PAWL_SELFTEST_SCHEMA},
    SELFTEST("kernel_name", STRING, kernel_name, .required = true),
    SELFTEST("case", STRING, case_name, .required = true),
    SELFTEST("hardware", STRING, hardware),
    SELFTEST("hardware_name", STRING, hardware_name),
    SELFTEST("code_hash", STRING, code_hash),
    SELFTEST("timestamp", STRING, timestamp),
    SELFTEST("policy", STRUCT, policy, .required = true, .table = &pawl_sequential_policy_fields),
    SELFTEST("samples", INT, samples),
    SELFTEST("base_ms", NUMBER, base_ms),
    SELFTEST("delay_ms", NUMBER, delay_ms),
    SELFTEST("seconds", NUMBER, seconds),
    SELFTEST("calibration_failed", OWN, trials, .write = write_failed),
    SELFTEST("chance", OWN, trials, .write = write_chance),
    SELFTEST("summary", OWN, trials, .write = write_summary),
    SELFTEST("trials", LIST, trials, offsetof(struct pawl_selftest, count), .required = true,
             .max = PAWL_SELFTEST_MAX_TRIALS, .table = &trial_fields),
};
const struct pawl_fields pawl_selftest_fields =
    PAWL_FIELDS(selftest_rows, struct pawl_selftest, NULL);

json_t *pawl_selftest_to_json(const struct pawl_selftest *selftest) {
  return pawl_struct_write(&pawl_selftest_fields, selftest);
}

json_t *pawl_selftests_to_json(const struct pawl_selftest *selftests, size_t count) {
  if (count == 1) return pawl_selftest_to_json(selftests);
  json_t *object = json_object(), *items = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(items, pawl_selftest_to_json(&selftests[i]));
  pawl_json_set_int(object, "schema_version", PAWL_SELFTEST_SCHEMA);
  pawl_json_set(object, "selftests", items);
  return object;
}

pawl_status pawl_selftest_from_json(const json_t *object, const char *name,
                                    struct pawl_arena *arena, struct pawl_selftest *out,
                                    struct pawl_error *err) {
  const struct pawl_json_path path = PAWL_JSON_KEY(NULL, name);
  struct pawl_selftest selftest = {0};
  pawl_struct_init(&pawl_selftest_fields, &selftest);
  PAWL_TRY(pawl_struct_read(&pawl_selftest_fields, object, &path, arena, &selftest, err));
  if (isnan(selftest.seconds)) selftest.seconds = 0;
  *out = selftest;
  return PAWL_OK;
}
