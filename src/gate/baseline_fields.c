/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/baseline_fields.h"

#define ENTRY(name, rule) \
  { #name, rule, offsetof(struct pawl_baseline_entry, name), 0 }
const struct pawl_field pawl_baseline_names[PAWL_BASELINE_NAMES] = {
    ENTRY(kernel_name, PAWL_FIELD_STRING),
    ENTRY(case_name, PAWL_FIELD_STRING),
    ENTRY(hardware, PAWL_FIELD_STRING),
};
const struct pawl_field pawl_baseline_figures[PAWL_BASELINE_FIGURES] = {
    ENTRY(median_ms, PAWL_FIELD_TIME),
    ENTRY(ci_95_low, PAWL_FIELD_TIME),
    ENTRY(ci_95_high, PAWL_FIELD_TIME),
    ENTRY(process_ci_95_low, PAWL_FIELD_TIME),
    ENTRY(process_ci_95_high, PAWL_FIELD_TIME),
    ENTRY(process_fastest_ms, PAWL_FIELD_TIME),
    ENTRY(throughput_gflops, PAWL_FIELD_AMOUNT),
    ENTRY(bandwidth_gb_s, PAWL_FIELD_AMOUNT),
    {"held_up", PAWL_FIELD_FLAG, offsetof(struct pawl_baseline_entry, held_up), .left_out = true},
    {"clean_flush", PAWL_FIELD_FLAG, offsetof(struct pawl_baseline_entry, clean_flush),
     .left_out = true},
    {"samples_ms", PAWL_FIELD_TIMES, offsetof(struct pawl_baseline_entry, samples_ms),
     offsetof(struct pawl_baseline_entry, sample_count)},
    ENTRY(git_commit, PAWL_FIELD_COMMIT),
    ENTRY(timestamp, PAWL_FIELD_STRING),
    ENTRY(toolchain, PAWL_FIELD_STRING),
    ENTRY(code_hash, PAWL_FIELD_STRING),
    ENTRY(reason, PAWL_FIELD_STRING),
};
#define CODE(name, rule) \
  { #name, rule, offsetof(struct pawl_code, name), .max = PAWL_FIELD_MOST }
const struct pawl_field pawl_baseline_code_fields[PAWL_BASELINE_CODE] = {
    CODE(arch, PAWL_FIELD_NAME),         CODE(registers, PAWL_FIELD_COUNT),
    CODE(spill_bytes, PAWL_FIELD_COUNT), CODE(local_bytes, PAWL_FIELD_COUNT),
    CODE(stack_bytes, PAWL_FIELD_COUNT), CODE(shared_bytes, PAWL_FIELD_COUNT),
    CODE(code_bytes, PAWL_FIELD_COUNT),  CODE(occupancy_pct, PAWL_FIELD_AMOUNT),
};
#define MOVE(name, rule) \
  { #name, rule, offsetof(struct pawl_baseline_move, name), 0 }
const struct pawl_field pawl_move_names[PAWL_BASELINE_NAMES] = {
    MOVE(kernel_name, PAWL_FIELD_STRING),
    MOVE(case_name, PAWL_FIELD_STRING),
    MOVE(hardware, PAWL_FIELD_STRING),
};
const struct pawl_field pawl_move_figures[PAWL_BASELINE_MOVE_FIGURES] = {
    MOVE(from_ms, PAWL_FIELD_TIME),      MOVE(to_ms, PAWL_FIELD_TIME),
    MOVE(git_commit, PAWL_FIELD_COMMIT), MOVE(timestamp, PAWL_FIELD_STRING),
    MOVE(reason, PAWL_FIELD_STRING),
};

static const char *move_kind_name(int number) {
  return pawl_move_kind_name((enum pawl_move_kind)number);
}
static const struct pawl_field move_step_rows[] = {
    {"kind", PAWL_FIELD_CHOICE, offsetof(struct pawl_baseline_move, kind), .lenient = true,
     .name_of = move_kind_name, .names = PAWL_MOVE_ACCEPTED + 1},
    MOVE(from_ms, PAWL_FIELD_TIME),
    MOVE(to_ms, PAWL_FIELD_TIME),
    MOVE(git_commit, PAWL_FIELD_NAME),
    MOVE(timestamp, PAWL_FIELD_NAME),
    MOVE(reason, PAWL_FIELD_STRING),
};
const struct pawl_fields pawl_move_step_fields =
    PAWL_FIELDS(move_step_rows, struct pawl_baseline_move, .init = NULL);

void pawl_baseline_entry_init(struct pawl_baseline_entry *entry) {
  *entry = (struct pawl_baseline_entry){0};
  pawl_fields_init(pawl_baseline_figures, PAWL_BASELINE_FIGURES, entry);
  pawl_fields_init(pawl_baseline_code_fields, PAWL_BASELINE_CODE, &entry->code);
}
