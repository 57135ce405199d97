/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of `attention` and its inputs, against sums in long double. */
#include "attention/oracle.h"
#include "test_kernels_support.h"

const struct pawl_operator *attention_operator(void);

/* expected value of element (row, column) of the head whose tensors begin at element `first`. */
static long double attend_plainly(const struct problem *p, int64_t first, int64_t row,
                                  int64_t column) {
  const int64_t s = p->dims[2].value, d = p->dims[3].value, keys = p->dims[4].value ? row + 1 : s;
  const struct pawl_tensor *t = p->tensors;
  long double *scores = calloc((size_t)keys, sizeof *scores), largest = -INFINITY, sum = 0, out = 0;
  assert_non_null(scores);
  for (int64_t j = 0; j < keys; j++) {
    for (int64_t c = 0; c < d; c++)
      scores[j] += (long double)pawl_load_f64(t[0].data, t[0].dtype, first + row * d + c) *
                   (long double)pawl_load_f64(t[1].data, t[1].dtype, first + j * d + c);
    scores[j] /= sqrtl((long double)d);
    largest = fmaxl(largest, scores[j]);
  }
  for (int64_t j = 0; j < keys; j++) {
    const long double weight = expl(scores[j] - largest);
    sum += weight;
    out += weight * (long double)pawl_load_f64(t[2].data, t[2].dtype, first + j * d + column);
  }
  free(scores);
  return out / sum;
}

static void check_oracle(const int64_t *values, int32_t dtype,
                         const struct pawl_distribution *distribution) {
  struct problem p;
  problem_init(&p, attention_operator(), dtype, values, distribution, 7);
  const int64_t heads = values[0] * values[1], s = values[2], d = values[3];
  for (int64_t head = 0; head < heads; head++)
    for (int64_t row = 0; row<s; row += s> 64 ? 13 : 1)
      for (int64_t column = 0; column < d; column += 5) {
        const long double expected = attend_plainly(&p, head * s * d, row, column);
        const double got = p.expected[3][(head * s + row) * d + column];
        assert_true(fabsl((long double)got - expected) <= 1e-13L + 1e-12L * fabsl(expected));
      }
  problem_clear(&p);
}

static void test_oracle_matches_long_double(void **state) {
  (void)state;
  static const int64_t shapes[][4] = {
      {1, 1, 1, 1}, {2, 3, 7, 16}, {1, 2, 33, 40}, {1, 1, 129, 64}, {1, 2, 300, 16}};
  const struct pawl_operator *op = attention_operator();
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int64_t causal = 0; causal < 2; causal++)
      for (int32_t n = 0; n < op->distribution_count; n++) {
        const int64_t values[] = {shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], causal};
        check_oracle(values,
                     n % 3 == 0   ? PAWL_F32
                     : n % 3 == 1 ? PAWL_F16
                                  : PAWL_BF16,
                     &op->distributions[n]);
      }
}

/* exp over [-708, 0] within one unit in the last place of expl's, below it 0. */
static void test_exp_is_accurate(void **state) {
  (void)state;
  enum { COUNT = 200003 };
  double *x = calloc(COUNT, sizeof *x), *y = calloc(COUNT, sizeof *y);
  assert_non_null(x);
  assert_non_null(y);
  struct pawl_random random = pawl_random_init(3, 0);
  for (int i = 1; i < COUNT; i++)
    x[i] = -exp(log(708.0) * (1.3 * pawl_random_double(&random) - 0.3)) * 0.999999;
  for (int i = 1; i < COUNT; i++) x[i] = fmax(x[i], -708.0);
  memcpy(y, x, COUNT * sizeof *y);
  const double sum = pawl_softmax_row_f64(y, COUNT);
  long double total = 0, worst = 0;
  for (int i = 0; i < COUNT; i++) {
    const long double expected = expl((long double)x[i]);
    const double unit = nextafter((double)expected, INFINITY) - (double)expected;
    worst = fmaxl(worst, fabsl((long double)y[i] - expected) / (long double)unit);
    total += expected;
  }
  print_message("largest error of exp: %.3Lf units in the last place\n", worst);
  assert_true(worst <= 1.0L);
  assert_true(fabsl((long double)sum / total - 1) < 1e-14L);
  free(x);
  free(y);
}

