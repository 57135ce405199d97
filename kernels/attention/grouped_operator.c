/* SPDX-License-Identifier: Apache-2.0 */
/* Operator `grouped_attention`: `attention` as language models run it. Several heads of queries
   share one head of keys and values (Ainslie et al., "GQA: training generalized multi-query
   transformer models", 2023). Each batch row can have a length of its own: keys at and behind it
   are not seen, and outputs of queries there are 0. The oracle is in oracle.c. */
#include "oracle.h"

enum { PARAM_B, PARAM_H, PARAM_KV, PARAM_S, PARAM_D, PARAM_CAUSAL, PARAM_VARLEN };

static const struct pawl_param params[] = {
    [PARAM_B] = {"B", 1, 1 << 16, 0, "batch size"},
    [PARAM_H] = {"H", 1, 1 << 12, 0, "heads of queries, a multiple of KV"},
    [PARAM_KV] = {"KV", 1, 1 << 12, 8, "heads of keys and values"},
    [PARAM_S] = {"S", 1, 1 << 20, 0, "sequence length, of the queries and of the keys"},
    [PARAM_D] = {"D", 1, 1 << 10, 0, "elements of one head"},
    [PARAM_CAUSAL] = {"causal", 0, 1, 0, "1: query i sees the keys 0..i only"},
    [PARAM_VARLEN] = {"varlen", 0, 1, 0, "1: batch rows have lengths from 1 to S; 0: all have S"},
};

static const char *const tensor_names[GROUPED_TENSORS] = {"q", "k", "v", "o", "lengths"};

static void tensor(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec *spec) {
  const struct pawl_dim *dims = shape->dims;
  const int64_t b = dims[PARAM_B].value;
  if (index == GROUPED_LENGTHS) {
    *spec = (struct pawl_tensor_spec){tensor_names[index], PAWL_IN, PAWL_I32, 1, 0, {b}};
    return;
  }
  const bool of_keys = index == ATTENTION_K || index == ATTENTION_V;
  *spec = (struct pawl_tensor_spec){
      .name = tensor_names[index],
      .role = index == ATTENTION_O ? PAWL_OUT : PAWL_IN,
      .ndim = 4,
      .size = {b, dims[of_keys ? PARAM_KV : PARAM_H].value, dims[PARAM_S].value,
               dims[PARAM_D].value},
  };
}

static const char *validate(const struct pawl_shape *shape) {
  return shape->dims[PARAM_H].value % shape->dims[PARAM_KV].value ? "H must be a multiple of KV"
                                                                  : NULL;
}

/* The lengths of a case are always the same numbers, so that the work of a call is known. They are
   spread evenly, and hardly one is a multiple of a tile. */
static int32_t length(const struct pawl_shape *shape, int64_t rank) {
  const int64_t b = shape->dims[PARAM_B].value, s = shape->dims[PARAM_S].value;
  if (!shape->dims[PARAM_VARLEN].value) return (int32_t)s;
  const int64_t middle = 1 + s * (2 * rank + 1) / (2 * b);
  return (int32_t)(middle < s ? middle : s);
}

/* The seed decides which batch row has which length. */
static void draw_lengths(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                         uint64_t seed) {
  int32_t *lengths = tensors[GROUPED_LENGTHS].data;
  uint64_t state = seed;
  for (int64_t i = 0; i < shape->dims[PARAM_B].value; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const int64_t other = (int64_t)((state >> 33) % (uint64_t)(i + 1));
    lengths[i] = lengths[other];
    lengths[other] = length(shape, i);
  }
}

/* Two products of D multiply-adds for each pair of a query and a key that it sees. */
static double flop(const struct pawl_shape *shape) {
  double pairs = 0.0;
  for (int64_t i = 0; i < shape->dims[PARAM_B].value; i++) {
    const double n = (double)length(shape, i);
    pairs += shape->dims[PARAM_CAUSAL].value ? n * (n + 1) / 2 : n * n;
  }
  return 4.0 * (double)shape->dims[PARAM_H].value * (double)shape->dims[PARAM_D].value * pairs;
}

static const struct pawl_distribution distributions[] = {
    {"normal", PAWL_FILL_NORMAL, 0, 1.0, draw_lengths},
    {"normal_x3", PAWL_FILL_NORMAL, 0, 3.0, draw_lengths},
    {"zero_one", PAWL_FILL_ZERO_ONE, 0, 1.0, draw_lengths},
};

static const struct pawl_tolerance tolerances[] = {
    ATTENTION_TOLERANCES,
};

#define COUNT(table) ((int32_t)(sizeof(table) / sizeof *(table)))

static const struct pawl_operator grouped_attention = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_operator),
    .name = "grouped_attention",
    .summary = "attention with fewer heads of keys than of queries, and lengths of batch rows",
    .params = params,
    .distributions = distributions,
    .tolerances = tolerances,
    .param_count = COUNT(params),
    .distribution_count = COUNT(distributions),
    .tolerance_count = COUNT(tolerances),
    .tensor_count = GROUPED_TENSORS,
    .tensor = tensor,
    .oracle = pawl_attention_oracle,
    .flop = flop,
    .validate = validate,
};

const struct pawl_operator *pawl_operator_entry(void) { return &grouped_attention; }
