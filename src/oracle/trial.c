/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the GPU oracle with the operator's own: the same inputs, FP64 answers, element by
 * element. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "oracle/expected.h"
#include "oracle/gpu.h"
#include "oracle/layout.h"
#include "pawl/convert.h"

/* A part of the key. Raise it if the trial changes. */
#define TRIAL_VERSION "trial 1"
#define TRIAL_SEED 1
#define TRIALS_FOLDER "trials"

/* The problem's case, with the GPU oracle's limits on its parameters. */
static struct pawl_case cut_down(const struct pawl_problem *problem, struct pawl_arena *arena) {
  const struct pawl_gpu_oracle_info *info = &problem->oracle->gpu.info;
  struct pawl_case config = problem->config;
  config.dims = pawl_arena_alloc(arena, (size_t)config.count + 1, sizeof *config.dims);
  memcpy(config.dims, problem->config.dims, (size_t)config.count * sizeof *config.dims);
  for (int i = 0; i < config.count; i++) {
    for (int t = 0; t < info->trial_count; t++) {
      if (!strcmp(config.dims[i].name, info->trial[t].name) &&
          config.dims[i].value > info->trial[t].value)
        config.dims[i].value = info->trial[t].value;
    }
  }
  return config;
}

static struct pawl_hash trial_key(const struct pawl_oracle *oracle, const char *item) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, TRIAL_VERSION);
  pawl_hasher_add(&hasher, &oracle->gpu.code, sizeof oracle->gpu.code);
  pawl_hasher_add_string(&hasher, oracle->gpu.machine);
  pawl_hasher_add_string(&hasher, item);
  return pawl_hasher_finish(&hasher);
}

/* The key of the record of a passed trial. */
static char *record_path(const struct pawl_oracle *oracle, struct pawl_hash key) {
  char name[PAWL_HASH_TEXT + sizeof ".json"];
  pawl_hash_format(key, name);
  strcat(name, ".json");
  PAWL_CLEANUP(pawl_free_pointer)
  char *folder = pawl_path_join(oracle->cache.folder, TRIALS_FOLDER);
  return pawl_path_join(folder, name);
}

static bool has_passed(const struct pawl_oracle *oracle, struct pawl_hash key) {
  for (size_t i = 0; i < oracle->gpu.trusted_count; i++)
    if (pawl_hash_equal(oracle->gpu.trusted[i], key)) return true;
  if (!oracle->cache.folder) return false;
  PAWL_CLEANUP(pawl_free_pointer) char *path = record_path(oracle, key);
  return pawl_file_exists(path);
}

static void note_passed(struct pawl_oracle *oracle, struct pawl_hash key) {
  struct pawl_oracle_gpu *gpu = &oracle->gpu;
  gpu->trusted =
      pawl_grow(gpu->trusted, gpu->trusted_count, &gpu->trusted_capacity, sizeof *gpu->trusted);
  gpu->trusted[gpu->trusted_count++] = key;
}

/* The record is for later commands and for people. Without it there is only another trial. */
static void trial_record(const struct pawl_oracle *oracle, struct pawl_hash key, const char *item,
                         double worst) {
  if (!oracle->cache.folder) return;
  PAWL_CLEANUP(pawl_free_pointer) char *path = record_path(oracle, key);
  PAWL_CLEANUP(pawl_free_pointer)
  char *folder = pawl_path_join(oracle->cache.folder, TRIALS_FOLDER);
  PAWL_CLEANUP(pawl_json_release) json_t *object = json_object();
  struct pawl_error ignored = {0};
  pawl_json_set_string(object, "operator", oracle->info.name);
  pawl_json_set_string(object, "case", item);
  pawl_json_set_string(object, "machine", oracle->gpu.machine);
  pawl_json_set_number(object, "largest_difference", worst);
  pawl_json_set_number(object, "allowed", PAWL_GPU_ORACLE_AGREEMENT);
  if (pawl_make_folders(folder, &ignored) != PAWL_OK ||
      pawl_json_write(path, object, false, &ignored) != PAWL_OK)
    pawl_log_detail(oracle->log, "cannot store the passed trial of the GPU oracle: %s",
                    ignored.message);
}

static double root_mean_square(const double *values, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; i++)
    if (isfinite(values[i])) sum += values[i] * values[i];
  return sqrt(sum / (double)(count ? count : 1));
}

double pawl_oracle_difference(const double *own, const double *gpu, int64_t count, int64_t *where) {
  const double typical = root_mean_square(own, count);
  double worst = 0;
  for (int64_t i = 0; i < count; i++) {
    if (own[i] == gpu[i] || (isnan(own[i]) && isnan(gpu[i]))) continue;
    const double off = fabs(gpu[i] - own[i]) / (fabs(own[i]) + typical);
    const double now = isfinite(off) ? off : (double)INFINITY;
    if (now > worst) worst = now, *where = i;
  }
  return worst;
}

static void stretch_inputs(const struct pawl_problem *trial) {
  for (int i = 0; i < trial->work.tensor_count; i++) {
    const struct pawl_tensor t =
        pawl_placed_view(&trial->sets[0].tensors[i], trial->oracle->tensors.map);
    const bool number = t.dtype != PAWL_I32 && t.dtype != PAWL_I64 && t.dtype != PAWL_U8;
    const int64_t count = t.role == PAWL_OUT || !number ? 0 : pawl_tensor_elements(&t);
    for (int64_t e = 0; e < count; e++)
      pawl_store_f64(t.data, t.dtype, e,
                     PAWL_GPU_ORACLE_STRETCH * pawl_load_f64(t.data, t.dtype, e));
  }
}

