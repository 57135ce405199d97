/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schema/selftest.schema.json. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/selftest.h"
#include "gate/sequential_json.h"

static json_t *tally_to_json(const struct pawl_selftest *selftest, double change) {
  struct pawl_selftest_tally tally;
  pawl_selftest_tally(selftest, change, &tally);
  json_t *object = json_object();
  pawl_json_set_number(object, "injected_pct", change * 100);
  pawl_json_set_int(object, "trials", tally.trials);
  pawl_json_set_int(object, "regression", tally.decisions[PAWL_DECISION_REGRESSION]);
  pawl_json_set_int(object, "improvement", tally.decisions[PAWL_DECISION_IMPROVEMENT]);
  pawl_json_set_int(object, "maintained", tally.decisions[PAWL_DECISION_MAINTAINED]);
  pawl_json_set_int(object, "inconclusive", tally.decisions[PAWL_DECISION_INCONCLUSIVE]);
  pawl_json_set_number(object, "called_pct", tally.rate * 100);
  pawl_json_set_number(object, "called_low_pct", tally.low * 100);
  pawl_json_set_number(object, "called_high_pct", tally.high * 100);
  pawl_json_set_number(object, "median_blocks", tally.median_blocks);
  return object;
}

static json_t *trial_to_json(const struct pawl_selftest_trial *trial) {
  json_t *object = json_object();
  char seed[24]; /* as text: not every reader of JSON keeps 64 bits */
  snprintf(seed, sizeof seed, "%" PRIu64, trial->seed);
  pawl_json_set_number(object, "injected_pct", trial->change * 100);
  pawl_json_set_string(object, "seed", seed);
  pawl_json_set_string(object, "answer", pawl_decision_name(trial->decision));
  pawl_json_set_int(object, "blocks", (long long)trial->blocks);
  pawl_json_set_int(object, "spoiled", (long long)trial->spoiled);
  pawl_json_set_number(object, "slowdown_pct", trial->slowdown * 100);
  pawl_json_set_number(object, "block_sd", trial->block_sd);
  return object;
}