static void test_softmax_row_edges(void **state) {
  (void)state;
  double one[] = {-3.25};
  assert_true(pawl_softmax_row_f64(one, 1) == 1.0 && one[0] == 1.0);
  double far[] = {0.0, -708.5, -1e6, -INFINITY, 0.0, -800, -900, -1000, -1100, -1200};
  assert_true(pawl_softmax_row_f64(far, 10) == 2.0);
  for (int i = 0; i < 10; i++) assert_true(far[i] == (i % 4 == 0 && i < 8 ? 1.0 : 0.0));
  for (int n = 1; n <= 20; n++) { /* a NaN anywhere shows in the sum */
    for (int at = 0; at < n; at++) {
      double row[20];
      for (int i = 0; i < n; i++) row[i] = i == at ? NAN : 0.25 * i;
      assert_true(isnan(pawl_softmax_row_f64(row, n)));
    }
  }
}

static int64_t late_key(const struct problem *p, int64_t head) {
  const int64_t s = p->dims[2].value, d = p->dims[3].value;
  int64_t best = 0;
  for (int64_t j = 1; j < s; j++)
    if (pawl_load_f64(p->tensors[1].data, p->tensors[1].dtype, (head * s + j) * d) >
        pawl_load_f64(p->tensors[1].data, p->tensors[1].dtype, (head * s + best) * d))
      best = j;
  return best;
}

/* The adjusted distributions keep their promises. A late key takes nearly all weight, and maxima
   rise to the end. */
static void test_distributions(void **state) {
  (void)state;
  const struct pawl_operator *op = attention_operator();
  const int64_t s = 256, d = 64, values[] = {2, 2, s, d, 0};
  assert_string_equal(op->distributions[0].name, "normal");
  for (int32_t n = 0; n < op->distribution_count; n++) {
    struct problem p;
    problem_init(&p, op, PAWL_F16, values, &op->distributions[n], 11);
    for (int64_t head = 0; head < 4; head++) {
      const int64_t late = late_key(&p, head);
      double distance = 0.0, size = 0.0;
      for (int64_t i = 0; i < s * d; i++) {
        const double v = pawl_load_f64(p.tensors[2].data, PAWL_F16, (head * s + late) * d + i % d);
        distance += fabs(p.expected[3][head * s * d + i] - v);
        size += fabs(v);
      }
      if (strcmp(op->distributions[n].name, "dominant_late_key") == 0) {
        assert_true(late >= s - 1 - s / 8);
        assert_true(distance < 0.05 * size);
      } else if (strcmp(op->distributions[n].name, "attention_sink") == 0) {
        assert_int_equal(late, 0);
      } else if (strcmp(op->distributions[n].name, "rising_maxima") == 0) {
        assert_int_equal(late, s - 1);
      }
    }
    problem_clear(&p);
  }
}

static void test_flop(void **state) {
  (void)state;
  const struct pawl_operator *op = attention_operator();
  struct pawl_dim dims[] = {{"B", 2}, {"H", 3}, {"S", 10}, {"D", 16}, {"causal", 0}};
  const struct pawl_shape shape = {dims, 5, PAWL_F16};
  assert_true(op->flop(&shape) == 4.0 * 6 * 100 * 16);
  dims[4].value = 1;
  assert_true(op->flop(&shape) == 4.0 * 6 * 55 * 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oracle_matches_long_double),
      cmocka_unit_test(test_exp_is_accurate),
      cmocka_unit_test(test_softmax_row_edges),
      cmocka_unit_test(test_distributions),
      cmocka_unit_test(test_flop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
