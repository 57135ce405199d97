/* SPDX-License-Identifier: Apache-2.0 */
/* Attention, plain: for each query the scores of all its keys, their softmax, the weighted sum of
   the values. One thread, FP32 arithmetic, any dtype. The kernel to start from. */
#include <math.h>
#include <pawl/convert.h>
#include <pawl/kernel.h>
#include <string.h>

/* 1: the kernel of operator `grouped_attention`, 0: of `attention`. */
#ifndef GROUPED
#define GROUPED 0
#endif

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static size_t workspace_bytes(const struct pawl_shape *shape) {
  const int64_t s = pawl_shape_get(shape, "S"), d = pawl_shape_get(shape, "D");
  return (size_t)(2 * s * d + 2 * d + s) *
         sizeof(float); /* K and V of a head, a row of Q and of O, a row of scores */
}

static void load(const struct pawl_tensor *t, int64_t first, int64_t count, float *out) {
  for (int64_t i = 0; i < count; i++) out[i] = (float)pawl_load_f64(t->data, t->dtype, first + i);
}

static float dot(const float *a, const float *b, int64_t count) {
  float sum = 0.0f;
  for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

/* o[D] = softmax(q k^T / sqrt(D)) v over `keys` rows of k and v, both [keys, D]; scores: scratch
 * for `keys` values. */
static void attend(const float *q, const float *k, const float *v, int64_t keys, int64_t d,
                   float *scores, float *o) {
  const float scale = 1.0f / sqrtf((float)d);
  float largest = -INFINITY, sum = 0.0f;
  for (int64_t j = 0; j < keys; j++) {
    scores[j] = dot(q, k + j * d, d) * scale;
    largest = fmaxf(largest, scores[j]);
  }
  for (int64_t c = 0; c < d; c++) o[c] = 0.0f;
  for (int64_t j = 0; j < keys; j++) {
    const float weight = expf(scores[j] - largest);
    sum += weight;
    for (int64_t c = 0; c < d; c++) o[c] += weight * v[j * d + c];
  }
  for (int64_t c = 0; c < d; c++) o[c] /= sum;
}

static int launch(const struct pawl_launch *launch) {
  const struct pawl_tensor *q = &launch->tensors[0], *o = &launch->tensors[3];
  const int64_t heads = q->size[0] * q->size[1], s = q->size[2], d = q->size[3];
  const int64_t heads_of_key = q->size[1] / launch->tensors[1].size[1];
  const int causal = pawl_shape_get(launch->shape, "causal") == 1;
  float *k = launch->workspace, *v = k + s * d, *query = v + s * d, *out = query + d,
        *scores = out + d;
  for (int64_t head = 0; head < heads; head++) {
    const int64_t length =
        GROUPED ? ((const int32_t *)launch->tensors[4].data)[head / q->size[1]] : s;
    load(&launch->tensors[1], head / heads_of_key * s * d, s * d, k);
    load(&launch->tensors[2], head / heads_of_key * s * d, s * d, v);
    for (int64_t i = 0; i < s; i++) {
      const int64_t first = (head * s + i) * d;
      load(q, first, d, query);
      if (i < length)
        attend(query, k, v, causal ? i + 1 : length, d, scores, out);
      else
        memset(out, 0, (size_t)d * sizeof *out);
      for (int64_t c = 0; c < d; c++) pawl_store_f64(o->data, o->dtype, first + c, (double)out[c]);
    }
  }
  return 0;
}

static const struct pawl_kernel kernel = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_kernel),
    .name = GROUPED ? "sdpa_cpu_grouped" : "sdpa_cpu",
    .operator_name = GROUPED ? "grouped_attention" : "attention",
    .device = PAWL_CPU,
    .flags = PAWL_KERNEL_DETERMINISTIC,
    .supports = supports,
    .launch = launch,
    .workspace_bytes = workspace_bytes,
};

const struct pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
