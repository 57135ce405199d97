/* SPDX-License-Identifier: Apache-2.0 */
/* Reads `kernels`, `references` and `operators`. */
#include <string.h>

#include "model/names.h"
#include "suite/suite_sections.h"
#include "suite/tables.h"
#include "suite/tuning_file.h"
#include "yaml/difference.h"
#include "yaml/values.h"

#define FROM_FILES "sources" /* for keys that need a compiler run by pawl */

pawl_status pawl_read_operator_name(const struct pawl_slot *slot, void *field) {
  if (slot->node->kind != PAWL_YAML_SCALAR || !pawl_is_operator_name(slot->node->text))
    return pawl_slot_fail(slot, slot->node, "an operator's name (a-z, 0-9, _)");
  *(const char **)field = slot->node->text;
  return PAWL_OK;
}

static pawl_status check_define_name(const struct pawl_slot *slot, const struct pawl_yaml *name) {
  if (pawl_is_identifier(name->text)) return PAWL_OK;
  return pawl_yaml_fail(slot->reader, name,
                        "'%.60s' of %s is not a valid name: use letters, digits and '_'",
                        name->text, slot->owner);
}

/* Checks that a value can follow -DNAME= or NAME=. */
static pawl_status check_define_value(const struct pawl_slot *slot, const struct pawl_yaml *value,
                                      const char *wanted) {
  if (value->kind == PAWL_YAML_SCALAR && *value->text && !pawl_yaml_is_null(value) &&
      value->text[strcspn(value->text, "\n\r")] == '\0')
    return PAWL_OK;
  return pawl_slot_fail(slot, value, wanted);
}

static pawl_status kernel_section_read_params(const struct pawl_slot *slot, void *field) {
  struct pawl_kernel_spec *spec = field;
  const struct pawl_yaml *map = slot->node;
  if (map->kind != PAWL_YAML_MAP)
    return pawl_slot_fail(slot, map, "a mapping such as {BLOCK_M: 64}");
  spec->params = pawl_arena_alloc(slot->reader->arena, map->count + 1, sizeof *spec->params);
  for (size_t i = 0; i < map->count; i++) {
    PAWL_TRY(check_define_name(slot, map->keys[i]));
    PAWL_TRY(check_define_value(slot, map->items[i], "a mapping of names to numbers or words"));
    spec->params[i] = (struct pawl_param_value){map->keys[i]->text, map->items[i]->text};
  }
  spec->param_count = map->count;
  return PAWL_OK;
}

static pawl_status read_tune_dimension(const struct pawl_slot *slot, void *field) {
  struct pawl_kernel_spec *spec = field;
  const struct pawl_yaml *list = slot->node;
  if (pawl_keys_nearest(slot->table, slot->name->text))
    return pawl_slot_unknown(slot); /* a misspelt key such as "constraint" */
  PAWL_TRY(check_define_name(slot, slot->name));
  if (list->kind != PAWL_YAML_LIST || !list->count || list->count > PAWL_TUNE_MOST_VALUES)
    return pawl_slot_fail(
        slot, list,
        pawl_arena_printf(slot->reader->arena,
                          "a list of 1 to %u values to try, such as [32, 64, 128]",
                          PAWL_TUNE_MOST_VALUES));
  struct pawl_tune_dimension *dimension = &spec->tune[spec->tune_count];
  dimension->name = slot->name->text;
  dimension->values.items =
      pawl_arena_alloc(slot->reader->arena, list->count + 1, sizeof *dimension->values.items);
  for (size_t i = 0; i < list->count; i++) {
    const struct pawl_yaml *value = list->items[i];
    PAWL_TRY(check_define_value(slot, value, "a list of numbers or words"));
    for (size_t j = 0; j < i; j++) {
      if (strcmp(value->text, dimension->values.items[j]) == 0)
        return pawl_yaml_fail(slot->reader, value, "'%s' of %s lists %.60s twice", slot->name->text,
                              slot->owner, value->text);
    }
    dimension->values.items[i] = value->text;
  }
  dimension->values.count = list->count;
  spec->tune_count++;
  return PAWL_OK;
}

