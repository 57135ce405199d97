/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values come from the operator as FP64. If the output's dtype is at most as precise as
 * FP32, pawl rounds them to FP32 at once, cached or not, so a verdict never depends on the cache.
 * The rounding is 2^-24 of the value, below half a unit of the coarsest such dtype, and it halves
 * the size of the cache. */
#include "oracle/expected.h"

#include <math.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "oracle/decode.h"
#include "oracle/gpu.h"
#include "oracle/layout.h"
#include "oracle/narrow.h"

/* A part of the key. Raise it if the format or the meaning of the values changes. */
#define ANSWER_VERSION "expected 3"
#define TILE 1024
/* With fewer elements, starting threads takes as long as the work. */
#define WORTH_THREADS ((int64_t)1 << 20)

struct pawl_expected pawl_problem_expected(const struct pawl_problem *problem, int set,
                                           int tensor) {
  const struct pawl_expected_set expected = pawl_expected_set_of(problem, set);
  for (int k = 0; k < expected.count; k++)
    if (expected.tensor[k] == tensor)
      return (struct pawl_expected){expected.piece[k].data, expected.dtype[k]};
  pawl_bug(__FILE__, __LINE__, "expected values of an input");
}

/* The key covers everything that the answer depends on: the code, the case and the inputs. The
 * inputs stand for their distribution, seed and generator. */
static struct pawl_hash expected_key(const struct pawl_problem *problem, int set,
                                     struct pawl_hash code) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  struct pawl_hasher hasher;
  pawl_case_key(&problem->config, &key);
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, ANSWER_VERSION);
  pawl_hasher_add_string(&hasher, problem->oracle->info.name);
  pawl_hasher_add(&hasher, &code, sizeof code);
  pawl_hasher_add_string(&hasher, pawl_text_string(&key));
  pawl_hasher_add(&hasher, &problem->input_hash[set], sizeof problem->input_hash[set]);
  return pawl_hasher_finish(&hasher);
}

/* The changes that a kernel makes to its inputs must not reach the answer or the cache. */
static pawl_status require_inputs(const struct pawl_problem *problem, int set,
                                  struct pawl_error *err) {
  const int changed = pawl_problem_changed_input(problem, set);
  if (changed < 0) return PAWL_OK;
  return pawl_fail(err, PAWL_FAILED, "the kernel changed its input '%s'",
                   problem->sets[set].tensors[changed].spec.name);
}

/* Exchanges the inouts in the arena with the copies of their drawn values. */
static void swap_inouts(const struct pawl_problem *problem, int set) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  unsigned char *saved = problem->inouts[set];
  for (int i = 0; saved && i < tensors->count; i++) {
    const struct pawl_placed_tensor *t = &tensors->tensors[i];
    if (t->spec.role != PAWL_INOUT) continue;
    unsigned char *now = problem->oracle->tensors.map + t->offset;
    for (uint64_t b = 0; b < t->bytes; b++) {
      const unsigned char kept = now[b];
      now[b] = saved[b], saved[b] = kept;
    }
    saved += t->bytes;
  }
}

/* `worker` is the operator's or its GPU oracle's. */
static pawl_status ask_operator(struct pawl_problem *problem, int set, struct pawl_worker *worker,
                                const struct pawl_expected_set *expected, struct pawl_error *err) {
  struct pawl_oracle *oracle = problem->oracle;
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  swap_inouts(problem, set);
  const enum pawl_status_code status = pawl_worker_oracle(worker, &shape, &problem->sets[set],
                                                          expected->placed, expected->count, err);
  swap_inouts(problem, set);
  if (status != PAWL_OK) return status;
  for (int k = 0; k < expected->count; k++)
    if (expected->dtype[k] == PAWL_F32)
      pawl_narrow(oracle->expected.map + expected->placed[k].offset,
                  pawl_placed_elements(&expected->placed[k]));
  return PAWL_OK;
}

struct nan_search {
  const struct pawl_expected_set *expected;
  int piece;
  int64_t count;
  /* The first such index; count: none. */
  _Atomic int64_t found;
};

static void search_tile(void *context, int64_t tile) {
  struct nan_search *search = context;
  const int64_t first = tile * TILE, left = search->count - first, n = left < TILE ? left : TILE;
  double value[TILE];
  int unordered = 0;
  if (first > atomic_load(&search->found)) return;
  pawl_decode(search->expected->piece[search->piece].data, search->expected->dtype[search->piece],
              first, n, value);
  for (int64_t i = 0; i < n; i++) unordered |= value[i] != value[i];
  for (int64_t i = 0; unordered && i < n; i++) {
    int64_t before = atomic_load(&search->found);
    while (isnan(value[i]) && first + i < before &&
           !atomic_compare_exchange_weak(&search->found, &before, first + i)) {
    }
  }
}

/* Returns the index of the first NaN of a piece; -1: none. */
static int64_t first_nan(const struct pawl_expected_set *expected, int k) {
  const int64_t count = pawl_placed_elements(&expected->placed[k]);
  struct nan_search search = {expected, k, count, count};
  pawl_parallel_for(count < WORTH_THREADS ? 1 : 0, (count + TILE - 1) / TILE, search_tile, &search);
  return search.found < count ? search.found : -1;
}

