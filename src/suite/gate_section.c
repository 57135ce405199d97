/* SPDX-License-Identifier: Apache-2.0 */
/* Reads `gate`: the presets, the keys, and the limits of single rows. */
#include <string.h>

#include "model/gate_rules.h"
#include "stats/sign_test.h"
#include "suite/suite_sections.h"
#include "suite/tables.h"
#include "yaml/values.h"

#define GATE(member) offsetof(struct pawl_gate_spec, member)
#define MOST_RULES 1000

static const char *const preset_words[] = {"strict", "balanced", "fast", NULL};
static const char *const busy_words[] = {"repeat", "count", NULL}; /* enum pawl_busy */
static const char *const accept_words[] = {"main-only", "pull-request",
                                           NULL};                       /* enum pawl_accept */
static const char *const control_words[] = {"familywise", "fdr", NULL}; /* enum pawl_control */

enum preset { PRESET_STRICT = 1, PRESET_BALANCED, PRESET_FAST };

/* bench/gate/presets.c measures the error rates that docs/results/gate-presets.md publishes. */
static const struct pawl_gate_spec presets[] = {
    [PRESET_STRICT] = {.tolerate = 0.005,
                       .detect = 0.02,
                       .improve = 0.03,
                       .false_alarm = 0.001,
                       .miss = 0.001,
                       .max_blocks = 200,
                       .inconclusive = PAWL_INCONCLUSIVE_FAIL,
                       .static_code = PAWL_STATIC_FAIL},
    [PRESET_BALANCED] = {.tolerate = 0.01,
                         .detect = 0.03,
                         .improve = 0.05,
                         .false_alarm = 0.001,
                         .miss = 0.01,
                         .max_blocks = 80,
                         .inconclusive = PAWL_INCONCLUSIVE_WARN,
                         .static_code = PAWL_STATIC_WARN},
    [PRESET_FAST] = {.tolerate = 0.02,
                     .detect = 0.05,
                     .improve = 0.05,
                     .false_alarm = 0.01,
                     .miss = 0.05,
                     .max_blocks = 40,
                     .inconclusive = PAWL_INCONCLUSIVE_WARN,
                     .static_code = PAWL_STATIC_WARN},
};

struct pawl_gate_spec pawl_gate_default(void) {
  struct pawl_gate_spec gate = presets[PRESET_BALANCED];
  gate.busy = PAWL_BUSY_REPEAT;
  gate.accept = PAWL_ACCEPT_MAIN_ONLY;
  gate.control = PAWL_CONTROL_FAMILYWISE;
  return gate;
}

/* A preset precedes all other keys of its section, wherever it stands. */
static pawl_status skip_preset(const struct pawl_slot *slot, void *field) {
  (void)slot, (void)field;
  return PAWL_OK;
}

static pawl_status read_limits(const struct pawl_slot *slot, void *field);

static bool same_limits(const struct pawl_gate_spec *a, const struct pawl_gate_spec *b) {
  for (int i = 0; i < PAWL_LIMITS; i++)
    if (!a->lines[i] != !b->lines[i]) return false;
  return a->tolerate == b->tolerate && a->detect == b->detect && a->improve == b->improve &&
         a->inconclusive == b->inconclusive && a->static_code == b->static_code;
}

static bool same_rules(const void *a, const void *b) {
  const struct pawl_gate_rules *x = *(const struct pawl_gate_rules *const *)a,
                               *y = *(const struct pawl_gate_rules *const *)b;
  if (!x || !y) return x == y;
  for (size_t i = 0; i < x->count && x->count == y->count; i++) {
    const struct pawl_gate_rule *mine = &x->items[i], *theirs = &y->items[i];
    if (strcmp(mine->kernel_name, theirs->kernel_name) != 0 ||
        !pawl_text_equal(mine->case_name, theirs->case_name) ||
        !same_limits(&mine->gate, &theirs->gate))
      return false;
  }
  return x->count == y->count;
}

