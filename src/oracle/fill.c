/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/fill.h"

#include <string.h>

#include "base/bulk.h"
#include "oracle/inputs.h"
#include "oracle/layout.h"

const struct pawl_distribution_info *pawl_fill_find(const struct pawl_operator_info *info,
                                                    const char *name) {
  for (int i = 0; i < info->distribution_count; i++)
    if (!strcmp(info->distributions[i].name, name)) return &info->distributions[i];
  return NULL;
}

static struct pawl_draw describe_draw(const struct pawl_tensor_spec *spec, int tensor,
                                      const struct pawl_distribution_info *distribution,
                                      uint64_t seed) {
  return (struct pawl_draw){.fill = distribution->fill,
                            .scale = distribution->scale,
                            .seed = seed,
                            .stream = (uint64_t)tensor,
                            .row = spec->ndim > 0 ? spec->size[spec->ndim - 1] : 1};
}

void pawl_fill_draw(const struct pawl_problem *problem, int set, int tensor,
                    const struct pawl_distribution_info *distribution, uint64_t seed, void *data,
                    int64_t first, int64_t end, int threads) {
  const struct pawl_tensor_spec *spec = &problem->sets[set].tensors[tensor].spec;
  const struct pawl_draw draw = describe_draw(spec, tensor, distribution, seed);
  pawl_draw_elements(&draw, data, spec->dtype, first, end - first, threads);
}

bool pawl_fill_is_mixed(const struct pawl_problem *problem, int set, int tensor,
                        const struct pawl_distribution_info *distribution) {
  const struct pawl_placed_tensor *placed = &problem->sets[set].tensors[tensor];
  return placed->spec.role != PAWL_OUT &&
         pawl_draw_is_mixed(distribution->fill, pawl_placed_elements(placed));
}

void pawl_fill_draw_new(const struct pawl_problem *problem, int set, int tensor,
                        const struct pawl_distribution_info *distribution, uint64_t seed,
                        void *data, int threads) {
  const struct pawl_placed_tensor *placed = &problem->sets[set].tensors[tensor];
  const int64_t count = pawl_placed_elements(placed);
  const struct pawl_draw draw = describe_draw(&placed->spec, tensor, distribution, seed);
  /* a draw by the usual seed must give the usual values */
  const bool is_new = seed != problem->source[set].seed;
  if (is_new && pawl_fill_is_mixed(problem, set, tensor, distribution))
    pawl_draw_mixed(&draw, data, placed->spec.dtype, count, threads);
  else
    pawl_draw_elements(&draw, data, placed->spec.dtype, 0, count, threads);
}

void pawl_fill_note(struct pawl_problem *problem, int set, const unsigned char *memory) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  struct pawl_hash *hashes = &problem->tensor_hash[set * tensors->count];
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (int i = 0; i < tensors->count; i++) {
    const struct pawl_placed_tensor *t = &tensors->tensors[i];
    if (t->spec.role == PAWL_OUT) continue;
    hashes[i] = pawl_bulk_hash(memory + (t->offset - tensors->tensors[0].offset), t->bytes);
    pawl_hasher_add(&hasher, &hashes[i], sizeof hashes[i]);
  }
  problem->input_hash[set] = pawl_hasher_finish(&hasher);
}

void pawl_fill_save_inouts(struct pawl_problem *problem, int set, const unsigned char *memory) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  uint64_t bytes = 0;
  for (int i = 0; i < tensors->count; i++)
    if (tensors->tensors[i].spec.role == PAWL_INOUT) bytes += tensors->tensors[i].bytes;
  if (!bytes) return;
  problem->inouts[set] = pawl_realloc(problem->inouts[set], 1, bytes);
  unsigned char *to = problem->inouts[set];
  for (int i = 0; i < tensors->count; i++) {
    const struct pawl_placed_tensor *t = &tensors->tensors[i];
    if (t->spec.role != PAWL_INOUT) continue;
    memcpy(to, memory + (t->offset - tensors->tensors[0].offset), t->bytes);
    to += t->bytes;
  }
}
