/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of `attention` let honest kernels pass on every distribution and fail a loss of
   precision: one kernel whose roundings can be chosen, against the operator's oracle. */
#include "test_kernels_support.h"

const struct pawl_operator *attention_operator(void);

/* The dtype that each intermediate is rounded to; PAWL_F64 leaves it as it is. */
struct roundings {
  const char *name;
  int32_t score;       /* q k^T / sqrt(D) */
  int32_t weight;      /* exp(score - maximum), before the division by the sum */
  int32_t accumulator; /* after each block of 64 keys */
  int32_t product;     /* q and k before their product, as a tensor core with short inputs */
  int start; /* a row's largest weight is 2^start; below 1 the sum is of the rounded weights */
};

static double rounded(double value, int32_t dtype) {
  unsigned char bytes[8];
  pawl_store_f64(bytes, dtype, 0, value);
  return pawl_load_f64(bytes, dtype, 0);
}

#define S 512
#define D 64

/* The kernel: weights are divided by their sum at the end, as an online softmax does. */
static void attend_rounded(const struct problem *p, const struct roundings *how) {
  const struct pawl_tensor *t = p->tensors;
  static double q[S * D], k[S * D], v[S * D];
  const int64_t heads = t[0].size[0] * t[0].size[1];
  for (int64_t head = 0; head < heads; head++) {
    for (int64_t i = 0; i < S * D; i++) {
      q[i] = rounded(pawl_load_f64(t[0].data, t[0].dtype, head * S * D + i), how->product);
      k[i] = rounded(pawl_load_f64(t[1].data, t[1].dtype, head * S * D + i), how->product);
      v[i] = pawl_load_f64(t[2].data, t[2].dtype, head * S * D + i);
    }
    for (int64_t i = 0; i < S; i++) {
      double scores[S], out[D] = {0}, largest = -INFINITY, sum = 0.0;
      for (int64_t j = 0; j < S; j++) {
        double dot = 0.0;
        for (int64_t c = 0; c < D; c++) dot += q[i * D + c] * k[j * D + c];
        scores[j] = rounded(dot / sqrt(D), how->score);
        largest = fmax(largest, scores[j]);
      }
      for (int64_t j = 0; j < S; j++) {
        const double exact = rounded(ldexp(exp(scores[j] - largest), how->start), PAWL_F32),
                     weight = rounded(exact, how->weight);
        sum += how->start < 0 ? weight : exact;
        for (int64_t c = 0; c < D; c++) {
          out[c] += weight * v[j * D + c];
          if (j % 64 == 63) out[c] = rounded(out[c], how->accumulator);
        }
      }
      for (int64_t c = 0; c < D; c++)
        pawl_store_f64(t[3].data, t[3].dtype, (head * S + i) * D + c, out[c] / sum);
    }
  }
}

static const struct roundings exact = {"output rounded", PAWL_F64, PAWL_F64, PAWL_F64, PAWL_F64, 0};
static const struct roundings all_f32 = {"f32 throughout", PAWL_F32, PAWL_F32,
                                         PAWL_F32,         PAWL_F64, 0};
static const struct roundings weights_f16 = {"weights in f16", PAWL_F32, PAWL_F16,
                                             PAWL_F32,         PAWL_F64, 0};
static const struct roundings weights_bf16 = {"weights in bf16", PAWL_F32, PAWL_BF16,
                                              PAWL_F32,          PAWL_F64, 0};
static const struct roundings weights_e4m3 = {"weights in e4m3", PAWL_F32, PAWL_E4M3,
                                              PAWL_F32,          PAWL_F64, 0};
static const struct roundings scores_e4m3 = {"scores in e4m3", PAWL_E4M3, PAWL_F32,
                                             PAWL_F32,         PAWL_F64,  0};
static const struct roundings sums_e4m3 = {"sums in e4m3", PAWL_F32, PAWL_F32,
                                           PAWL_E4M3,      PAWL_F64, 0};
static const struct roundings scores_f16 = {"scores in f16", PAWL_F16, PAWL_F32,
                                            PAWL_F32,        PAWL_F64, 0};