/* Keeps the lines, so that a message can point to one of many constraints. */
static pawl_status read_constraints(const struct pawl_slot *slot, void *field) {
  struct pawl_kernel_spec *spec = field;
  PAWL_TRY(pawl_read_strings(slot, &spec->constraints));
  int *lines = pawl_arena_alloc(slot->reader->arena, slot->node->count + 1, sizeof *lines);
  for (size_t i = 0; i < slot->node->count; i++) lines[i] = slot->node->items[i]->line;
  spec->constraint_lines = lines;
  return PAWL_OK;
}

static const struct pawl_key tune_rows[] = {
    {"constraints", read_constraints, 0, .uncompared = true},
};
static const struct pawl_keys tune_keys = PAWL_KEYS(tune_rows, read_tune_dimension);

static pawl_status read_tune(const struct pawl_slot *slot, void *field) {
  struct pawl_kernel_spec *spec = field;
  const size_t entries = slot->node->kind == PAWL_YAML_MAP ? slot->node->count : 0;
  if (slot->node->kind == PAWL_YAML_SCALAR && *slot->node->text)
    return pawl_read_tuning_file(slot, spec);
  spec->tune = pawl_arena_alloc(slot->reader->arena, entries + 1, sizeof *spec->tune);
  PAWL_TRY(pawl_read_map(slot, field));
  if (spec->tune_count) return PAWL_OK;
  if (!entries) return pawl_slot_fail(slot, slot->node, "a mapping of names to the values to try");
  return pawl_yaml_fail(slot->reader, slot->node,
                        "'%s' of %s has no parameter; add one, such as BLOCK_M: [16, 32]",
                        slot->name->text, slot->owner);
}

static pawl_status read_determinism(const struct pawl_slot *slot, void *field) {
  bool yes;
  PAWL_TRY(pawl_read_bool(slot, &yes));
  *(enum pawl_determinism *)field = yes ? PAWL_DETERMINISM_YES : PAWL_DETERMINISM_NO;
  return PAWL_OK;
}

static const char *const device_words[] = {"cpu", "cuda", NULL}; /* enum pawl_device_kind */

#define KERNEL(member) offsetof(struct pawl_kernel_spec, member)
#define OPERATOR(member) offsetof(struct pawl_operator_spec, member)

static const struct pawl_key kernel_build_rows[] = {
    {"command", pawl_read_strings, KERNEL(build_command), .min = 1, .required = true},
    {"output", pawl_read_text, KERNEL(build_output), .required = true},
};
static const struct pawl_keys kernel_build_keys = PAWL_KEYS(kernel_build_rows, NULL);

/* a kernel with a command has no operator name: NULL */
static bool kernel_section_same_name(const void *a, const void *b) {
  const char *x = *(const char *const *)a, *y = *(const char *const *)b;
  return x && y ? strcmp(x, y) == 0 : x == y;
}

static bool same_determinism(const void *a, const void *b) {
  return *(const enum pawl_determinism *)a == *(const enum pawl_determinism *)b;
}