/* A trial in progress. */
struct oracle_trial {
  struct pawl_problem problem;
  struct pawl_expected_set expected;
  const char *item; /* the case, in words */
  double *own;      /* the CPU's answer, in the arena's layout */
  double worst;
};

static pawl_status compare(struct oracle_trial *trial, const char *distribution,
                           struct pawl_error *err) {
  const struct pawl_oracle *oracle = trial->problem.oracle;
  for (int k = 0; k < trial->expected.count; k++) {
    const struct pawl_placed_tensor *t = &trial->expected.placed[k];
    const double *own = trial->own + t->offset / sizeof(double);
    const double *gpu = (const double *)(const void *)(oracle->expected.map + t->offset);
    int64_t element_index = 0;
    const double off = pawl_oracle_difference(own, gpu, pawl_placed_elements(t), &element_index);
    char element[PAWL_ELEMENT_NAME];
    trial->worst = off > trial->worst ? off : trial->worst;
    if (off <= PAWL_GPU_ORACLE_AGREEMENT) continue;
    pawl_name_element(&t->spec, element_index, element);
    return pawl_fail(err, PAWL_FAILED,
                     "the GPU oracle of '%s' disagrees with the operator's own oracle on %s, %s: "
                     "%s is %.17g, not %.17g (off by %.2g, allowed %.0e)",
                     oracle->info.name, trial->item, distribution, element, gpu[element_index],
                     own[element_index], off, PAWL_GPU_ORACLE_AGREEMENT);
  }
  return PAWL_OK;
}

static pawl_status ask_both(struct oracle_trial *trial, const char *name, bool stretched,
                            struct pawl_error *err) {
  struct pawl_problem *problem = &trial->problem;
  struct pawl_oracle *oracle = problem->oracle;
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  PAWL_TRY(pawl_problem_fill(problem, 0, name, TRIAL_SEED, err));
  if (stretched) stretch_inputs(problem);
  PAWL_TRY(pawl_worker_oracle(oracle->worker, &shape, problem->sets, trial->expected.placed,
                              trial->expected.count, err));
  memcpy(trial->own, oracle->expected.map, trial->expected.bytes);
  PAWL_TRY(pawl_worker_oracle(oracle->gpu.worker, &shape, problem->sets, trial->expected.placed,
                              trial->expected.count, err));
  return compare(trial, stretched ? "all inputs eight times as large" : name, err);
}

static pawl_status run_distributions(struct oracle_trial *trial, struct pawl_error *err) {
  struct pawl_oracle *oracle = trial->problem.oracle;
  PAWL_TRY(
      pawl_shared_grow(&oracle->expected, pawl_expected_set_of(&trial->problem, 0).bytes, err));
  trial->expected = pawl_expected_set_of(&trial->problem, 0);
  PAWL_CLEANUP(pawl_free_pointer) double *own = pawl_alloc(1, trial->expected.bytes);
  trial->own = own;
  for (int d = 0; d < oracle->info.distribution_count; d++)
    PAWL_TRY(ask_both(trial, oracle->info.distributions[d].name, false, err));
  return ask_both(trial, oracle->info.distributions[0].name, true, err);
}

static pawl_status run_trial(struct pawl_oracle *oracle, const struct pawl_case *config,
                             const char *shape, double *worst, struct pawl_error *err) {
  struct oracle_trial trial = {.item = shape};
  PAWL_TRY(pawl_problem_init(&trial.problem, oracle, config, 1, err));
  oracle->expected_known = false;
  const enum pawl_status_code status = run_distributions(&trial, err);
  pawl_problem_release(&trial.problem);
  *worst = trial.worst;
  return status;
}

bool pawl_oracle_gpu_is_trusted(struct pawl_problem *problem) {
  struct pawl_oracle *oracle = problem->oracle;
  pawl_oracle_gpu_settle(oracle);
  if (!pawl_oracle_has_gpu(oracle)) return false;
  const struct pawl_case config = cut_down(problem, &problem->arena);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  pawl_case_key(&config, &shape);
  const struct pawl_hash key = trial_key(oracle, pawl_text_string(&shape));
  if (has_passed(oracle, key)) return true;
  struct pawl_error err = {0};
  double worst = 0;
  const enum pawl_status_code status =
      run_trial(oracle, &config, pawl_text_string(&shape), &worst, &err);
  if (status == PAWL_UNDECIDED) {
    pawl_log_detail(oracle->log, "%s; pawl uses the CPU oracle", err.message);
    return false;
  }
  if (status != PAWL_OK) {
    pawl_oracle_gpu_give_up(oracle, err.message);
    return false;
  }
  pawl_log_detail(
      oracle->log,
      "the GPU oracle of '%s' agrees with the operator's own oracle on %s: largest difference %.2g",
      oracle->info.name, pawl_text_string(&shape), worst);
  note_passed(oracle, key);
  trial_record(oracle, key, pawl_text_string(&shape), worst);
  return true;
}