/* The first PAWL_LIMITS rows are those of a rule, in the order of enum pawl_limit. */
static const struct pawl_key gate_rows[] = {
    {"tolerate", pawl_read_fraction, GATE(tolerate), 0, 0.5},
    {"detect", pawl_read_fraction, GATE(detect), 0.001, 1},
    {"improve", pawl_read_fraction, GATE(improve), 0.001, 1},
    {"inconclusive", pawl_read_choice, GATE(inconclusive), .words = pawl_gate_effects},
    {"static", pawl_read_choice, GATE(static_code), .words = pawl_gate_effects},
    {"false_alarm", pawl_read_fraction, GATE(false_alarm), 1e-9, 0.5},
    {"control", pawl_read_choice, GATE(control), .words = control_words},
    {"miss", pawl_read_fraction, GATE(miss), 1e-9, 0.5},
    {"between_runs", pawl_read_fraction, GATE(between_runs), 0.001, 10},
    {"max_blocks", pawl_read_int, GATE(max_blocks), 1, PAWL_SIGN_MAX_BLOCKS},
    {"busy", pawl_read_choice, GATE(busy), .words = busy_words},
    {"accept", pawl_read_choice, GATE(accept), .words = accept_words},
    {"static_occupancy", pawl_read_fraction, GATE(static_occupancy), 0, 1},
    {"preset", skip_preset, 0, .words = preset_words, .uncompared = true},
    {"limits", read_limits, GATE(rules), .equal = same_rules},
};
const struct pawl_keys pawl_gate_keys = PAWL_KEYS(gate_rows, NULL);
static const struct pawl_keys limit_keys = {gate_rows, PAWL_LIMITS, NULL, NULL};

const char *pawl_limit_key(enum pawl_limit limit) { return gate_rows[limit].name; }

static void note_lines(const struct pawl_yaml *map, struct pawl_gate_spec *gate) {
  for (int i = 0; i < PAWL_LIMITS; i++) {
    const struct pawl_yaml *key = pawl_yaml_get_key(map, gate_rows[i].name);
    if (key) gate->lines[i] = key->line;
  }
}

/* Reads "KERNEL" or "KERNEL/CASE". The name of a kernel has no '/', but a benchmark's may. */
static pawl_status read_rule(const struct pawl_slot *slot, const struct pawl_yaml *name,
                             const struct pawl_yaml *map, struct pawl_gate_rule *out) {
  const struct pawl_yaml_reader *reader = slot->reader;
  char *kernel = pawl_arena_copy(reader->arena, name->text), *slash = strchr(kernel, '/');
  if (slash) *slash = '\0';
  if (!*kernel || (slash && !slash[1]))
    return pawl_yaml_fail(reader, name,
                          "'%.60s' of limits must be KERNEL or KERNEL/CASE, such as \"softmax\" or "
                          "\"gemm_*/tiny\"",
                          name->text);
  const char *owner = pawl_arena_printf(reader->arena, "limits of '%s'", name->text);
  *out = (struct pawl_gate_rule){.kernel_name = kernel, .case_name = slash ? slash + 1 : NULL};
  PAWL_TRY(pawl_keys_read(reader, &limit_keys, owner, map, &out->gate));
  if (!map->count)
    return pawl_yaml_fail(reader, map, "%s is empty; add a limit, such as detect: 5%%", owner);
  note_lines(map, &out->gate);
  return PAWL_OK;
}

static pawl_status read_limits(const struct pawl_slot *slot, void *field) {
  const struct pawl_yaml *map = slot->node;
  if (map->kind != PAWL_YAML_MAP || !map->count || map->count > MOST_RULES)
    return pawl_slot_fail(slot, map,
                          "a mapping of 1 to 1000 patterns such as \"softmax/tiny\": {detect: 5%}");
  struct pawl_gate_rule *items = pawl_arena_alloc(slot->reader->arena, map->count, sizeof *items);
  struct pawl_gate_rules *rules = pawl_arena_alloc(slot->reader->arena, 1, sizeof *rules);
  for (size_t i = 0; i < map->count; i++)
    PAWL_TRY(read_rule(slot, map->keys[i], map->items[i], &items[i]));
  *rules = (struct pawl_gate_rules){items, map->count};
  *(const struct pawl_gate_rules **)field = rules;
  return PAWL_OK;
}

static const struct pawl_key *preset_row(void) {
  const struct pawl_key *row = gate_rows;
  while (row->read != skip_preset) row++;
  return row;
}

pawl_status pawl_read_gate(const struct pawl_slot *slot, void *field) {
  struct pawl_gate_spec *gate = field;
  const struct pawl_yaml *word = pawl_yaml_get(slot->node, "preset");
  if (word) {
    int32_t preset;
    struct pawl_slot one = *slot;
    one.key = preset_row();
    one.owner = slot->key->name;
    one.name = pawl_yaml_get_key(slot->node, "preset");
    one.node = word;
    PAWL_TRY(pawl_read_choice(&one, &preset));
    const struct pawl_gate_spec before = *gate;
    *gate = presets[preset];
    gate->busy = before.busy;
    gate->accept = before.accept;
    gate->control = before.control;
    for (int i = 0; i < PAWL_LIMITS; i++) gate->lines[i] = one.name->line;
  }
  PAWL_TRY(pawl_read_map(slot, field));
  note_lines(slot->node, gate);
  return PAWL_OK;
}
