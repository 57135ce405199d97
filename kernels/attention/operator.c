/* SPDX-License-Identifier: Apache-2.0 */
/* Operator `attention`: forward scaled dot-product attention, o = softmax(q k^T / sqrt(D)) v for
   each batch and head, causal or not. Vaswani et al., "Attention is all you need", 2017,
   equation 1. The oracle is in oracle.c. */
#include <math.h>
#include <pawl/convert.h>

#include "oracle.h"

enum { PARAM_B, PARAM_H, PARAM_S, PARAM_D, PARAM_CAUSAL };

static const struct pawl_param params[] = {
    [PARAM_B] = {"B", 1, 1 << 16, 0, "batch size"},
    [PARAM_H] = {"H", 1, 1 << 12, 0, "heads"},
    [PARAM_S] = {"S", 1, 1 << 20, 0, "sequence length, of the queries and of the keys"},
    [PARAM_D] = {"D", 1, 1 << 10, 0, "elements of one head"},
    [PARAM_CAUSAL] = {"causal", 0, 1, 0, "1: query i sees the keys 0..i only"},
};

static const char *const tensor_names[ATTENTION_TENSORS] = {"q", "k", "v", "o"};

/* o has the dtype of the inputs; of E4M3 inputs it is F16, as is the field's custom: rounding it to
   three bits of mantissa would hide the error of the computation. */
static void tensor(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec *spec) {
  *spec = (struct pawl_tensor_spec){
      .name = tensor_names[index],
      .role = index == ATTENTION_O ? PAWL_OUT : PAWL_IN,
      .dtype = index == ATTENTION_O && shape->dtype == PAWL_E4M3 ? PAWL_F16 : PAWL_DTYPE_NONE,
      .ndim = 4,
      .size = {shape->dims[PARAM_B].value, shape->dims[PARAM_H].value, shape->dims[PARAM_S].value,
               shape->dims[PARAM_D].value},
  };
}

/* The pairs (query, key) that one head computes. */
static double pairs(const struct pawl_shape *shape) {
  const double s = (double)shape->dims[PARAM_S].value;
  return shape->dims[PARAM_CAUSAL].value ? s * (s + 1) / 2 : s * s;
}

/* Two products of D multiply-adds for each pair; the softmax is not counted, as is the field's
 * custom. */
static double flop(const struct pawl_shape *shape) {
  return 4.0 * (double)shape->dims[PARAM_B].value * (double)shape->dims[PARAM_H].value *
         (double)shape->dims[PARAM_D].value * pairs(shape);
}

/* The [S, D] part of a dense tensor that belongs to one head. */
struct slice {
  const struct pawl_tensor *tensor;
  int64_t offset; /* the offset of element [0, 0] */
  int64_t rows, cols;
};

static struct slice slice_of(const struct pawl_tensor *tensors, int32_t index, int64_t head) {
  const struct pawl_tensor *t = &tensors[index];
  return (struct slice){t, head * t->size[2] * t->size[3], t->size[2], t->size[3]};
}

static void set_first(struct slice slice, int64_t row, double value) {
  pawl_store_f64(slice.tensor->data, slice.tensor->dtype, slice.offset + row * slice.cols, value);
}

/* Element 0 of every query becomes QUERY_FIRST, so that element 0 of a key moves that key's score
   for all queries alike: by QUERY_FIRST * value / sqrt(D). */
#define QUERY_FIRST 4.0

static void share_first_query_element(struct slice q) {
  for (int64_t i = 0; i < q.rows; i++) set_first(q, i, QUERY_FIRST);
}

static double first_for_score(struct slice k, double score) {
  return score * sqrt((double)k.cols) / QUERY_FIRST;
}

/* One key in the last eighth of the sequence outweighs all the others together e^6 times: an online
   softmax that does not rescale what it accumulated, or that drops a last partial tile, is wrong by
   far. */
static void dominant_late_key(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                              uint64_t seed) {
  const int64_t heads = shape->dims[PARAM_B].value * shape->dims[PARAM_H].value;
  for (int64_t head = 0; head < heads; head++) {
    const struct slice q = slice_of(tensors, ATTENTION_Q, head),
                       k = slice_of(tensors, ATTENTION_K, head);
    const uint64_t late = (seed + (uint64_t)head * 7) % (uint64_t)(1 + k.rows / 8);
    share_first_query_element(q);
    set_first(k, k.rows - 1 - (int64_t)late, first_for_score(k, log((double)k.rows) + 6.0));
  }
}

/* The first key outweighs each other e^12 = 2^17 times, and all the others still bring what can be
   seen: 0.4 % of the weights of 448 keys, a twelfth of 8192. Trained models have such keys (Xiao et
   al., "Efficient streaming language models with attention sinks", 2023). Weights in FP16 reach
   down to 2^-24: whoever lets a row's largest be far less than 1 loses the others. */
