/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/oracle.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "build/named_files.h"
#include "build/other_inputs.h"
#include "model/dtype.h"
#include "protocol/stamp.h"
#include "worker/surroundings.h"

#define PLUGIN_FILE_LIMIT ((size_t)1 << 30)

static void oracle_hash_file(struct pawl_hasher *hasher, const char *path) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (pawl_file_read(path, PLUGIN_FILE_LIMIT, &text, NULL) == PAWL_OK)
    pawl_hasher_add(hasher, text.data ? text.data : "", text.length);
}

static void oracle_add_program(const struct pawl_worker_options *worker, const char *path,
                               struct pawl_hasher *hasher) {
  const struct pawl_surroundings *around = worker->surroundings;
  oracle_hash_file(hasher, path);
  if (!worker->folder) return;
  pawl_named_files_hash(path, worker->folder, hasher);
  pawl_other_inputs_hash(path, worker->folder, around ? &around->inputs : NULL, hasher);
}

struct pawl_hash pawl_oracle_code(const struct pawl_worker_options *worker) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, worker->code_hash);
  if (worker->plugin) oracle_add_program(worker, worker->plugin, &hasher);
  for (const char *const *word = worker->argv; word && *word; word++) {
    PAWL_CLEANUP(pawl_free_pointer)
    char *path = pawl_path_join(worker->folder ? worker->folder : ".", *word);
    pawl_hasher_add_string(&hasher, *word);
    if (**word && pawl_is_regular(path)) oracle_add_program(worker, path, &hasher);
  }
  return pawl_hasher_finish(&hasher);
}

static pawl_status start(struct pawl_oracle *oracle, const struct pawl_oracle_options *options,
                         struct pawl_error *err) {
  PAWL_TRY(pawl_shared_init(&oracle->tensors, "pawl-tensors", 1, err));
  PAWL_TRY(pawl_shared_init(&oracle->expected, "pawl-expected", 1, err));
  struct pawl_worker_options worker = options->worker;
  worker.role = PAWL_ROLE_OPERATOR;
  worker.hidden[0] = options->cache_folder;
  worker.hidden[1] = options->seal_key ? options->seal_key->folder : NULL;
  worker.tensors = &oracle->tensors;
  worker.expected = &oracle->expected;
  oracle->code = oracle->operator_code = pawl_oracle_code(&worker);
  PAWL_TRY(pawl_worker_start(&oracle->worker, &worker, err));
  PAWL_TRY(pawl_worker_describe_operator(oracle->worker, &oracle->arena, &oracle->info, err));
  if (strcmp(oracle->info.name, worker.name) != 0)
    return pawl_fail(err, PAWL_CONFIG,
                     "operator '%s' has the name '%s' in its own code; use that name", worker.name,
                     oracle->info.name);
  if (oracle->info.distribution_count < 1 || oracle->info.tolerance_count < 1)
    return pawl_fail(err, PAWL_CONFIG, "operator '%s' has no input distribution or no tolerance",
                     worker.name);
  return PAWL_OK;
}

pawl_status pawl_oracle_init(struct pawl_oracle *oracle, const struct pawl_oracle_options *options,
                             struct pawl_error *err) {
  /* the worker keeps the address of its arenas, so they must not move */
  struct pawl_oracle *made = oracle;
  *made = (struct pawl_oracle){.tensors = {.fd = -1},
                               .expected = {.fd = -1},
                               .log = options->log,
                               .isolate = options->worker.isolate,
                               .used = PAWL_STAMP_BYTES};
  pawl_oracle_cache_init(&made->cache, options->cache_folder, PAWL_ORACLE_CACHE_LIMIT,
                         options->seal_key, options->log);
  const enum pawl_status_code status = start(made, options, err);
  if (status != PAWL_OK) pawl_oracle_release(made);
  return status;
}

static void release_gpu(struct pawl_oracle_gpu *gpu) {
  pawl_worker_free(gpu->worker);
  pawl_free(gpu->trusted);
  *gpu = (struct pawl_oracle_gpu){0};
}

void pawl_oracle_dismiss(struct pawl_oracle *oracle) {
  pawl_worker_dismiss(oracle->gpu.worker);
  pawl_worker_dismiss(oracle->reference_worker);
  pawl_worker_dismiss(oracle->worker);
}

void pawl_oracle_release(struct pawl_oracle *oracle) {
  if (!oracle) return;
  release_gpu(&oracle->gpu);
  pawl_worker_free(oracle->reference_worker);
  pawl_worker_free(oracle->worker);
  pawl_oracle_cache_release(&oracle->cache);
  pawl_shared_release(&oracle->tensors);
  pawl_shared_release(&oracle->expected);
  pawl_arena_clear(&oracle->arena);
  *oracle = (struct pawl_oracle){.tensors = {.fd = -1}, .expected = {.fd = -1}};
}

void pawl_oracle_use_reference(struct pawl_oracle *oracle,
                               const struct pawl_worker_options *reference, const char *is) {
  oracle->reference_is = is;
  pawl_worker_free(oracle->reference_worker);
  oracle->reference_worker = NULL;
  oracle->reference = reference;
  oracle->code = oracle->operator_code;
  if (reference) oracle->code = pawl_oracle_code(reference);
}

pawl_status pawl_oracle_tolerance(const struct pawl_oracle *oracle, int32_t dtype,
                                  const struct pawl_check_spec *spec, struct pawl_tolerance *out,
                                  struct pawl_error *err) {
  for (int i = 0; i < oracle->info.tolerance_count; i++) {
    struct pawl_tolerance tolerance = oracle->info.tolerances[i];
    if (tolerance.dtype != dtype) continue;
    if (spec && !isnan(spec->atol)) tolerance.atol = spec->atol;
    if (spec && !isnan(spec->rtol)) tolerance.rtol = spec->rtol;
    if (spec && !isnan(spec->rel_rms)) tolerance.rel_rms = spec->rel_rms;
    if (spec && !(isnan(spec->atol) && isnan(spec->rtol))) {
      if (isnan(tolerance.atol)) tolerance.atol = 0;
      if (isnan(tolerance.rtol)) tolerance.rtol = 0;
      if (isnan(tolerance.rel_rms)) tolerance.rel_rms = INFINITY;
    }
    *out = tolerance;
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_CONFIG, "operator '%s' does not support dtype %s", oracle->info.name,
                   pawl_dtype_name(dtype));
}
