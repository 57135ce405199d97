/* SPDX-License-Identifier: Apache-2.0 */
#include "build/code_counts.h"

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

void pawl_code_count_add(struct pawl_function_change *change, int side,
                         const struct pawl_instruction *item, struct pawl_arena *arena) {
  const bool in_loop = item->loops > 0;
  size_t j = 0;
  change->mix[item->kind][side]++;
  change->mix_in_loops[item->kind][side] += in_loop;
  while (j < change->count_count &&
         (change->counts[j].in_loop != in_loop || strcmp(change->counts[j].name, item->name) != 0))
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

void pawl_code_counts_keep_changed(struct pawl_function_change *change) {
  size_t kept = 0;
  for (size_t i = 0; i < change->count_count; i++)
    if (weight_of(&change->counts[i])) change->counts[kept++] = change->counts[i];
  change->count_count = kept;
  if (kept) qsort(change->counts, kept, sizeof *change->counts, count_by_weight);
}

int pawl_code_change_weight(const struct pawl_function_change *change) {
  int weight = 0;
  for (size_t i = 0; i < change->count_count; i++) weight += weight_of(&change->counts[i]);
  return weight;
}
