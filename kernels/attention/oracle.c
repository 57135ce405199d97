/* SPDX-License-Identifier: Apache-2.0 */
/* The attention oracle: for each block of query rows, all scores by one matrix product, a two-pass
   softmax (true row maximum, then exponentials), the weighted sum of the values by a second
   product. Nothing is computed online or rescaled: the oracle shares no method with the kernels
   that it judges. */
#include "oracle.h"

#include <math.h>
#include <pawl/convert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_ROWS 128                  /* query rows of one work item */
#define BLOCK_SCORES ((int64_t)1 << 22) /* doubles of one item's score block, at most (32 MiB) */
#define GROUP_ELEMENTS                                                      \
  ((int64_t)1 << 22) /* elements of K and V held in FP64 at a time (32 MiB) \
                      */

struct job {
  const struct pawl_host *host;
  const struct pawl_tensor *tensors;
  double *expected;
  const int32_t *lengths; /* A batch row has its length. NULL: each has S. */
  int64_t s, d;
  int64_t heads_of_key;       /* heads of queries that one head of keys serves */
  int64_t block_rows, blocks; /* rows of a block, blocks of a head */
  int64_t first_head;         /* the first head of keys of the current group */
  double *keys, *values;      /* [group, S, D] */
  bool causal;
  atomic_bool out_of_memory;
};

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* out[i] = element first + i. The switch is outside the loop, so that each loop is of one dtype. */
static void to_f64(const struct pawl_tensor *t, int64_t first, int64_t count, double *out) {
  switch (t->dtype) {
    case PAWL_F32:
      for (int64_t i = 0; i < count; i++) out[i] = pawl_load_f64(t->data, PAWL_F32, first + i);
      break;
    case PAWL_F16:
      for (int64_t i = 0; i < count; i++) out[i] = pawl_load_f64(t->data, PAWL_F16, first + i);
      break;
    case PAWL_BF16:
      for (int64_t i = 0; i < count; i++) out[i] = pawl_load_f64(t->data, PAWL_BF16, first + i);
      break;
    default:
      for (int64_t i = 0; i < count; i++) out[i] = pawl_load_f64(t->data, t->dtype, first + i);
  }
}

static void convert_head(void *context, int64_t item) {
  struct job *job = context;
  const int64_t size = job->s * job->d, first = (job->first_head + item / 2) * size;
  const bool is_key = item % 2 == 0;
  to_f64(&job->tensors[is_key ? ATTENTION_K : ATTENTION_V], first, size,
         (is_key ? job->keys : job->values) + item / 2 * size);
}

/* q: [rows, D] and scores: [rows, keys] are scratch; o: [rows, D]; k and v: [S, D] of the head. */
static void attend_rows(const struct job *job, int64_t first_row, int64_t rows, int64_t keys,
                        const double *q, const double *k, const double *v, double *scores,
                        double *o) {
  const struct pawl_host *host = job->host;
  const int64_t d = job->d;
  double sum[BLOCK_ROWS];
  host->dgemm(host, 0, 1, rows, keys, d, 1.0 / sqrt((double)d), q, d, k, d, 0.0, scores, keys);
  for (int64_t i = 0; i < rows; i++) {
    const int64_t visible = job->causal ? first_row + i + 1 : keys;
    sum[i] = pawl_softmax_row_f64(scores + i * keys, visible);
    memset(scores + i * keys + visible, 0, (size_t)(keys - visible) * sizeof *scores);
  }
  host->dgemm(host, 0, 0, rows, d, keys, 1.0, scores, keys, v, d, 0.0, o, d);
  for (int64_t i = 0; i < rows * d; i++) o[i] /= sum[i / d];
}

static void attend_block(void *context, int64_t item) {
  struct job *job = context;
  const int64_t head_in_group = item / job->blocks, size = job->s * job->d;
  const int64_t head = job->first_head * job->heads_of_key + head_in_group;
  const int64_t key_in_group = head_in_group / job->heads_of_key;
  const int64_t first_row = item % job->blocks * job->block_rows;
  const int64_t all = smaller(job->block_rows, job->s - first_row);
  const int64_t length =
      job->lengths ? job->lengths[head / job->tensors[ATTENTION_Q].size[1]] : job->s;
  const int64_t first = head * size + first_row * job->d;
  const int64_t rows = length > first_row ? smaller(all, length - first_row) : 0;
  memset(job->expected + first + rows * job->d, 0,
         (size_t)((all - rows) * job->d) * sizeof *job->expected);
  if (rows == 0) return;
  const int64_t keys = job->causal ? first_row + rows : length;
  double *scratch = malloc((size_t)(rows * (keys + job->d)) * sizeof *scratch);
  if (!scratch) {
    atomic_store(&job->out_of_memory, true);
    return;
  }
  double *q = scratch, *scores = scratch + rows * job->d;
  to_f64(&job->tensors[ATTENTION_Q], first, rows * job->d, q);
  attend_rows(job, first_row, rows, keys, q, job->keys + key_in_group * size,
              job->values + key_in_group * size, scores, job->expected + first);
  free(scratch);
}

int pawl_attention_oracle(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                          double *const *expected, const struct pawl_host *host) {
  const int64_t *q_size = tensors[ATTENTION_Q].size, *k_size = tensors[ATTENTION_K].size;
  const int64_t heads = k_size[0] * k_size[1];
  const bool grouped = pawl_shape_get(shape, "KV") > 0;
  struct job job = {
      .host = host,
      .tensors = tensors,
      .expected = expected[ATTENTION_O],
      .lengths = grouped ? tensors[GROUPED_LENGTHS].data : NULL,
      .heads_of_key = q_size[1] / k_size[1],
      .s = pawl_shape_get(shape, "S"),
      .d = pawl_shape_get(shape, "D"),
      .causal = pawl_shape_get(shape, "causal") == 1,
  };
  job.block_rows = smaller(BLOCK_ROWS, 1 + BLOCK_SCORES / job.s);
  job.blocks = (job.s + job.block_rows - 1) / job.block_rows;
  const int64_t head_elements = 2 * job.s * job.d,
                group = smaller(heads, 1 + GROUP_ELEMENTS / head_elements);
  job.keys = malloc((size_t)(group * head_elements) * sizeof *job.keys);
  if (!job.keys) return 1;
  job.values = job.keys + group * head_elements / 2;
  for (; job.first_head < heads && !atomic_load(&job.out_of_memory); job.first_head += group) {
    const int64_t now = smaller(group, heads - job.first_head);
    host->parallel_for(host, 2 * now, convert_head, &job);
    host->parallel_for(host, now * job.heads_of_key * job.blocks, attend_block, &job);
  }
  free(job.keys);
  return atomic_load(&job.out_of_memory) ? 1 : 0;
}
