/* SPDX-License-Identifier: Apache-2.0 */
/* The document claims.json: docs/schema/claims.schema.json. */
#include "sweep/claims.h"

static const char *sweep_verdict_word(int number) {
  return pawl_sweep_verdict_name((enum pawl_sweep_verdict)number);
}
#define CLAIM(name, rule, ...) \
  { #name, PAWL_FIELD_##rule, offsetof(struct pawl_sweep_claim, name), __VA_ARGS__ }
static const struct pawl_field claim_rows[] = {
    CLAIM(kernel, NAME, .required = true),
    CLAIM(reference, NAME, .required = true),
    {"case", PAWL_FIELD_NAME, offsetof(struct pawl_sweep_claim, case_name), .required = true},
    CLAIM(device, NAME, .required = true),
    CLAIM(verdict, CHOICE, .required = true, .names = PAWL_SWEEP_VERDICTS,
          .name_of = sweep_verdict_word),
    CLAIM(reason, STRING, 0),
    CLAIM(blocks, SIZE, .required = true),
    CLAIM(kernel_ms, TIME, 0),
    CLAIM(reference_ms, TIME, 0),
    CLAIM(speedup, TIME, 0),
    CLAIM(low, TIME, 0),
    CLAIM(high, TIME, 0),
    CLAIM(cliffs_delta, NUMBER, 0),
    CLAIM(block_sd, AMOUNT, 0),
    CLAIM(detectable, AMOUNT, 0),
    CLAIM(charged, TIME, 0),
};
const struct pawl_fields pawl_sweep_claim_fields =
    PAWL_FIELDS(claim_rows, struct pawl_sweep_claim, 0);

#define TIME(name, rule, ...) \
  { #name, PAWL_FIELD_##rule, offsetof(struct pawl_sweep_time, name), __VA_ARGS__ }
static const struct pawl_field time_rows[] = {
    TIME(arm, NAME, .required = true),
    {"case", PAWL_FIELD_NAME, offsetof(struct pawl_sweep_time, case_name), .required = true},
    TIME(device, NAME, .required = true),
    TIME(outcome, CHOICE, .required = true, .names = PAWL_OUTCOMES, .name_of = pawl_outcome_word),
    TIME(reason, STRING, 0),
    TIME(blocks, SIZE, .required = true),
    TIME(median_ms, TIME, 0),
    TIME(low_ms, TIME, 0),
    TIME(high_ms, TIME, 0),
    TIME(gflops, AMOUNT, 0),
    TIME(gb_s, AMOUNT, 0),
    TIME(limit, NAME, 0),
    TIME(limit_pct, AMOUNT, 0),
    TIME(warning, STRING, 0),
};
const struct pawl_fields pawl_sweep_time_fields = PAWL_FIELDS(time_rows, struct pawl_sweep_time, 0);

#define MEAN(name, rule, ...) \
  { #name, PAWL_FIELD_##rule, offsetof(struct pawl_sweep_mean, name), __VA_ARGS__ }
static const struct pawl_field mean_rows[] = {
    MEAN(kernel, NAME, .required = true),
    MEAN(reference, NAME, .required = true),
    MEAN(device, NAME, .required = true),
    MEAN(points, SIZE, 0),
    MEAN(faster, SIZE, 0),
    MEAN(slower, SIZE, 0),
    MEAN(undecided, SIZE, 0),
    MEAN(failed, SIZE, 0),
    MEAN(blocks, SIZE, 0),
    MEAN(speedup, TIME, 0),
    MEAN(low, TIME, 0),
    MEAN(high, TIME, 0),
};
const struct pawl_fields pawl_sweep_mean_fields = PAWL_FIELDS(mean_rows, struct pawl_sweep_mean, 0);

#define CLAIMS(name, counted, list)                                                              \
  {                                                                                              \
    .key = #name, .rule = PAWL_FIELD_LIST, .offset = offsetof(struct pawl_sweep_claims, name),   \
    .count_offset = offsetof(struct pawl_sweep_claims, counted), .required = true, .table = list \
  }
static const struct pawl_field claims_rows[] = {
    {"schema_version", PAWL_FIELD_VERSION, 0, .required = true, .max = PAWL_SWEEP_SCHEMA},
    {"complete", PAWL_FIELD_SIZE, offsetof(struct pawl_sweep_claims, complete), .required = true},
    {"confidence", PAWL_FIELD_NUMBER, offsetof(struct pawl_sweep_claims, confidence),
     .required = true},
    CLAIMS(means, mean_count, &pawl_sweep_mean_fields),
    CLAIMS(claims, claim_count, &pawl_sweep_claim_fields),
    CLAIMS(times, time_count, &pawl_sweep_time_fields),
};
const struct pawl_fields pawl_sweep_claims_fields =
    PAWL_FIELDS(claims_rows, struct pawl_sweep_claims, 0);
