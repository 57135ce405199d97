/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/passed_check.h"

#include <string.h>

#include "base/sealed_json.h"
#include "check/matrix.h"
#include "loop/reference_key.h"
#include "oracle/gpu.h"
#include "project/check_kernel.h"

#define METHOD "3"      /* change this number when the method of the check changes */
#define MOST_PASSED 100 /* pawl keeps the newest checks of a kernel */
#define KEYS "passed"

static const struct pawl_sealed_kind kept_kind = {"passed check", 1};

/* A program reads files that its command line does not name. The suite's or the judge's tree has
   them. */
static bool add_operator(struct pawl_project *project, const struct pawl_oracle *oracle,
                         struct pawl_hasher *hasher) {
  struct pawl_project *tree;
  const char *reason;
  const struct pawl_operator_spec *spec =
      pawl_project_operator_spec(project, oracle->info.name, &tree);
  pawl_hasher_add(hasher, &oracle->operator_code, sizeof oracle->operator_code);
  return !spec || spec->kind != PAWL_FROM_PROTOCOL ||
         pawl_key_add_program(tree, &spec->protocol, hasher, &reason);
}

/* A reference of the suite or the GPU may give the answers. */
static bool add_oracle(struct pawl_project *project, const struct pawl_oracle *oracle,
                       struct pawl_hasher *hasher) {
  const char *reason;
  struct pawl_project *tree = project->operators.tree ? project->operators.tree : project;
  const struct pawl_kernel_spec *spec =
      oracle->reference ? pawl_suite_kernel(&tree->suite, oracle->reference->name) : NULL;
  pawl_hasher_add(hasher, &oracle->code, sizeof oracle->code);
  if (pawl_oracle_has_gpu(oracle))
    pawl_hasher_add(hasher, &oracle->gpu.code, sizeof oracle->gpu.code);
  return !spec || spec->kind != PAWL_FROM_PROTOCOL ||
         pawl_key_add_program(tree, &spec->protocol, hasher, &reason);
}

static pawl_status passed_check_add_row(const struct pawl_check_options *options,
                                        const struct pawl_check_item *item,
                                        struct pawl_hasher *hasher, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  struct pawl_tolerance tolerance;
  PAWL_TRY(
      pawl_oracle_tolerance(options->oracle, item->config.dtype, options->spec, &tolerance, err));
  const double numbers[] = {tolerance.atol, tolerance.rtol, tolerance.rel_rms, item->small,
                            item->edge};
  pawl_case_key(&item->config, &shape);
  pawl_hasher_add_string(hasher, pawl_text_string(&shape));
  pawl_hasher_add_string(hasher, item->distribution);
  pawl_hasher_add(hasher, numbers, sizeof numbers);
  return PAWL_OK;
}

static pawl_status add_matrix(struct pawl_project *project,
                              const struct pawl_check_options *options, struct pawl_hasher *hasher,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_check_matrix_release) struct pawl_check_matrix matrix = {0};
  const struct pawl_measure_spec *measure = &project->suite.measure;
  const double numbers[] = {options->reduced, options->threads, measure->isolation,
                            (double)measure->memory_limit, measure->timeout_seconds};
  pawl_hasher_add(hasher, numbers, sizeof numbers);
  pawl_hasher_add(hasher, &options->seed, sizeof options->seed);
  PAWL_TRY(pawl_check_matrix_init(&matrix, options, &project->arena, err));
  for (size_t i = 0; i < matrix.count; i++)
    PAWL_TRY(passed_check_add_row(options, &matrix.items[i], hasher, err));
  return PAWL_OK;
}

/* All files of the tree identify a program. Its build depends on tools too, and pawl does not know
   them. */
static bool add_kernel_code(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                            struct pawl_hasher *hasher) {
  const bool program = kernel->spec->kind == PAWL_FROM_PROTOCOL;
  const char *reason, *code = program ? kernel->program.hash : kernel->build.code_hash;
  if (!code || (program && kernel->spec->build_command.count)) return false;
  pawl_hasher_add_string(hasher, code);
  return pawl_key_add_kernel(project, kernel, hasher, &reason);
}

pawl_status pawl_check_key(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                           bool reduced, struct pawl_check_key *out, struct pawl_error *err) {
  struct pawl_check_options options = {.seed = PAWL_DEFAULT_SEED, .reduced = reduced};
  struct pawl_hasher hasher;
  PAWL_TRY(pawl_ready_check_options(project, kernel, NULL, NULL, &options, err));
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, METHOD);
  const bool known = add_kernel_code(project, kernel, &hasher) &&
                     add_operator(project, options.oracle, &hasher) &&
                     add_oracle(project, options.oracle, &hasher);
  const enum pawl_status_code status = add_matrix(project, &options, &hasher, err);
  *out = (struct pawl_check_key){kernel, known, pawl_hasher_finish(&hasher)};
  return status;
}

static const char *passed_check_path_of(struct pawl_project *project,
                                        const struct pawl_check_key *key) {
  return pawl_arena_printf(&project->arena, "%s/checks/%s.json", project->paths.cache_folder,
                           key->kernel->spec->name);
}

/* NULL: there are none, or the file is damaged, which the log says. */
static json_t *read_passed(struct pawl_project *project, const char *path, struct pawl_log *log) {
  json_t *document = NULL;
  struct pawl_error err = {0};
  const enum pawl_status_code status =
      pawl_sealed_json_read(path, pawl_project_seal_key(project), &kept_kind, &document, &err);
  if (status == PAWL_OK) return document;
  if (status != PAWL_NO_INPUT) pawl_log_warning(log, "pawl checks again: %s", err.message);
  return NULL;
}

static size_t passed_check_find(const json_t *keys, const char *wanted) {
  size_t i = 0;
  while (i < json_array_size(keys)) {
    const char *text = json_string_value(json_array_get(keys, i));
    if (text && !strcmp(text, wanted)) break;
    i++;
  }
  return i;
}

bool pawl_check_has_passed(struct pawl_project *project, const struct pawl_check_key *key) {
  char text[PAWL_HASH_TEXT];
  if (!key->known) return false;
  PAWL_CLEANUP(pawl_json_release)
  json_t *document = read_passed(project, passed_check_path_of(project, key), project->options.log);
  const json_t *keys = json_object_get(document, KEYS);
  pawl_hash_format(key->hash, text);
  return passed_check_find(keys, text) < json_array_size(keys);
}

void pawl_check_keep_passed(struct pawl_project *project, const struct pawl_check_key *key) {
  char text[PAWL_HASH_TEXT];
  struct pawl_error err = {0};
  if (!key->known) return;
  const char *path = passed_check_path_of(project, key);
  PAWL_CLEANUP(pawl_json_release) json_t *document = read_passed(project, path, NULL);
  if (!document) document = json_object();
  json_t *keys = json_object_get(document, KEYS);
  if (!json_is_array(keys)) pawl_json_set(document, KEYS, keys = json_array());
  pawl_hash_format(key->hash, text);
  json_array_remove(keys, passed_check_find(keys, text));
  json_array_append_new(keys, json_string(text));
  if (json_array_size(keys) > MOST_PASSED) json_array_remove(keys, 0);
  if (pawl_sealed_json_write(path, pawl_project_seal_key(project), &kept_kind, document, &err) !=
      PAWL_OK)
    pawl_log_warning(project->options.log, "the next run checks '%s' again: %s",
                     key->kernel->spec->name, err.message);
}