static const struct pawl_key kernel_rows[] = {
    {"operator", pawl_read_operator_name, KERNEL(operator_name), .equal = kernel_section_same_name},
    {"device", pawl_read_choice, KERNEL(device), .words = device_words},
    {"optional", pawl_read_bool, KERNEL(optional)},
    {"deterministic", read_determinism, KERNEL(deterministic), .equal = same_determinism},
    {"sources", pawl_read_strings, KERNEL(sources), .min = 1, .uncompared = true},
    {"include_dirs", pawl_read_strings, KERNEL(include_dirs), .needs = FROM_FILES,
     .uncompared = true},
    {"flags", pawl_read_strings, KERNEL(flags), .needs = FROM_FILES, .uncompared = true},
    {"libs", pawl_read_strings, KERNEL(libs), .needs = FROM_FILES, .uncompared = true},
    {"compiler", pawl_read_text, KERNEL(compiler), .needs = FROM_FILES, .uncompared = true},
    {"params", kernel_section_read_params, 0, .needs = FROM_FILES, .or_needs = "protocol",
     .uncompared = true},
    {"tune", read_tune, 0, .needs = FROM_FILES, .or_needs = "protocol", .table = &tune_keys,
     .uncompared = true},
    {"build", pawl_read_map, 0, .table = &kernel_build_keys, .uncompared = true},
    {"protocol", pawl_read_strings, KERNEL(protocol), .min = 1, .uncompared = true},
    {"command", pawl_read_strings, KERNEL(command), .min = 1, .uncompared = true},
    {"parse", pawl_read_text, KERNEL(parse), .needs = "command"},
    {"select", pawl_read_strings, KERNEL(select), .min = 1, .needs = "parse"},
};
const struct pawl_keys pawl_kernel_keys = PAWL_KEYS(kernel_rows, NULL);

static const struct pawl_key operator_build_rows[] = {
    {"command", pawl_read_strings, OPERATOR(build_command), .min = 1, .required = true},
    {"output", pawl_read_text, OPERATOR(build_output), .required = true},
};
static const struct pawl_keys operator_build_keys = PAWL_KEYS(operator_build_rows, NULL);

static pawl_status read_gpu_oracle(const struct pawl_slot *slot, void *field);

static const struct pawl_key gpu_oracle_rows[] = {
    {"sources", pawl_read_strings, OPERATOR(sources), .min = 1},
    {"include_dirs", pawl_read_strings, OPERATOR(include_dirs), .needs = FROM_FILES},
    {"flags", pawl_read_strings, OPERATOR(flags), .needs = FROM_FILES},
    {"libs", pawl_read_strings, OPERATOR(libs), .needs = FROM_FILES},
    {"build", pawl_read_map, 0, .table = &operator_build_keys},
};
static const struct pawl_keys gpu_oracle_keys = PAWL_KEYS(gpu_oracle_rows, NULL);

static bool same_gpu_oracle(const void *a, const void *b) {
  const struct pawl_operator_spec *x = *(struct pawl_operator_spec *const *)a,
                                  *y = *(struct pawl_operator_spec *const *)b;
  if (!x || !y) return x == y;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text difference = {0};
  pawl_keys_difference(&gpu_oracle_keys, x, y, &difference);
  return difference.length == 0;
}

static const struct pawl_key operator_rows[] = {
    {"sources", pawl_read_strings, OPERATOR(sources), .min = 1},
    {"include_dirs", pawl_read_strings, OPERATOR(include_dirs), .needs = FROM_FILES},
    {"flags", pawl_read_strings, OPERATOR(flags), .needs = FROM_FILES},
    {"libs", pawl_read_strings, OPERATOR(libs), .needs = FROM_FILES},
    {"build", pawl_read_map, 0, .table = &operator_build_keys},
    {"protocol", pawl_read_strings, OPERATOR(protocol), .min = 1},
    {"gpu_oracle", read_gpu_oracle, OPERATOR(gpu_oracle), .equal = same_gpu_oracle},
};
const struct pawl_keys pawl_operator_keys = PAWL_KEYS(operator_rows, NULL);

/* In the order of enum pawl_source_kind, from 1. */
static const char *const source_keys[] = {"sources", "build", "protocol", "command"};

/* Finds the one of the first `kinds` source keys that the entry has. Several or none is an
 * error. */
