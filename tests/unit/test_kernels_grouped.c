/* SPDX-License-Identifier: Apache-2.0 */
/* Operator `grouped_attention`: its oracle against sums in long double, its lengths, its work, and
   the plain CPU kernel against the oracle. */
#include "attention/oracle.h"
#include "test_kernels_support.h"

const struct pawl_operator *grouped_attention_operator(void);
const struct pawl_kernel *sdpa_cpu_grouped_kernel(void);

enum { B, H, KV, S, D, CAUSAL, VARLEN, PARAMS };

static double element(const struct problem *p, int tensor, int64_t head, int64_t row,
                      int64_t column) {
  const struct pawl_tensor *t = &p->tensors[tensor];
  return pawl_load_f64(t->data, t->dtype, (head * t->size[2] + row) * t->size[3] + column);
}

static int64_t length_of(const struct problem *p, int64_t batch) {
  return ((const int32_t *)p->tensors[GROUPED_LENGTHS].data)[batch];
}

/* The exact value of one output. */
static long double attend_plainly(const struct problem *p, int64_t batch, int64_t head, int64_t row,
                                  int64_t column) {
  const int64_t h = p->dims[H].value, kv = p->dims[KV].value, d = p->dims[D].value;
  const int64_t queries = batch * h + head, keys_head = batch * kv + head / (h / kv);
  const int64_t length = length_of(p, batch), keys = p->dims[CAUSAL].value ? row + 1 : length;
  long double sum = 0, out = 0;
  if (row >= length) return 0;
  for (int64_t j = 0; j < keys; j++) {
    long double score = 0;
    for (int64_t c = 0; c < d; c++)
      score += (long double)element(p, ATTENTION_Q, queries, row, c) *
               (long double)element(p, ATTENTION_K, keys_head, j, c);
    const long double weight = expl(score / sqrtl((long double)d));
    sum += weight;
    out += weight * (long double)element(p, ATTENTION_V, keys_head, j, column);
  }
  return out / sum;
}

static void check(const int64_t *values, int32_t dtype, int32_t distribution) {
  const struct pawl_operator *op = grouped_attention_operator();
  struct problem p;
  problem_init(&p, op, dtype, values, &op->distributions[distribution], (uint64_t)(3 + values[S]));
  for (int64_t batch = 0; batch < values[B]; batch++)
    for (int64_t head = 0; head < values[H]; head++)
      for (int64_t row = 0; row<values[S]; row += values[S]> 64 ? 7 : 1)
        for (int64_t column = 0; column < values[D]; column += 5) {
          const long double expected = attend_plainly(&p, batch, head, row, column);
          const int64_t at = ((batch * values[H] + head) * values[S] + row) * values[D] + column;
          const double got = p.expected[ATTENTION_O][at];
          assert_true(fabsl((long double)got - expected) <= 1e-13L + 1e-12L * fabsl(expected));
        }
  run_kernel(&p, sdpa_cpu_grouped_kernel(), 1);
  const struct deviation d = deviation_of(&p);
  if (!within_tolerance(&p, d))
    fail_msg("sdpa_cpu_grouped, S %d, D %d, causal %d, varlen %d, %s: rel_rms %g, %d outside",
             (int)values[S], (int)values[D], (int)values[CAUSAL], (int)values[VARLEN],
             dtype_name(dtype), d.rel_rms, (int)d.outside);
  problem_clear(&p);
}

static void test_oracle_and_plain_kernel(void **state) {
  (void)state;
  static const int64_t shapes[][5] = {
      {1, 1, 1, 1, 1}, {3, 4, 2, 33, 16}, {5, 6, 1, 17, 8}, {2, 2, 2, 140, 20}};
  static const int32_t dtypes[] = {PAWL_F32, PAWL_F16, PAWL_BF16};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int switches = 0; switches < 4; switches++)
      for (int32_t n = 0; n < 3; n++) {
        const int64_t *shape = shapes[i];
        check((const int64_t[]){shape[0], shape[1], shape[2], shape[3], shape[4], switches & 1,
                                switches >> 1},
              dtypes[(n + switches) % 3], n);
      }
}

/* The seed changes which batch row has which length, not the lengths and not the work. */
static void test_lengths(void **state) {
  (void)state;
  const struct pawl_operator *op = grouped_attention_operator();
  int64_t sum[3] = {0};
  bool differ = false;
  int32_t first[6];
  for (uint64_t seed = 0; seed < 3; seed++) {
    struct problem p;
    problem_init(&p, op, PAWL_F32, (const int64_t[PARAMS]){6, 2, 1, 40, 4, 0, 1},
                 &op->distributions[0], seed);
    for (int64_t i = 0; i < 6; i++) {
      assert_in_range(length_of(&p, i), 1, 40);
      sum[seed] += length_of(&p, i) * length_of(&p, i);
      if (seed == 0) first[i] = (int32_t)length_of(&p, i);
      differ = differ || first[i] != length_of(&p, i);
    }
    assert_true(op->flop(&p.shape) == 4.0 * 2 * 4 * (double)sum[seed]);
    p.dims[VARLEN].value = 0;
    assert_true(op->flop(&p.shape) == 4.0 * 2 * 4 * 6 * 1600);
    p.dims[CAUSAL].value = 1;
    assert_true(op->flop(&p.shape) == 4.0 * 2 * 4 * 6 * 820);
    problem_clear(&p);
  }
  assert_true(sum[0] == sum[1] && sum[1] == sum[2]);
  assert_true(differ);
}

static void test_heads_must_divide(void **state) {
  (void)state;
  const struct pawl_operator *op = grouped_attention_operator();
  struct pawl_dim dims[] = {{"B", 1}, {"H", 12},     {"KV", 8},    {"S", 1},
                            {"D", 1}, {"causal", 0}, {"varlen", 0}};
  const struct pawl_shape shape = {dims, PARAMS, PAWL_F16};
  assert_string_equal(op->validate(&shape), "H must be a multiple of KV");
  dims[KV].value = 4;
  assert_null(op->validate(&shape));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oracle_and_plain_kernel),
      cmocka_unit_test(test_lengths),
      cmocka_unit_test(test_heads_must_divide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