static const struct roundings scores_bf16 = {"scores in bf16", PAWL_BF16, PAWL_F32,
                                             PAWL_F32,         PAWL_F64,  0};
static const struct roundings sums_f16 = {"sums in f16", PAWL_F32, PAWL_F32, PAWL_F16, PAWL_F64, 0};
static const struct roundings sums_bf16 = {"sums in bf16", PAWL_F32, PAWL_F32,
                                           PAWL_BF16,      PAWL_F64, 0};
static const struct roundings inputs_f16 = {
    "inputs cut to 11 bits", PAWL_F32, PAWL_F32, PAWL_F32, PAWL_F16, 0};
static const struct roundings weights_low = {
    "weights in f16, small", PAWL_F32, PAWL_F16, PAWL_F32, PAWL_F64, -8};

#define MOST 6

/* A dtype's tolerance must accept the honest roundings on every distribution, and refuse the
   cheap ones on N(0,1). */
static const struct {
  int32_t dtype;
  const struct roundings *honest[MOST], *cheap[MOST];
} expectations[] = {
    {PAWL_F16,
     {&exact, &all_f32, &weights_f16},
     {&weights_bf16, &scores_f16, &scores_bf16, &sums_f16, &sums_bf16}},
    {PAWL_BF16, {&exact, &all_f32, &weights_f16, &weights_bf16}, {&scores_bf16, &sums_bf16}},
    {PAWL_F32,
     {&exact, &all_f32},
     {&weights_f16, &weights_bf16, &scores_f16, &sums_f16, &sums_bf16, &inputs_f16}},
    {PAWL_E4M3, {&exact, &all_f32, &weights_bf16, &weights_e4m3}, {&scores_e4m3, &sums_e4m3}},
};

static bool passes(const struct problem *p, const struct roundings *how, const char *distribution) {
  attend_rounded(p, how);
  const struct deviation d = deviation_of(p);
  const bool pass = within_tolerance(p, d);
  print_message("%-4s %-18s %-22s rel_rms %.2e, %lld outside: %s\n", dtype_name(p->shape.dtype),
                distribution, how->name, d.rel_rms, (long long)d.outside, pass ? "pass" : "fail");
  return pass;
}

static void test_honest_precision_passes(void **state) {
  (void)state;
  const struct pawl_operator *op = attention_operator();
  for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
    for (int32_t n = 0; n < op->distribution_count; n++) {
      struct problem p;
      problem_init(&p, op, expectations[i].dtype, (const int64_t[]){1, 1, S, D, 0},
                   &op->distributions[n], 1);
      for (int j = 0; j < MOST && expectations[i].honest[j]; j++)
        assert_true(passes(&p, expectations[i].honest[j], op->distributions[n].name));
      problem_clear(&p);
    }
  }
}

static void test_low_precision_fails(void **state) {
  (void)state;
  const struct pawl_operator *op = attention_operator();
  for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
    struct problem p;
    problem_init(&p, op, expectations[i].dtype, (const int64_t[]){1, 1, S, D, 0},
                 &op->distributions[0], 2);
    for (int j = 0; j < MOST && expectations[i].cheap[j]; j++)
      assert_false(passes(&p, expectations[i].cheap[j], op->distributions[0].name));
    problem_clear(&p);
  }
}

/* Weights that start at 2^-8, for room above, lose what lies 2^16 below a row's largest. N(0,1)
 * does not show it. */
static void test_attention_sink_needs_the_range_of_the_weights(void **state) {
  (void)state;
  const struct pawl_operator *op = attention_operator();
  for (int32_t n = 0; n < op->distribution_count; n++) {
    const char *name = op->distributions[n].name;
    if (strcmp(name, "normal") != 0 && strcmp(name, "attention_sink") != 0) continue;
    struct problem p;
    problem_init(&p, op, PAWL_F16, (const int64_t[]){1, 1, S, D, 0}, &op->distributions[n], 1);
    assert_int_equal(passes(&p, &weights_low, name), strcmp(name, "normal") == 0);
    problem_clear(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_honest_precision_passes),
      cmocka_unit_test(test_low_precision_fails),
      cmocka_unit_test(test_attention_sink_needs_the_range_of_the_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
