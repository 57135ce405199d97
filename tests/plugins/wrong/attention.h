/* SPDX-License-Identifier: Apache-2.0 */
/* An honest attention kernel with its joints exposed: a wrong kernel defines one of the macros
   below before it includes this, and is wrong in that one thing. Without any it must pass every
   check. FP32 arithmetic, one thread, any dtype.
 */
#pragma once

#include <math.h>
#include <pawl/convert.h>
#include <pawl/kernel.h>
#include <stdlib.h>
#include <string.h>

#define TILE 16 /* rows, and keys, that a tiled kernel would take at a time */

/* The scores' factor. */
#ifndef SCALE
#define SCALE(d) (1.0f / sqrtf((float)(d)))
#endif
/* How many keys query i looks at. */
#ifndef KEYS
#define KEYS(i, s, causal) ((causal) ? (i) + 1 : (s))
#endif
/* How many rows are written. */
#ifndef ROWS
#define ROWS(s) (s)
#endif
/* An input element as the arithmetic sees it. */
#ifndef INPUT
#define INPUT(x) (x)
#endif
/* The kernel subtracts this value from the scores. */
#ifndef MAXIMUM
#define MAXIMUM(scores, keys) largest_of(scores, keys)
#endif
/* exp(score - maximum) as the second product sees it. */
#ifndef WEIGHT
#define WEIGHT(w) (w)
#endif
/* One step of the sum over the keys. */
#ifndef ACCUMULATE
#define ACCUMULATE(sum, w, v) ((sum) + (w) * (v))
#endif
/* Is key j left out for query i? */
#ifndef SKIP
#define SKIP(i, j) 0
#endif
/* Where head `head` of B * H goes. */
#ifndef OUT_HEAD
#define OUT_HEAD(head, shape) (head)
#endif
/* Before anything; may return from launch. */
#ifndef BEFORE
#define BEFORE(launch) (void)0
#endif
/* After all outputs are written. */
#ifndef AFTER
#define AFTER(launch) (void)0
#endif

enum { Q, K, V, O };

static inline float largest_of(const float *scores, int64_t keys) {
  float largest = -INFINITY;
  for (int64_t j = 0; j < keys; j++) largest = fmaxf(largest, scores[j]);
  return largest;
}

static inline double get(const struct pawl_launch *launch, int tensor, int64_t index) {
  return pawl_load_f64(launch->tensors[tensor].data, launch->tensors[tensor].dtype, index);
}

static inline void put(const struct pawl_launch *launch, int tensor, int64_t index, double value) {
  pawl_store_f64(launch->tensors[tensor].data, launch->tensors[tensor].dtype, index, value);
}

static inline int64_t elements(const struct pawl_launch *launch) {
  return pawl_tensor_elements(&launch->tensors[O]);
}

static inline size_t bytes(const struct pawl_launch *launch) {
  return (size_t)elements(launch) * pawl_dtype_size(launch->tensors[O].dtype);
}

static inline float round_to(int32_t dtype, float x) {
  unsigned char word[8];
  pawl_store_f64(word, dtype, 0, (double)x);
  return (float)pawl_load_f64(word, dtype, 0);
}

/* One head as the arithmetic sees it: q, k and v are [s, d]; scores is scratch for s values. */
struct head {
  int64_t s, d, first; /* first: the index of the head's first element in the tensors */
  int causal;
  float *q, *k, *v, *scores, *o;
};

static inline void load(const struct pawl_launch *launch, int tensor, const struct head *head,
                        float *out) {
  for (int64_t i = 0; i < head->s * head->d; i++)
    out[i] = INPUT((float)get(launch, tensor, head->first + i));
}

/* Row i into head->o. */
static inline void attend(const struct pawl_launch *launch, const struct head *head, int64_t i) {
  const int64_t s = head->s, d = head->d, keys = KEYS(i, s, head->causal);
  float *scores = head->scores, *o = head->o, sum = 0.0f;
  (void)launch;
  for (int64_t j = 0; j < keys; j++) {
    float dot = 0.0f;
    for (int64_t c = 0; c < d; c++) dot += head->q[i * d + c] * head->k[j * d + c];
    scores[j] = dot * SCALE(d);
  }
  const float maximum = MAXIMUM(scores, keys);
  for (int64_t c = 0; c < d; c++) o[c] = 0.0f;
  for (int64_t j = 0; j < keys; j++) {
    const float weight = WEIGHT(expf(scores[j] - maximum));
    if (SKIP(i, j)) continue;
    sum += weight;
    for (int64_t c = 0; c < d; c++) o[c] = ACCUMULATE(o[c], weight, head->v[j * d + c]);
  }
  for (int64_t c = 0; c < d; c++) o[c] /= sum;
}

static inline void compute(const struct pawl_launch *launch) {
  const struct pawl_tensor *q = &launch->tensors[Q];
  const int64_t heads = q->size[0] * q->size[1], s = q->size[2], d = q->size[3];
  struct head head = {.s = s, .d = d, .causal = pawl_shape_get(launch->shape, "causal") == 1};
  head.q = malloc((size_t)(3 * s * d + s + d) * sizeof *head.q);
  head.k = head.q + s * d, head.v = head.k + s * d, head.scores = head.v + s * d,
  head.o = head.scores + s;
  for (int64_t h = 0; h < heads; h++) {
    head.first = h * s * d;
    load(launch, Q, &head, head.q);
    load(launch, K, &head, head.k);
    load(launch, V, &head, head.v);
    for (int64_t i = 0; i < ROWS(s); i++) {
      attend(launch, &head, i);
      for (int64_t c = 0; c < d; c++)
        put(launch, O, (OUT_HEAD(h, launch->shape) * s + i) * d + c, (double)head.o[c]);
    }
  }
  free(head.q);
}

#ifndef LAUNCH
static int honest_launch(const struct pawl_launch *launch) {
  BEFORE(launch);
  compute(launch);
  AFTER(launch);
  return 0;
}
#define LAUNCH honest_launch
#endif

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

#ifndef WORKSPACE
#define WORKSPACE NULL
#endif

static const struct pawl_kernel kernel = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_kernel),
    .name = "wrong",
    .operator_name = "attention",
    .device = PAWL_CPU,
    .flags = PAWL_KERNEL_DETERMINISTIC,
    .supports = supports,
    .launch = LAUNCH,
    .workspace_bytes = WORKSPACE,
};

const struct pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