static pawl_status find_source_kind(const struct pawl_slot *slot, size_t kinds, const char *owner,
                                    enum pawl_source_kind *out) {
  const char *found = NULL;
  for (size_t i = 0; i < kinds; i++) {
    const struct pawl_yaml *key = pawl_yaml_get_key(slot->node, source_keys[i]);
    if (!key) continue;
    const bool built = found && !strcmp(found, "build") && !strcmp(source_keys[i], "command");
    if (found && !built)
      return pawl_yaml_fail(slot->reader, key, "%s has both '%s' and '%s': remove one", owner,
                            found, source_keys[i]);
    found = source_keys[i];
    *out = (enum pawl_source_kind)(i + 1);
  }
  if (found) return PAWL_OK;
  return pawl_yaml_fail(slot->reader, slot->name, "%s needs one of sources%s", owner,
                        kinds == 4   ? ", build, protocol and command"
                        : kinds == 3 ? ", build and protocol"
                                     : " and build");
}

static pawl_status check_operator_given(const struct pawl_slot *slot, const char *owner,
                                        const struct pawl_kernel_spec *spec) {
  if (spec->kind == PAWL_FROM_COMMAND && spec->operator_name)
    return pawl_yaml_fail(
        slot->reader, pawl_yaml_get_key(slot->node, "operator"),
        "%s has both 'operator' and 'command': a command has no operator, remove 'operator'",
        owner);
  if (spec->kind != PAWL_FROM_COMMAND && !spec->operator_name)
    return pawl_yaml_fail(slot->reader, slot->name,
                          "'operator' of %s is missing: name the operator that it computes", owner);
  return PAWL_OK;
}

/* The reader has already checked that `sources` is a list. */
static const struct pawl_file_place *source_places(const struct pawl_slot *slot) {
  const struct pawl_yaml *list = pawl_yaml_get(slot->node, "sources");
  if (!list) return NULL;
  struct pawl_file_place *places =
      pawl_arena_alloc(slot->reader->arena, list->count + 1, sizeof *places);
  for (size_t i = 0; i < list->count; i++)
    places[i] = pawl_yaml_place(slot->reader, list->items[i]);
  return places;
}

static pawl_status kernel_section_read_kernel(const struct pawl_slot *slot, bool reference,
                                              struct pawl_kernel_spec *out) {
  const char *owner = pawl_arena_printf(slot->reader->arena, "%s '%s'",
                                        reference ? "reference" : "kernel", slot->name->text);
  struct pawl_kernel_spec spec = {.name = slot->name->text,
                                  .device = PAWL_CPU,
                                  .reference = reference,
                                  .line = slot->name->line};
  PAWL_TRY(pawl_keys_read(slot->reader, &pawl_kernel_keys, owner, slot->node, &spec));
  PAWL_TRY(find_source_kind(slot, 4, owner, &spec.kind));
  PAWL_TRY(check_operator_given(slot, owner, &spec));
  spec.source_places = source_places(slot);
  if (spec.operator_name)
    spec.operator_place = pawl_yaml_place(slot->reader, pawl_yaml_get(slot->node, "operator"));
  spec.flags_given = pawl_yaml_get(slot->node, "flags") != NULL;
  if (spec.select.count && !pawl_kernel_is_harness(&spec))
    return pawl_yaml_fail(
        slot->reader, pawl_yaml_get_key(slot->node, "select"),
        "%s has 'select' beside 'parse: wall': one time has no benchmarks to select", owner);
  if (spec.kind == PAWL_FROM_COMMAND && !spec.parse) spec.parse = PAWL_PARSE_WALL;
  *out = spec;
  return PAWL_OK;
}

/* Reads the GPU oracle of the operator that the slot's owner names. */
static pawl_status read_gpu_oracle(const struct pawl_slot *slot, void *field) {
  const char *owner = pawl_arena_printf(slot->reader->arena, "gpu_oracle of %s", slot->owner);
  struct pawl_operator_spec *spec = pawl_arena_alloc(slot->reader->arena, 1, sizeof *spec);
  *spec = (struct pawl_operator_spec){.name = slot->name->text};
  PAWL_TRY(pawl_keys_read(slot->reader, &gpu_oracle_keys, owner, slot->node, spec));
  PAWL_TRY(find_source_kind(slot, 2, owner, &spec->kind));
  spec->source_places = source_places(slot);
  spec->flags_given = pawl_yaml_get(slot->node, "flags") != NULL;
  *(struct pawl_operator_spec **)field = spec;
  return PAWL_OK;
}