json_t *pawl_selftest_to_json(const struct pawl_selftest *selftest) {
  json_t *object = json_object(), *summary = json_array(), *trials = json_array();
  pawl_json_set_int(object, "schema_version", PAWL_SELFTEST_SCHEMA);
  pawl_json_set_string(object, "kernel_name", selftest->kernel_name);
  pawl_json_set_string(object, "case", selftest->case_name);
  pawl_json_set_string(object, "hardware", selftest->hardware);
  pawl_json_set_string(object, "hardware_name", selftest->hardware_name);
  pawl_json_set_string(object, "code_hash", selftest->code_hash);
  pawl_json_set_string(object, "timestamp", selftest->timestamp);
  pawl_json_set(object, "policy", pawl_sequential_policy_to_json(&selftest->policy));
  pawl_json_set_int(object, "samples", selftest->samples);
  pawl_json_set_number(object, "base_ms", selftest->base_ms);
  pawl_json_set_number(object, "delay_ms", selftest->delay_ms);
  pawl_json_set_number(object, "seconds", selftest->seconds);
  pawl_json_set_bool(object, "calibration_failed", pawl_selftest_failed(selftest));
  pawl_json_set_number(object, "chance", pawl_selftest_chance(selftest));
  for (int i = 0; i < PAWL_SELFTEST_CHANGES; i++)
    json_array_append_new(summary, tally_to_json(selftest, pawl_selftest_changes[i]));
  for (size_t i = 0; i < selftest->count; i++)
    json_array_append_new(trials, trial_to_json(&selftest->trials[i]));
  pawl_json_set(object, "summary", summary);
  pawl_json_set(object, "trials", trials);
  return object;
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

static pawl_status trial_from_json(const json_t *item, const char *name,
                                   struct pawl_selftest_trial *out, struct pawl_error *err) {
  const char *decision, *seed;
  long long blocks, spoiled;
  if (!json_is_object(item))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'trials' must hold objects", name);
  PAWL_TRY(pawl_json_get_number(item, "injected_pct", name, NAN, &out->change, err));
  PAWL_TRY(pawl_json_get_string(item, "seed", name, "0", &seed, err));
  PAWL_TRY(pawl_json_get_string(item, "answer", name, NULL, &decision, err));
  PAWL_TRY(pawl_json_get_int(item, "blocks", name, 0, &blocks, err));
  PAWL_TRY(pawl_json_get_int(item, "spoiled", name, 0, &spoiled, err));
  PAWL_TRY(pawl_json_get_number(item, "slowdown_pct", name, NAN, &out->slowdown, err));
  PAWL_TRY(pawl_json_get_number(item, "block_sd", name, NAN, &out->block_sd, err));
  if (!pawl_decision_parse(decision, &out->decision) || out->decision == PAWL_DECISION_CONTINUE ||
      blocks < 0 || spoiled < 0 || isnan(out->change))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: a trial without a change, an answer or a number of blocks", name);
  out->change /= 100;
  out->slowdown /= 100;
  out->seed = strtoull(seed, NULL, 10);
  out->blocks = (size_t)blocks;
  out->spoiled = (size_t)spoiled;
  return PAWL_OK;
}

static pawl_status text_from_json(const json_t *object, const char *key, const char *name,
                                  struct pawl_arena *arena, const char **out,
                                  struct pawl_error *err) {
  const char *text;
  PAWL_TRY(pawl_json_get_string(object, key, name, NULL, &text, err));
  *out = pawl_arena_copy(arena, text);
  return PAWL_OK;
}

pawl_status pawl_selftest_from_json(const json_t *object, const char *name,
                                    struct pawl_arena *arena, struct pawl_selftest *out,
                                    struct pawl_error *err) {
  struct pawl_selftest selftest = {0};
  const json_t *trials = json_object_get(object, "trials");
  long long samples;
  if (!json_is_array(trials) || json_array_size(trials) > PAWL_SELFTEST_MAX_TRIALS)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: no array 'trials', or it is too long; did pawl selftest write the file?",
                     name);
  PAWL_TRY(text_from_json(object, "kernel_name", name, arena, &selftest.kernel_name, err));
  PAWL_TRY(text_from_json(object, "case", name, arena, &selftest.case_name, err));
  PAWL_TRY(text_from_json(object, "hardware", name, arena, &selftest.hardware, err));
  PAWL_TRY(text_from_json(object, "hardware_name", name, arena, &selftest.hardware_name, err));
  PAWL_TRY(text_from_json(object, "code_hash", name, arena, &selftest.code_hash, err));
  PAWL_TRY(text_from_json(object, "timestamp", name, arena, &selftest.timestamp, err));
  if (!selftest.kernel_name || !selftest.case_name)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: no 'kernel_name' or no 'case'", name);
  PAWL_TRY(pawl_sequential_policy_from_json(json_object_get(object, "policy"), name,
                                            &selftest.policy, err));
  PAWL_TRY(pawl_json_get_int(object, "samples", name, 0, &samples, err));
  PAWL_TRY(pawl_json_get_number(object, "base_ms", name, NAN, &selftest.base_ms, err));
  PAWL_TRY(pawl_json_get_number(object, "delay_ms", name, NAN, &selftest.delay_ms, err));
  PAWL_TRY(pawl_json_get_number(object, "seconds", name, 0, &selftest.seconds, err));
  selftest.samples = samples >= 0 && samples < 1000000 ? (int)samples : 0;
  selftest.count = json_array_size(trials);
  selftest.trials = pawl_arena_alloc(arena, selftest.count + 1, sizeof *selftest.trials);
  for (size_t i = 0; i < selftest.count; i++)
    PAWL_TRY(trial_from_json(json_array_get(trials, i), name, &selftest.trials[i], err));
  *out = selftest;
  return PAWL_OK;
}
