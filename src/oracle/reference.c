/* SPDX-License-Identifier: Apache-2.0 */
/* Uses a reference kernel as the oracle. It runs in the same shared memory as the kernels that it
 * judges, before them. */
#include <string.h>

#include "base/parallel.h"
#include "oracle/decode.h"
#include "oracle/expected.h"
#include "oracle/layout.h"

#define TILE 1024

static pawl_status start(struct pawl_oracle *oracle, struct pawl_error *err) {
  if (oracle->reference_worker) return PAWL_OK;
  struct pawl_worker_options options = *oracle->reference;
  options.tensors = &oracle->tensors;
  options.expected = NULL;
  /* it would count the shared memory at its current size, which grows */
  options.memory_limit = 0;
  return pawl_worker_start(&oracle->reference_worker, &options, err);
}

static pawl_status compute(struct pawl_problem *problem, int set, struct pawl_error *err) {
  struct pawl_oracle *oracle = problem->oracle;
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  const char *refusal = NULL;
  uint64_t workspace;
  double seconds;
  PAWL_TRY(start(oracle, err));
  PAWL_TRY(pawl_worker_prepare(oracle->reference_worker, &shape, &problem->sets[set], 1,
                               pawl_cpu_count(), &problem->arena, &refusal, &workspace, err));
  if (refusal && oracle->by_base)
    return pawl_fail(err, PAWL_UNDECIDED,
                     "nothing judges this shape, because the base refuses it: %s", refusal);
  if (refusal)
    return pawl_fail(err, PAWL_CONFIG, "reference '%s' is the oracle but does not support '%s': %s",
                     oracle->reference->name,
                     problem->config.name ? problem->config.name : oracle->info.name, refusal);
  return pawl_worker_run(oracle->reference_worker, 0, &seconds, err);
}

static void take(const struct pawl_problem *problem, int set,
                 const struct pawl_expected_set *expected, int k) {
  const struct pawl_placed_tensor *from = &problem->sets[set].tensors[expected->tensor[k]];
  const int64_t count = pawl_placed_elements(from);
  double value[TILE];
  for (int64_t first = 0; first < count; first += TILE) {
    const int64_t n = count - first < TILE ? count - first : TILE;
    pawl_decode(problem->oracle->tensors.map + from->offset, from->spec.dtype, first, n, value);
    if (expected->dtype[k] == PAWL_F64) {
      memcpy((double *)expected->piece[k].data + first, value, (size_t)n * sizeof *value);
      continue;
    }
    for (int64_t i = 0; i < n; i++) ((float *)expected->piece[k].data)[first + i] = (float)value[i];
  }
}

/* Copies outputs that the kernel under test may have written out of the set, or back into it. */
static void move_outputs(const struct pawl_problem *problem, int set, unsigned char *copy,
                         bool back) {
  for (int i = 0; i < problem->sets[set].count; i++) {
    const struct pawl_placed_tensor *t = &problem->sets[set].tensors[i];
    unsigned char *place = problem->oracle->tensors.map + t->offset;
    if (t->spec.role == PAWL_IN) continue;
    memcpy(back ? place : copy, back ? copy : place, t->bytes);
    copy += t->bytes;
  }
}

static size_t output_bytes(const struct pawl_tensor_set *set) {
  size_t bytes = 0;
  for (int i = 0; i < set->count; i++)
    if (set->tensors[i].spec.role != PAWL_IN) bytes += set->tensors[i].bytes;
  return bytes;
}

pawl_status pawl_expect_by_reference(struct pawl_problem *problem, int set,
                                     const struct pawl_expected_set *expected,
                                     struct pawl_error *err) {
  struct pawl_oracle *oracle = problem->oracle;
  PAWL_CLEANUP(pawl_free_pointer)
  unsigned char *outputs = pawl_alloc(1, output_bytes(&problem->sets[set]));
  move_outputs(problem, set, outputs, false);
  PAWL_TRY(pawl_problem_reset(problem, set, err));
  const enum pawl_status_code status = compute(problem, set, err);
  for (int k = 0; status == PAWL_OK && k < expected->count; k++) take(problem, set, expected, k);
  move_outputs(problem, set, outputs, true);
  if (status == PAWL_OK || (status == PAWL_UNDECIDED && oracle->by_base)) return status;
  if (oracle->reference_worker &&
      pawl_worker_cause(oracle->reference_worker) != PAWL_CAUSE_REPORTED) {
    pawl_worker_free(oracle->reference_worker);
    oracle->reference_worker = NULL;
  }
  return pawl_prefix(err, "the oracle");
}
