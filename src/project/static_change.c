/* SPDX-License-Identifier: Apache-2.0 */
#include "project/static_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "build/cubin.h"
#include "build/demangle.h"

#define MOST_FUNCTIONS 2
#define CODE_NOISE \
  0.02 /* relative change of the code's bytes; less comes from the order of instructions */

/* A function that both builds have. */
struct aligned_function {
  /* The demangled name: an anonymous namespace's mangled name changes with its file. */
  const char *name;
  const struct pawl_device_function *base, *candidate;
  double weight; /* size of the change; 0: none */
};

static double difference(long long before, long long after) {
  return before < 0 || after < 0 ? 0 : fabs((double)(after - before));
}

/* Spills weigh most, then registers and local memory, then other memory, then code. */
static double weigh(const struct pawl_device_function *base,
                    const struct pawl_device_function *candidate) {
  const double code =
      difference(base->code_bytes, candidate->code_bytes) / fmax(1, (double)base->code_bytes);
  return difference(base->spill_bytes, candidate->spill_bytes) * 1e6 +
         difference(base->local_bytes, candidate->local_bytes) * 1e3 +
         difference(base->registers, candidate->registers) * 1e3 +
         difference(base->shared_bytes, candidate->shared_bytes) +
         difference(base->stack_bytes, candidate->stack_bytes) + (code > CODE_NOISE ? code : 0);
}

static void add_count(struct pawl_text *out, const char *label, long long before, long long after,
                      const char *unit) {
  if (difference(before, after) == 0) return;
  pawl_text_printf(out, "%s%s %lld -> %lld%s", out->length ? ", " : "", label, before, after, unit);
}

static void static_change_describe(const struct aligned_function *function, struct pawl_text *out) {
  const struct pawl_device_function *base = function->base, *candidate = function->candidate;
  const double before = pawl_device_function_occupancy(base),
               after = pawl_device_function_occupancy(candidate);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text facts = {0};
  add_count(&facts, "registers a thread", base->registers, candidate->registers, "");
  add_count(&facts, "spills", base->spill_bytes, candidate->spill_bytes, " B a thread");
  add_count(&facts, "other stores to local memory", base->local_bytes, candidate->local_bytes,
            " B a thread");
  add_count(&facts, "stack", base->stack_bytes, candidate->stack_bytes, " B a thread");
  add_count(&facts, "static shared memory", base->shared_bytes, candidate->shared_bytes,
            " B a block");
  add_count(&facts, "code", base->code_bytes, candidate->code_bytes, " B");
  if (fabs(after - before) >= 0.5)
    pawl_text_printf(&facts, ", occupancy at most %.0f %% -> %.0f %%", before, after);
  pawl_text_printf(out, "%s: %s", function->name, pawl_text_string(&facts));
}

static int by_weight(const void *a, const void *b) {
  const struct aligned_function *left = a, *right = b;
  if (left->weight == right->weight) return strcmp(left->name, right->name);
  return left->weight > right->weight ? -1 : 1;
}

/* Pairs the functions of both builds by name and order; in the arena. */
static struct aligned_function *static_change_align(const struct pawl_build_result *base,
                                                    const struct pawl_build_result *candidate,
                                                    struct pawl_arena *arena, size_t *count) {
  struct aligned_function *found =
      pawl_arena_alloc(arena, candidate->function_count + 1, sizeof *found);
  bool *taken = pawl_arena_alloc(arena, base->function_count + 1, sizeof *taken);
  *count = 0;
  for (size_t i = 0; i < candidate->function_count; i++) {
    const char *name = pawl_demangle(candidate->functions[i].name, arena);
    size_t j = 0;
    while (j < base->function_count &&
           (taken[j] || strcmp(pawl_demangle(base->functions[j].name, arena), name) != 0))
      j++;
    if (j == base->function_count) continue;
    taken[j] = true;
    found[(*count)++] =
        (struct aligned_function){.name = name,
                                  .base = &base->functions[j],
                                  .candidate = &candidate->functions[i],
                                  .weight = weigh(&base->functions[j], &candidate->functions[i])};
  }
  return found;
}

const char *pawl_static_change(const struct pawl_build_result *base,
                               const struct pawl_build_result *candidate,
                               struct pawl_arena *arena) {
  size_t count, changed = 0;
  struct aligned_function *functions = static_change_align(base, candidate, arena, &count);
  qsort(functions, count, sizeof *functions, by_weight);
  while (changed < count && functions[changed].weight > 0) changed++;
  if (changed == 0) return NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_add(&text, "machine code of ");
  for (size_t i = 0; i < changed && i < MOST_FUNCTIONS; i++) {
    if (i) pawl_text_add(&text, "; ");
    static_change_describe(&functions[i], &text);
  }
  if (changed > MOST_FUNCTIONS)
    pawl_text_printf(&text, "; %zu more function%s changed", changed - MOST_FUNCTIONS,
                     changed == MOST_FUNCTIONS + 1 ? "" : "s");
  return pawl_arena_copy(arena, pawl_text_string(&text));
}