static pawl_status require_numbers(const struct pawl_oracle *oracle,
                                   const struct pawl_expected_set *expected,
                                   struct pawl_error *err) {
  for (int k = 0; k < expected->count; k++) {
    const int64_t nan_index = first_nan(expected, k);
    char element[PAWL_ELEMENT_NAME];
    if (nan_index < 0) continue;
    pawl_name_element(&expected->placed[k].spec, nan_index, element);
    if (oracle->reference)
      return pawl_fail(
          err, PAWL_BAD_DATA,
          "reference '%s' gives NaN at %s, or does not write it; an oracle must give "
          "numbers: does the operator give the tensor more elements than it has, or does the "
          "kernel read what it writes (PAWL_INOUT)?",
          oracle->reference->name, element);
    return pawl_fail(err, PAWL_BAD_DATA,
                     "operator '%s' gives NaN at %s; an oracle must give numbers",
                     oracle->info.name, element);
  }
  return PAWL_OK;
}

static void cache_values(struct pawl_oracle *oracle, struct pawl_hash key,
                         const struct pawl_expected_set *expected) {
  struct pawl_error err;
  bool stored;
  if (pawl_oracle_cache_write(&oracle->cache, key, expected->piece, expected->count, &stored,
                              &err) == PAWL_OK)
    return;
  if (!oracle->cache_failed)
    pawl_log_warning(oracle->log, "%s; pawl continues without it", err.message);
  oracle->cache_failed = true;
}

/* *answered is false if it did not answer. It has reported why, and the caller must ask the
 * operator's own oracle. */
static void ask_gpu(struct pawl_problem *problem, int set, bool *answered) {
  struct pawl_oracle *oracle = problem->oracle;
  struct pawl_error err = {0};
  *answered = false;
  if (!pawl_oracle_has_gpu(oracle) || !pawl_oracle_gpu_is_trusted(problem)) return;
  /* the trial may have moved it */
  const struct pawl_expected_set expected = pawl_expected_set_of(problem, set);
  enum pawl_status_code status = ask_operator(problem, set, oracle->gpu.worker, &expected, &err);
  if (status == PAWL_UNDECIDED) {
    pawl_log_detail(oracle->log, "%s; pawl uses the CPU oracle", err.message);
    return;
  }
  /* the fault may be a kernel that changed the inputs; the caller checks that */
  if (status == PAWL_OK && require_numbers(oracle, &expected, &err) != PAWL_OK &&
      pawl_problem_changed_input(problem, set) < 0)
    status = pawl_prefix(&err, "the GPU oracle");
  if (status != PAWL_OK) pawl_oracle_gpu_give_up(oracle, err.message);
  *answered = status == PAWL_OK;
}

/* Computes values that no cache holds. */
static pawl_status compute(struct pawl_problem *problem, int set, bool *on_gpu,
                           struct pawl_error *err) {
  struct pawl_oracle *oracle = problem->oracle;
  ask_gpu(problem, set, on_gpu);
  if (*on_gpu) return PAWL_OK;
  const struct pawl_expected_set expected = pawl_expected_set_of(problem, set);
  if (oracle->by_base && !oracle->reference)
    return pawl_fail(err, PAWL_CONFIG, "no base answers for operator '%s'", oracle->info.name);
  return oracle->reference ? pawl_expect_by_reference(problem, set, &expected, err)
                           : ask_operator(problem, set, oracle->worker, &expected, err);
}

static bool find_cached(struct pawl_problem *problem, int set, struct pawl_hash key) {
  struct pawl_oracle *oracle = problem->oracle;
  const struct pawl_expected_set expected = pawl_expected_set_of(problem, set);
  return pawl_oracle_cache_read(&oracle->cache, key, expected.piece, expected.count);
}

/* Uses cached values of any of the operator's oracles. */
static pawl_status expected_expect(struct pawl_problem *problem, int set, struct pawl_error *err) {
  struct pawl_oracle *oracle = problem->oracle;
  if (!problem->source[set].distribution)
    return pawl_fail(err, PAWL_USAGE, "set %d was never filled", set);
  const bool has_gpu = pawl_oracle_has_gpu(oracle);
  const struct pawl_hash own = expected_key(problem, set, oracle->code);
  const struct pawl_hash gpu = has_gpu ? expected_key(problem, set, oracle->gpu.code) : own;
  const bool has_own = oracle->expected_known && pawl_hash_equal(own, oracle->expected_key);
  if (has_own || (oracle->expected_known && pawl_hash_equal(gpu, oracle->expected_key)))
    return PAWL_OK;
  oracle->expected_known = false;
  PAWL_TRY(pawl_shared_grow(&oracle->expected, pawl_expected_set_of(problem, set).bytes, err));
  bool on_gpu = has_gpu && !problem->permuted && find_cached(problem, set, gpu);
  if (!on_gpu && (problem->permuted || !find_cached(problem, set, own))) {
    PAWL_TRY(compute(problem, set, &on_gpu, err));
    PAWL_TRY(require_inputs(problem, set, err));
    const struct pawl_expected_set expected = pawl_expected_set_of(problem, set);
    if (!on_gpu) PAWL_TRY(require_numbers(oracle, &expected, err));
    if (!problem->permuted) cache_values(oracle, on_gpu ? gpu : own, &expected);
  }
  oracle->expected_key = on_gpu ? gpu : own;
  oracle->expected_by = on_gpu ? "gpu_f64" : oracle->reference ? oracle->reference_is : "cpu_f64";
  oracle->expected_known = true;
  return PAWL_OK;
}

pawl_status pawl_problem_expect(struct pawl_problem *problem, int set, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  const enum pawl_status_code status = expected_expect(problem, set, err);
  problem->oracle->spent.expected += pawl_seconds_since(begin);
  return status;
}
