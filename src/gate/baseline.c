/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/baseline.h"

#include <string.h>

#include "base/count.h"
#include "base/text.h"

static const char *const move_kinds[] = {"unknown", "new", "improvement", "accepted"};

const char *pawl_move_kind_name(enum pawl_move_kind kind) { return move_kinds[kind]; }

enum pawl_move_kind pawl_move_kind_parse(const char *name) {
  const int kind = pawl_name_index(move_kinds, PAWL_COUNT(move_kinds), name);
  return kind < 0 ? PAWL_MOVE_UNKNOWN : (enum pawl_move_kind)kind;
}

static int compare_names(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : ""); }

int pawl_baseline_compare_entries(const void *a, const void *b) {
  const struct pawl_baseline_entry *x = a, *y = b;
  int order = compare_names(x->kernel_name, y->kernel_name);
  if (order == 0) order = compare_names(x->case_name, y->case_name);
  return order != 0 ? order : compare_names(x->hardware, y->hardware);
}

const struct pawl_baseline_entry *pawl_baseline_find(const struct pawl_baseline *baseline,
                                                     const char *kernel_name, const char *case_name,
                                                     const char *hardware) {
  for (size_t i = 0; i < baseline->count; i++) {
    const struct pawl_baseline_entry *entry = &baseline->entries[i];
    if (compare_names(entry->kernel_name, kernel_name) == 0 &&
        compare_names(entry->case_name, case_name) == 0 &&
        compare_names(entry->hardware, hardware) == 0)
      return entry;
  }
  return NULL;
}

const struct pawl_code *pawl_baseline_code(const struct pawl_baseline *baseline,
                                           const char *kernel_name, const char *arch) {
  for (size_t i = 0; i < baseline->count; i++) {
    const struct pawl_baseline_entry *entry = &baseline->entries[i];
    if (entry->code.registers < 0 || compare_names(entry->kernel_name, kernel_name) != 0) continue;
    if (!arch || compare_names(entry->code.arch, arch) == 0) return &entry->code;
  }
  return NULL;
}
