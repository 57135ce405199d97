/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/code_facts.h"

#include <math.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"

/* A loop runs its body many times. How often is unknown without a run. */
#define LOOP_WEIGHT 10.0
#define MOST_LOOPS 3

/* A kind of instruction: its class, or how its name begins and what else is in the name. */
static const struct {
  enum pawl_counter counter;
  int class; /* enum pawl_instruction_class; PAWL_CLASSES: any */
  const char *start, *part;
} kinds[] = {
    {PAWL_COUNTER_CODE_FP64, PAWL_CLASS_FP64, "", ""},
    {PAWL_COUNTER_CODE_WIDENED, PAWL_CLASSES, "F2F", ".F64.F32"},
    /* A division by a value that the compiler does not know begins with a reciprocal, and this
       conversion, rounded up, exists only there. */
    {PAWL_COUNTER_CODE_DIVISIONS, PAWL_CLASSES, "I2F", ".RP"},
    {PAWL_COUNTER_CODE_HIGH, PAWL_CLASSES, "IMAD.HI", ""},
    {PAWL_COUNTER_CODE_XU, PAWL_CLASS_SPECIAL, "", ""},
    {PAWL_COUNTER_CODE_XU, PAWL_CLASSES, "I2F", ""},
    {PAWL_COUNTER_CODE_XU, PAWL_CLASSES, "F2I", ""},
    {PAWL_COUNTER_CODE_XU, PAWL_CLASSES, "F2F", ""},
    {PAWL_COUNTER_CODE_PRODUCTS, PAWL_CLASSES, "FFMA", ""},
    {PAWL_COUNTER_CODE_PRODUCTS, PAWL_CLASSES, "HFMA2", ""},
    {PAWL_COUNTER_CODE_HALF, PAWL_CLASS_FP16, "", ""},
    {PAWL_COUNTER_CODE_SHARED, PAWL_CLASSES, "LDS", ""},
    {PAWL_COUNTER_CODE_COPIES, PAWL_CLASSES, "UBLKCP", ""},
    {PAWL_COUNTER_CODE_COPIES, PAWL_CLASSES, "UTMALDG", ""},
};

void pawl_code_facts_read(const char *plugin, struct pawl_listings *listings,
                          struct pawl_arena *arena, struct pawl_code_facts *out) {
  struct pawl_error ignored = {0};
  *out = (struct pawl_code_facts){.compulsory_bytes = NAN};
  if (!plugin) return;
  if (pawl_disassemble(plugin, true, listings, arena, &out->code, &ignored) != PAWL_OK)
    out->code = (struct pawl_machine_code){0};
  if (pawl_device_functions(plugin, arena, &out->functions, &out->count, &ignored) != PAWL_OK)
    out->count = 0;
}

/* Returns where a name without its namespaces, template arguments and parameters begins. */
static const char *bare_name(const char *name, size_t *length) {
  const char *begin = name;
  size_t at = 0;
  for (; name[at] && name[at] != '('; at++) {
    if (name[at] == '<' && at > 0 && name + at != begin) break;
    if (name[at] == ' ' || name[at] == ':') begin = name + at + 1;
  }
  *length = (size_t)(name + at - begin);
  return begin;
}

static bool has_bare_name(const char *name, const char *other) {
  size_t a, b;
  const char *first = bare_name(name, &a), *second = bare_name(other, &b);
  return a == b && a > 0 && !memcmp(first, second, a);
}

/* Returns the function, or NULL if none or more than one has the name. */
static const struct pawl_function_code *function_of(const struct pawl_machine_code *code,
                                                    const char *name) {
  const struct pawl_function_code *found = NULL;
  for (size_t i = 0; i < code->count; i++)
    if (!strcmp(code->items[i].symbol, name)) return &code->items[i];
  for (size_t i = 0; i < code->count; i++) {
    if (!has_bare_name(code->items[i].name, name)) continue;
    if (found) return NULL;
    found = &code->items[i];
  }
  return found;
}

static double weight_of(const struct pawl_instruction *item) {
  double weight = 1;
  for (int i = 0; i < item->loops && i < MOST_LOOPS; i++) weight *= LOOP_WEIGHT;
  return weight;
}

static void add_shares(const struct pawl_function_code *function, double values[PAWL_COUNTERS]) {
  double all = 0;
  for (size_t i = 0; i < function->count; i++) all += weight_of(&function->items[i]);
  for (size_t k = 0; k < PAWL_COUNT(kinds); k++) values[kinds[k].counter] = 0;
  for (size_t i = 0; i < function->count; i++) {
    const struct pawl_instruction *item = &function->items[i];
    for (size_t k = 0; k < PAWL_COUNT(kinds); k++)
      if ((kinds[k].class == PAWL_CLASSES || kinds[k].class == (int)item->kind) &&
          pawl_starts_with(item->name, kinds[k].start) && strstr(item->name, kinds[k].part))
        values[kinds[k].counter] += weight_of(item) / all * 100;
  }
}

void pawl_code_facts_of(const struct pawl_code_facts *facts, const char *name,
                        double values[PAWL_COUNTERS]) {
  const struct pawl_function_code *function = function_of(&facts->code, name);
  values[PAWL_COUNTER_COMPULSORY] = facts->compulsory_bytes;
  if (!function) return;
  add_shares(function, values);
  for (size_t i = 0; i < facts->count; i++) {
    const struct pawl_device_function *f = &facts->functions[i];
    if (strcmp(f->name, function->symbol) != 0) continue;
    if (f->spill_bytes >= 0) values[PAWL_COUNTER_CODE_SPILLS] = (double)f->spill_bytes;
    if (f->local_bytes >= 0) values[PAWL_COUNTER_CODE_ARRAYS] = (double)f->local_bytes;
  }
}
