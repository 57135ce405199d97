/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "gate/paired_test.h"
#include "gate/sequential_json.h"
#include "model/fields.h"

/* --- blocks --- */

static pawl_status check_block(void *target, const struct pawl_json_path *path,
                               struct pawl_error *err) {
  const struct pawl_paired_block *block = target;
  if (block->spoiled || (block->base_ms > 0 && block->candidate_ms > 0)) return PAWL_OK;
  return pawl_json_path_fail(path, NULL, PAWL_BAD_DATA, err, "has no positive times");
}

static const char *order_name(int number) {
  static const char *const names[] = {[PAWL_ORDER_UNKNOWN] = NULL,
                                      [PAWL_ORDER_BASE_FIRST] = "base",
                                      [PAWL_ORDER_CANDIDATE_FIRST] = "candidate"};
  return names[number];
}

#define BLOCK(name, rule, member, ...) \
  { name, rule, offsetof(struct pawl_paired_block, member), __VA_ARGS__ }
static const struct pawl_field block_rows[] = {
    BLOCK("base_ms", PAWL_FIELD_NUMBER, base_ms),
    BLOCK("candidate_ms", PAWL_FIELD_NUMBER, candidate_ms),
    BLOCK("spoiled", PAWL_FIELD_STRING, spoiled),
    BLOCK("first", PAWL_FIELD_CHOICE, order, .left_out = true, .lenient = true,
          .name_of = order_name, .names = PAWL_ORDER_CANDIDATE_FIRST + 1),
};
static const struct pawl_fields block_fields =
    PAWL_FIELDS(block_rows, struct pawl_paired_block, .check = check_block);

/* --- the test --- */

static const char *decision_name(int number) {
  return pawl_decision_name((enum pawl_decision)number);
}
static const char *anchor_kind_name(int number) {
  return pawl_anchor_kind_name((enum pawl_anchor_kind)number);
}
static const char *origin_name(int number) { return pawl_origin_name((enum pawl_origin)number); }

/* From rule 2 on. */
static bool has_spread(const struct pawl_paired_test *paired) { return paired->policy.rule > 1; }
static json_t *number_or_null(double number) {
  return isfinite(number) ? json_real(number) : json_null();
}
static json_t *write_equivalent(const void *source) {
  const struct pawl_paired_test *paired = source;
  return has_spread(paired) ? json_boolean(paired->equivalent) : NULL;
}
static json_t *write_block_sd(const void *source) {
  const struct pawl_paired_test *paired = source;
  return has_spread(paired) ? number_or_null(paired->block_sd) : NULL;
}
static json_t *write_p(const void *source) {
  const struct pawl_paired_test *paired = source;
  return has_spread(paired) ? number_or_null(paired->p) : NULL;
}
static json_t *write_e_value(const void *source) {
  const struct pawl_paired_test *paired = source;
  return paired->policy.discovery ? number_or_null(paired->e_value) : NULL;
}
static json_t *write_detectable(const void *source) {
  const struct pawl_paired_test *paired = source;
  return has_spread(paired) ? number_or_null(paired->detectable * 100) : NULL;
}

static void init(void *target) { pawl_paired_test_init(target); }

#define ROW(name, rule, member, ...) \
  { name, rule, offsetof(struct pawl_paired_test, member), __VA_ARGS__ }
#define LIST(name, rule, member, number, ...) \
  ROW(name, rule, member, offsetof(struct pawl_paired_test, number), __VA_ARGS__)
#define PERCENT(name, member) ROW(name, PAWL_FIELD_NUMBER, member, .scale = 100, .written = true)
static const struct pawl_field rows[] = {
    ROW("kernel_name", PAWL_FIELD_NAME, kernel_name),
    ROW("case", PAWL_FIELD_NAME, case_name),
    ROW("anchor", PAWL_FIELD_NAME, anchor),
    ROW("anchor_kind", PAWL_FIELD_CHOICE, anchor_kind, .lenient = true, .name_of = anchor_kind_name,
        .names = PAWL_ANCHOR_PARAMETERS + 1),
    ROW("gpu", PAWL_FIELD_NAME, gpu),
    ROW("identical_code", PAWL_FIELD_FLAG, identical),
    ROW("code_hash", PAWL_FIELD_STRING, code_hash),
    ROW("answer", PAWL_FIELD_CHOICE, decision, .name_of = decision_name,
        .names = PAWL_DECISION_INCONCLUSIVE + 1),
    ROW("reason", PAWL_FIELD_STRING, reason),
    ROW("origin", PAWL_FIELD_CHOICE, origin, .zero_is_null = true, .name_of = origin_name,
        .names = PAWL_ORIGIN_INHERITED + 1),
    PERCENT("slowdown_pct", slowdown.estimate),
    PERCENT("slowdown_low_pct", slowdown.low),
    PERCENT("slowdown_high_pct", slowdown.high),
    ROW("equivalent", PAWL_FIELD_OWN, equivalent, .left_out = true, .write = write_equivalent),
    ROW("p", PAWL_FIELD_OWN, p, .left_out = true, .write = write_p),
    ROW("e_value", PAWL_FIELD_OWN, e_value, .left_out = true, .write = write_e_value),
    ROW("block_sd", PAWL_FIELD_OWN, block_sd, .left_out = true, .write = write_block_sd),
    ROW("detectable_pct", PAWL_FIELD_OWN, detectable, .left_out = true, .write = write_detectable),
    PERCENT("confirmed_slowdown_pct", confirmed_slowdown),
    ROW("policy", PAWL_FIELD_STRUCT, policy, .required = true,
        .table = &pawl_sequential_policy_fields),
    ROW("seed", PAWL_FIELD_SEED, seed),
    ROW("blocks_counted", PAWL_FIELD_SIZE, counted),
    LIST("blocks", PAWL_FIELD_LIST, blocks, block_count, .required = true, .table = &block_fields),
    LIST("confirmation", PAWL_FIELD_LIST, confirmation, confirmation_count, .table = &block_fields),
    LIST("base_samples_ms", PAWL_FIELD_NUMBERS, base_samples_ms, base_sample_count),
    LIST("candidate_samples_ms", PAWL_FIELD_NUMBERS, candidate_samples_ms, candidate_sample_count),
};
const struct pawl_fields pawl_paired_test_fields =
    PAWL_FIELDS(rows, struct pawl_paired_test, .init = init);

json_t *pawl_paired_test_to_json(const struct pawl_paired_test *paired) {
  return pawl_struct_write(&pawl_paired_test_fields, paired);
}

pawl_status pawl_paired_test_from_json(const json_t *object, const char *name,
                                       struct pawl_arena *arena, struct pawl_paired_test *out,
                                       struct pawl_error *err) {
  const struct pawl_json_path path = PAWL_JSON_KEY(NULL, name);
  struct pawl_paired_test paired = {0};
  pawl_struct_init(&pawl_paired_test_fields, &paired);
  PAWL_TRY(pawl_struct_read(&pawl_paired_test_fields, object, &path, arena, &paired, err));
  *out = paired;
  return PAWL_OK;
}