static void attention_sink(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                           uint64_t seed) {
  (void)seed;
  const int64_t heads = shape->dims[PARAM_B].value * shape->dims[PARAM_H].value;
  for (int64_t head = 0; head < heads; head++) {
    const struct slice k = slice_of(tensors, ATTENTION_K, head);
    share_first_query_element(slice_of(tensors, ATTENTION_Q, head));
    set_first(k, 0, first_for_score(k, 12.0));
  }
}

/* Scores rise with the key's index, by 24 from the first to the last: the running maximum moves in
 * every tile. */
static void rising_maxima(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                          uint64_t seed) {
  (void)seed;
  const int64_t heads = shape->dims[PARAM_B].value * shape->dims[PARAM_H].value;
  for (int64_t head = 0; head < heads; head++) {
    const struct slice q = slice_of(tensors, ATTENTION_Q, head),
                       k = slice_of(tensors, ATTENTION_K, head);
    share_first_query_element(q);
    for (int64_t j = 0; j < k.rows; j++)
      set_first(k, j, first_for_score(k, 24.0 * (double)j / (double)k.rows));
  }
}

/* Rows of q and k are constant already. Those of v become ramps over one octave, value * (1 + c /
   D): outputs that were all alike would hide exchanged columns, and their rounding errors would not
   average out. */
static void ramp_values(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                        uint64_t seed) {
  (void)seed;
  const int64_t d = shape->dims[PARAM_D].value, count = pawl_tensor_elements(&tensors[ATTENTION_V]);
  const struct pawl_tensor *v = &tensors[ATTENTION_V];
  for (int64_t i = 0; i < count; i++) {
    const double ramp = 1.0 + (double)(i % d) / (double)d;
    pawl_store_f64(v->data, v->dtype, i, pawl_load_f64(v->data, v->dtype, i) * ramp);
  }
}

static const struct pawl_distribution distributions[] = {
    {"normal", PAWL_FILL_NORMAL, 0, 1.0, NULL},
    {"normal_x3", PAWL_FILL_NORMAL, 0, 3.0, NULL},
    {"dominant_late_key", PAWL_FILL_NORMAL, 0, 1.0, dominant_late_key},
    {"attention_sink", PAWL_FILL_NORMAL, 0, 1.0, attention_sink},
    {"rising_maxima", PAWL_FILL_NORMAL, 0, 1.0, rising_maxima},
    {"constant_rows", PAWL_FILL_CONSTANT_ROWS, 0, 1.0, ramp_values},
    {"zero_one", PAWL_FILL_ZERO_ONE, 0, 1.0, NULL},
};

/* Measured at S = 512, D = 64 as relative RMS error over all distributions
   (tests/unit/test_kernels_tolerances.c):

   - f16: rounding the exact output gives 2.0e-4 to 2.3e-4, weights in FP16 with FP32 sums (what a
   tensor core kernel does) up to 2.9e-4. To be refused: scores or sums in FP16 4.9e-4, weights in
   BF16 1.6e-3. Between them: 4e-4. The RMS of an output is only 0.07 on N(0,1), so atol alone would
   let much pass; rtol is twice the rounding to FP16 because of inputs x3, whose outputs are single
   values of v, as large as 12.
   - bf16: the same with 8 bits of significand instead of 11, eight times as much: exact
   output 1.7e-3, weights in BF16 2.3e-3; to be refused: scores or sums in BF16, 4.0e-3.
   - f32: FP32 throughout gives 1e-6 on N(0,1), 2e-6 on inputs x3 and, with D up to 256, 8e-6 on
   rising maxima, where scores are large; elements of x3 are off by up to 9e-5. Allowed are about
   three times those, for other orders of summation. To be refused: weights in FP16 1.9e-4, products
   of inputs cut to 11 bits (TF32) 3.2e-4.

   - e4m3: weights rounded to E4M3 give 2.6e-2 on N(0,1), whatever else is exact; the inputs are
   what they are, scales are 1. To be refused: scores or sums in E4M3. Few elements meet a bound of
   that size singly at short S, where outputs are as large as v: hence atol and rtol.

   An output near a one-hot softmax hardly depends on the weights, so low precision need not show on
   dominant_late_key; it does on N(0,1). One triple a dtype serves all distributions. */
static const struct pawl_tolerance tolerances[] = {
    ATTENTION_TOLERANCES,
    {PAWL_E4M3, 0, 1e-1, 1e-1, 4e-2},
};

#define COUNT(table) ((int32_t)(sizeof(table) / sizeof *(table)))

static const struct pawl_operator attention = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_operator),
    .name = "attention",
    .summary = "forward scaled dot-product attention, o = softmax(q k^T / sqrt(D)) v",
    .params = params,
    .distributions = distributions,
    .tolerances = tolerances,
    .param_count = COUNT(params),
    .distribution_count = COUNT(distributions),
    .tolerance_count = COUNT(tolerances),
    .tensor_count = ATTENTION_TENSORS,
    .tensor = tensor,
    .oracle = pawl_attention_oracle,
    .flop = flop,
};

const struct pawl_operator *pawl_operator_entry(void) { return &attention; }
