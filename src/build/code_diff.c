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

/* Returns a copy of the function in which the instructions that differ from those of `other` are
   named by their whole text, and adds them to the edits of the change. */
static const struct pawl_function_code *name_by_text(const struct pawl_function_code *function,
                                                     const struct pawl_function_code *other,
                                                     bool came, struct pawl_arena *arena,
                                                     struct pawl_function_change *change) {
  struct pawl_function_code *copy = pawl_arena_alloc(arena, 1, sizeof *copy);
  *copy = *function;
  copy->items = pawl_arena_alloc(arena, function->count + 1, sizeof *copy->items);
  for (size_t i = 0; i < function->count; i++) {
    struct pawl_instruction *item = &copy->items[i];
    *item = function->items[i];
    if (pawl_text_equal(item->text, other->items[i].text)) continue;
    item->name = item->text;
    change->edits[change->edit_count++] = (struct pawl_code_edit){item, came};
  }
  return copy;
}

/* Compares the values in the operands of a GPU's code whose instructions are the same: a pitch, a
   stride, a constant. */
static void compare_values(struct pawl_function_change *change, struct pawl_arena *arena) {
  const struct pawl_function_code *base = change->base, *candidate = change->candidate;
  if (!base || !candidate || change->edit_count || change->too_different || !base->arch ||
      base->count != candidate->count)
    return;
  change->edits = pawl_arena_alloc(arena, 2 * base->count + 1, sizeof *change->edits);
  change->base = name_by_text(base, candidate, false, arena, change);
  change->candidate = name_by_text(candidate, base, true, arena, change);
}

static bool has_name_of(const struct pawl_function_code *a, const struct pawl_function_code *b) {
  return pawl_text_equal(a->arch, b->arch) && !strcmp(a->name, b->name);
}

/* Returns the function of the other build: that with the same symbol, or else the only one of this
   name that has other parameters now. */
static const struct pawl_function_code *find_partner(const struct pawl_machine_code *code,
                                                     const struct pawl_function_code *function,
                                                     const struct pawl_machine_code *own) {
  const struct pawl_function_code *found = pawl_machine_code_find(code, function);
  if (found) return found;
  for (size_t i = 0; i < code->count; i++) {
    if (!has_name_of(&code->items[i], function) || pawl_machine_code_find(own, &code->items[i]))
      continue;
    if (found) return NULL;
    found = &code->items[i];
  }
  for (size_t i = 0; found && i < own->count; i++)
    if (&own->items[i] != function && has_name_of(&own->items[i], function) &&
        !pawl_machine_code_find(code, &own->items[i]))
      return NULL;
  return found;
}

static void compare_functions(const struct pawl_function_code *base,
                              const struct pawl_function_code *candidate, struct pawl_arena *arena,
                              struct pawl_code_diff *out) {
  const struct pawl_function_code *either = base ? base : candidate;
  struct pawl_function_change *change = &out->items[out->count];
  *change = (struct pawl_function_change){
      .name = either->name, .arch = either->arch, .base = base, .candidate = candidate};
  pawl_code_align(change, arena);
  compare_values(change, arena);
  if (base && candidate && !change->edit_count && !change->too_different) {
    out->same++;
    return;
  }
  count_side(change, 0, change->base, arena);
  count_side(change, 1, change->candidate, arena);
  pawl_code_counts_keep_changed(change);
  out->count++;
}

void pawl_code_diff(const struct pawl_machine_code *base, const struct pawl_machine_code *candidate,
                    struct pawl_arena *arena, struct pawl_code_diff *out) {
  *out = (struct pawl_code_diff){
      .items = pawl_arena_alloc(arena, base->count + candidate->count + 1, sizeof *out->items)};
  for (size_t i = 0; i < candidate->count; i++)
    compare_functions(find_partner(base, &candidate->items[i], candidate), &candidate->items[i],
                      arena, out);
  for (size_t i = 0; i < base->count; i++)
    if (!find_partner(candidate, &base->items[i], base))
      compare_functions(&base->items[i], NULL, arena, out);
  if (out->count) qsort(out->items, out->count, sizeof *out->items, change_by_weight);
}
