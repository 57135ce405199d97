/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/gpu.h"

#include <string.h>

pawl_status pawl_oracle_use_gpu(struct pawl_oracle *oracle,
                                const struct pawl_gpu_oracle_options *options,
                                struct pawl_error *err) {
  struct pawl_oracle_gpu *gpu = &oracle->gpu;
  const struct pawl_seal_key *seal_key = oracle->cache.seal_key;
  const struct pawl_worker_options worker = {
      .driver = PAWL_DRIVER_PLUGIN,
      .role = PAWL_ROLE_GPU_ORACLE,
      .name = oracle->info.name,
      .plugin = options->plugin,
      .isolate = oracle->isolate,
      .hidden = {oracle->cache.folder, seal_key ? seal_key->folder : NULL},
      .tensors = &oracle->tensors,
      .expected = &oracle->expected,
      .gpu = options->gpu,
      .cuda = true,
      .connections = 1,
      .timeout_seconds = options->timeout_seconds};
  struct pawl_hasher hasher;
  const struct pawl_hash plugin = pawl_oracle_code(&worker);
  PAWL_TRY(pawl_worker_launch(&gpu->worker, &worker, err));
  pawl_hasher_init(&hasher);
  pawl_hasher_add(&hasher, &oracle->operator_code, sizeof oracle->operator_code);
  pawl_hasher_add(&hasher, &plugin, sizeof plugin);
  gpu->code = pawl_hasher_finish(&hasher);
  gpu->machine = pawl_arena_copy(&oracle->arena, options->machine);
  return PAWL_OK;
}

bool pawl_oracle_has_gpu(const struct pawl_oracle *oracle) {
  return oracle->gpu.worker && !oracle->reference;
}

void pawl_oracle_gpu_give_up(struct pawl_oracle *oracle, const char *reason) {
  pawl_log_warning(oracle->log, "%s; the CPU computes the expected values of '%s'", reason,
                   oracle->info.name);
  oracle->gpu.given_up = pawl_arena_copy(&oracle->arena, reason);
  pawl_worker_free(oracle->gpu.worker);
  oracle->gpu.worker = NULL;
}

/* A trial must name the operator's parameters. */
static pawl_status check_info(const struct pawl_oracle *oracle,
                              const struct pawl_gpu_oracle_info *info, struct pawl_error *err) {
  if (strcmp(info->operator_name, oracle->info.name) != 0)
    return pawl_fail(err, PAWL_CONFIG, "the GPU oracle of '%s' claims to belong to operator '%s'",
                     oracle->info.name, info->operator_name);
  for (int i = 0; i < info->trial_count; i++) {
    int p = 0;
    while (p < oracle->info.param_count &&
           strcmp(oracle->info.params[p].name, info->trial[i].name) != 0)
      p++;
    if (p == oracle->info.param_count)
      return pawl_fail(
          err, PAWL_CONFIG,
          "the GPU oracle of '%s' limits '%s' in its trial, but the operator has no such parameter",
          oracle->info.name, info->trial[i].name);
  }
  return PAWL_OK;
}

static pawl_status gpu_greet(struct pawl_oracle *oracle, struct pawl_error *err) {
  struct pawl_oracle_gpu *gpu = &oracle->gpu;
  PAWL_TRY(pawl_worker_greet(gpu->worker, err));
  PAWL_TRY(pawl_worker_describe_gpu_oracle(gpu->worker, &oracle->arena, &gpu->info, err));
  return check_info(oracle, &gpu->info, err);
}

void pawl_oracle_gpu_settle(struct pawl_oracle *oracle) {
  struct pawl_error err = {0};
  if (!pawl_oracle_has_gpu(oracle) || oracle->gpu.greeted) return;
  if (gpu_greet(oracle, &err) == PAWL_OK)
    oracle->gpu.greeted = true;
  else
    pawl_oracle_gpu_give_up(oracle, err.message);
}