static pawl_status read_operator(const struct pawl_slot *slot, struct pawl_operator_spec *out) {
  const char *owner = pawl_arena_printf(slot->reader->arena, "operator '%s'", slot->name->text);
  struct pawl_operator_spec spec = {.name = slot->name->text};
  PAWL_TRY(pawl_keys_read(slot->reader, &pawl_operator_keys, owner, slot->node, &spec));
  PAWL_TRY(find_source_kind(slot, 3, owner, &spec.kind));
  spec.source_places = source_places(slot);
  spec.flags_given = pawl_yaml_get(slot->node, "flags") != NULL;
  *out = spec;
  return PAWL_OK;
}

/* Makes the slot of entry i of a section and checks its name. */
static pawl_status entry(const struct pawl_slot *section, size_t i, bool (*is_valid)(const char *),
                         const char *allowed, struct pawl_slot *out) {
  *out = *section;
  out->name = section->node->keys[i];
  out->node = section->node->items[i];
  if (is_valid(out->name->text)) return PAWL_OK;
  return pawl_yaml_fail(section->reader, out->name, "'%.60s' in %s is not a valid name: use %s",
                        out->name->text, section->name->text, allowed);
}

static pawl_status read_kernel_section(const struct pawl_slot *slot, bool reference,
                                       struct pawl_suite *suite) {
  const struct pawl_yaml *map = slot->node;
  if (map->kind != PAWL_YAML_MAP) return pawl_slot_fail(slot, map, "a mapping of names to kernels");
  const size_t total = suite->kernel_count + map->count;
  struct pawl_kernel_spec *kernels =
      pawl_arena_alloc(slot->reader->arena, total + 1, sizeof *kernels);
  /* kernels precede references, whatever the file's order */
  const size_t first = reference ? suite->kernel_count : 0, moved = reference ? 0 : map->count;
  if (suite->kernel_count)
    memcpy(kernels + moved, suite->kernels, suite->kernel_count * sizeof *kernels);
  for (size_t i = 0; i < map->count; i++) {
    struct pawl_slot one;
    PAWL_TRY(entry(slot, i, pawl_is_name,
                   "letters, digits, '_', '.' and '-', and start with a letter, a digit or '_'",
                   &one));
    const struct pawl_kernel_spec *other = pawl_suite_kernel(suite, one.name->text);
    if (other)
      return pawl_yaml_fail(slot->reader, one.name, "'%s' is already the name of a %s, in line %d",
                            other->name, other->reference ? "reference" : "kernel", other->line);
    PAWL_TRY(kernel_section_read_kernel(&one, reference, &kernels[first + i]));
  }
  suite->kernels = kernels;
  suite->kernel_count = total;
  return PAWL_OK;
}

pawl_status pawl_read_kernels(const struct pawl_slot *slot, void *field) {
  return read_kernel_section(slot, false, field);
}

pawl_status pawl_read_references(const struct pawl_slot *slot, void *field) {
  return read_kernel_section(slot, true, field);
}

pawl_status pawl_read_operators(const struct pawl_slot *slot, void *field) {
  struct pawl_suite *suite = field;
  const struct pawl_yaml *map = slot->node;
  if (map->kind != PAWL_YAML_MAP)
    return pawl_slot_fail(slot, map, "a mapping of names to operators");
  suite->operators =
      pawl_arena_alloc(slot->reader->arena, map->count + 1, sizeof *suite->operators);
  for (size_t i = 0; i < map->count; i++) {
    struct pawl_slot one;
    PAWL_TRY(entry(slot, i, pawl_is_operator_name,
                   "small letters, digits and '_', and start with a letter", &one));
    PAWL_TRY(read_operator(&one, &suite->operators[i]));
  }
  suite->operator_count = map->count;
  return PAWL_OK;
}
