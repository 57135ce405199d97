/* SPDX-License-Identifier: Apache-2.0 */
#include "build/code_diff.h"

#include <stdlib.h>
#include <string.h>

/* A loop runs its body many times. How often is unknown without a run, so this only ranks. */
#define LOOP_WEIGHT 100

static int weight_of(const struct pawl_code_count *count) {
  return abs(count->candidate - count->base) * (count->in_loop ? LOOP_WEIGHT : 1);
}

static int count_by_weight(const void *a, const void *b) {
  const struct pawl_code_count *x = a, *y = b;
  const int order = weight_of(y) - weight_of(x);
  return order ? order : strcmp(x->name, y->name);
}

/* Adds the instructions of one side (0: base, 1: candidate) to the mix and the counts. */
static void count_side(struct pawl_function_change *change, int side,
                       const struct pawl_function_code *function, struct pawl_arena *arena) {
  for (size_t i = 0; function && i < function->count; i++) {
    const struct pawl_instruction *item = &function->items[i];
    const bool in_loop = item->loops > 0;
    size_t j = 0;
    change->mix[item->kind][side]++;
    change->mix_in_loops[item->kind][side] += in_loop;
    while (j < change->count_count && (change->counts[j].in_loop != in_loop ||
                                       strcmp(change->counts[j].name, item->name) != 0))
      j++;
    if (j == change->count_count) {
      struct pawl_code_count *grown = pawl_arena_alloc(arena, j + 1, sizeof *grown);
      if (j) memcpy(grown, change->counts, j * sizeof *grown);
      change->counts = grown;
      change->counts[change->count_count++] =
          (struct pawl_code_count){.name = item->name, .kind = item->kind, .in_loop = in_loop};
    }
    *(side ? &change->counts[j].candidate : &change->counts[j].base) += 1;
  }
}

static void keep_changed(struct pawl_function_change *change) {
  size_t kept = 0;
  for (size_t i = 0; i < change->count_count; i++)
    if (weight_of(&change->counts[i])) change->counts[kept++] = change->counts[i];
  change->count_count = kept;
  if (kept) qsort(change->counts, kept, sizeof *change->counts, count_by_weight);
}

static int change_weight(const struct pawl_function_change *change) {
  int weight = 0;
  for (size_t i = 0; i < change->count_count; i++) weight += weight_of(&change->counts[i]);
  return weight;
}

static int change_by_weight(const void *a, const void *b) {
  const struct pawl_function_change *x = a, *y = b;
  const int order = change_weight(y) - change_weight(x);
  return order ? order : strcmp(x->name, y->name);
}

static const struct pawl_function_code *find_function(const struct pawl_machine_code *code,
                                                      const struct pawl_function_code *other) {
  for (size_t i = 0; i < code->count; i++)
    if (pawl_text_equal(code->items[i].arch, other->arch) &&
        !strcmp(code->items[i].symbol, other->symbol))
      return &code->items[i];
  return NULL;
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
  keep_changed(change);
  out->count++;
}

void pawl_code_diff(const struct pawl_machine_code *base, const struct pawl_machine_code *candidate,
                    struct pawl_arena *arena, struct pawl_code_diff *out) {
  *out = (struct pawl_code_diff){
      .items = pawl_arena_alloc(arena, base->count + candidate->count + 1, sizeof *out->items)};
  for (size_t i = 0; i < candidate->count; i++)
    compare_functions(find_function(base, &candidate->items[i]), &candidate->items[i], arena, out);
  for (size_t i = 0; i < base->count; i++)
    if (!find_function(candidate, &base->items[i]))
      compare_functions(&base->items[i], NULL, arena, out);
  if (out->count) qsort(out->items, out->count, sizeof *out->items, change_by_weight);
}
