/* SPDX-License-Identifier: Apache-2.0 */
/* The operator `scale` (y = 2 x) laid out in shared memory, for tests of workers: sets of x and y.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "worker/worker.h"

#define FIXTURE_N 1000
#define FIXTURE_SETS 2
#define FIXTURE_BYTES (FIXTURE_N * sizeof(float))
#define FIXTURE_STEP 8192 /* from one tensor to the next: room for a guard band */

struct fixture {
  struct pawl_shared tensors, expected;
  struct pawl_arena arena;
  struct pawl_dim dims[1];
  struct pawl_shape shape;
  struct pawl_placed_tensor placed[FIXTURE_SETS][2], placed_expected;
  struct pawl_tensor_set sets[FIXTURE_SETS];
  struct pawl_error err;
  struct pawl_worker *worker;
};

static inline float *fixture_tensor(struct fixture *f, int set, int tensor) {
  return (float *)(void *)(f->tensors.map + f->placed[set][tensor].offset);
}

static inline void fixture_init(struct fixture *f) {
  *f = (struct fixture){.dims = {{"n", FIXTURE_N}}};
  f->shape = (struct pawl_shape){f->dims, 1, PAWL_F32};
  assert_int_equal(
      pawl_shared_init(&f->tensors, "tensors", FIXTURE_STEP * 2 * (FIXTURE_SETS + 1), &f->err),
      PAWL_OK);
  assert_int_equal(pawl_shared_init(&f->expected, "expected", FIXTURE_N * sizeof(double), &f->err),
                   PAWL_OK);
  for (int s = 0; s < FIXTURE_SETS; s++) {
    for (int t = 0; t < 2; t++) {
      f->placed[s][t] =
          (struct pawl_placed_tensor){.spec = {.name = t ? "y" : "x",
                                               .role = t ? PAWL_OUT : PAWL_IN,
                                               .dtype = PAWL_F32,
                                               .ndim = 1,
                                               .size = {FIXTURE_N}},
                                      .fd = 5,
                                      .offset = FIXTURE_STEP * (uint64_t)(2 * s + t + 1),
                                      .bytes = FIXTURE_BYTES};
    }
    f->sets[s] = (struct pawl_tensor_set){f->placed[s], 2};
    for (int i = 0; i < FIXTURE_N; i++) fixture_tensor(f, s, 0)[i] = (float)(i + 1 + 7 * s);
  }
  f->placed_expected = f->placed[0][1];
  f->placed_expected.fd = 6;
  f->placed_expected.offset = 0;
  f->placed_expected.bytes = FIXTURE_N * sizeof(double);
}

static inline void fixture_release(struct fixture *f) {
  pawl_worker_free(f->worker);
  f->worker = NULL;
  pawl_shared_release(&f->tensors);
  pawl_shared_release(&f->expected);
  pawl_arena_clear(&f->arena);
}

static inline bool fixture_is_right(struct fixture *f, int set) {
  for (int i = 0; i < FIXTURE_N; i++) {
    if (!(fixture_tensor(f, set, 1)[i] == 2 * fixture_tensor(f, set, 0)[i])) return false;
  }
  return true;
}

static inline pawl_status fixture_prepare(struct fixture *f, const char **reason) {
  uint64_t workspace = 99;
  return pawl_worker_prepare(f->worker, &f->shape, f->sets, FIXTURE_SETS, 1, &f->arena, reason,
                             &workspace, &f->err);
}
