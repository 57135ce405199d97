/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/bisect_report.h"

#include <stddef.h>

#include "model/fields.h"

static const char *const bisect_kind_names[PAWL_BISECT_KINDS] = {NULL, "time", "wrong",
                                                                 "registers"};

const char *pawl_bisect_kind_name(int kind) {
  return kind >= 0 && kind < PAWL_BISECT_KINDS ? bisect_kind_names[kind] : NULL;
}

#define ROW(type, name, rule, member, ...) \
  { name, PAWL_FIELD_##rule, offsetof(struct type, member), __VA_ARGS__ }
#define FIND(name, rule, ...) ROW(pawl_bisect_find, #name, rule, name, __VA_ARGS__)
#define REPORT(name, rule, ...) ROW(pawl_bisect_report, #name, rule, name, __VA_ARGS__)

static const struct pawl_field find_rows[] = {
    FIND(after, COMMIT),
    FIND(commit, COMMIT),
    FIND(commits, SIZE),
    FIND(probability, AMOUNT),
    FIND(author, STRING),
    FIND(subject, STRING),
    FIND(merge, COMMIT),
    FIND(merge_parent, SIZE, .zero_is_null = true),
    FIND(merge_subject, STRING),
    FIND(merge_alone, FLAG),
    FIND(proven, FLAG),
    ROW(pawl_bisect_find, "slowdown_pct", NUMBER, change, .scale = 100),
    ROW(pawl_bisect_find, "slowdown_low_pct", NUMBER, change_low, .scale = 100),
    ROW(pawl_bisect_find, "slowdown_high_pct", NUMBER, change_high, .scale = 100),
    FIND(before_ms, TIME),
    FIND(after_ms, TIME),
    FIND(registers_before, COUNT),
    FIND(registers_after, COUNT),
    FIND(reason, STRING),
};
static const struct pawl_fields find_fields = PAWL_FIELDS(find_rows, struct pawl_bisect_find, NULL);

static const struct pawl_field skip_rows[] = {
    ROW(pawl_bisect_skip, "commit", COMMIT, commit),
    ROW(pawl_bisect_skip, "reason", STRING, reason),
};
static const struct pawl_fields skip_fields = PAWL_FIELDS(skip_rows, struct pawl_bisect_skip, NULL);

static const struct pawl_field report_rows[] = {
    {"schema_version", PAWL_FIELD_VERSION, .max = 1},
    REPORT(kernel_name, NAME),
    ROW(pawl_bisect_report, "case", NAME, case_name),
    REPORT(good, COMMIT),
    REPORT(bad, COMMIT),
    REPORT(kind, CHOICE, .names = PAWL_BISECT_KINDS, .name_of = pawl_bisect_kind_name),
    ROW(pawl_bisect_report, "slowdown_pct", NUMBER, change, .scale = 100),
    ROW(pawl_bisect_report, "slowdown_low_pct", NUMBER, change_low, .scale = 100),
    ROW(pawl_bisect_report, "slowdown_high_pct", NUMBER, change_high, .scale = 100),
    REPORT(commits, SIZE),
    REPORT(measured, SIZE),
    REPORT(identical, SIZE),
    REPORT(blocks, SIZE),
    {"skipped", PAWL_FIELD_LIST, offsetof(struct pawl_bisect_report, skips),
     offsetof(struct pawl_bisect_report, skip_count), .table = &skip_fields},
    {"finds", PAWL_FIELD_LIST, offsetof(struct pawl_bisect_report, finds),
     offsetof(struct pawl_bisect_report, find_count), .table = &find_fields},
    REPORT(undecided, STRING),
};
const struct pawl_fields pawl_bisect_fields =
    PAWL_FIELDS(report_rows, struct pawl_bisect_report, NULL);
