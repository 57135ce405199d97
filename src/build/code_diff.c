/* SPDX-License-Identifier: Apache-2.0 */
#include "build/code_diff.h"

#include <stdlib.h>
#include <string.h>

static void count_side(struct pawl_function_change *change, int side,
                       const struct pawl_function_code *function, struct pawl_arena *arena) {
  for (size_t i = 0; function && i < function->count; i++)
    pawl_code_count_add(change, side, &function->items[i], arena);
}

static int change_by_weight(const void *a, const void *b) {
  const struct pawl_function_change *x = a, *y = b;
  const int order = pawl_code_change_weight(y) - pawl_code_change_weight(x);
  return order ? order : strcmp(x->name, y->name);
}

static void compare_functions(const struct pawl_function_code *base,
                              const struct pawl_function_code *candidate, struct pawl_arena *arena,
                              struct pawl_code_diff *out) {
  const struct pawl_function_code *either = base ? base : candidate;
  struct pawl_function_change *change = &out->items[out->count];
  *change = (struct pawl_function_change){
      .name = either->name, .arch = either->arch, .base = base, .candidate = candidate};
  pawl_code_align(change, arena);
  if (base && candidate && !change->edit_count && !change->too_different) {
    out->same++;
    return;
  }
  count_side(change, 0, base, arena);
  count_side(change, 1, candidate, arena);
  pawl_code_counts_keep_changed(change);
  out->count++;
}

void pawl_code_diff(const struct pawl_machine_code *base, const struct pawl_machine_code *candidate,
                    struct pawl_arena *arena, struct pawl_code_diff *out) {
  *out = (struct pawl_code_diff){
      .items = pawl_arena_alloc(arena, base->count + candidate->count + 1, sizeof *out->items)};
  for (size_t i = 0; i < candidate->count; i++)
    compare_functions(pawl_machine_code_find(base, &candidate->items[i]), &candidate->items[i],
                      arena, out);
  for (size_t i = 0; i < base->count; i++)
    if (!pawl_machine_code_find(candidate, &base->items[i]))
      compare_functions(&base->items[i], NULL, arena, out);
  if (out->count) qsort(out->items, out->count, sizeof *out->items, change_by_weight);
}
