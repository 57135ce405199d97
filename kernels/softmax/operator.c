/* SPDX-License-Identifier: Apache-2.0 */
/* Operator `softmax`: y = exp(x - max) / sum exp(x - max) along each row of a matrix. Bound by
 * memory. */
#include <math.h>
#include <pawl/convert.h>
#include <pawl/operator.h>

enum { PARAM_ROWS, PARAM_COLS };
enum { TENSOR_X, TENSOR_Y, TENSORS };

static const struct pawl_param params[] = {
    [PARAM_ROWS] = {"rows", 1, (int64_t)1 << 32, 0, "independent rows"},
    [PARAM_COLS] = {"cols", 1, (int64_t)1 << 24, 0, "elements of a row"},
};

static void tensor(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec *spec) {
  *spec = (struct pawl_tensor_spec){
      .name = index == TENSOR_X ? "x" : "y",
      .role = index == TENSOR_X ? PAWL_IN : PAWL_OUT,
      .dtype = PAWL_DTYPE_NONE,
      .ndim = 2,
      .size = {shape->dims[PARAM_ROWS].value, shape->dims[PARAM_COLS].value},
  };
}

static double elements(const struct pawl_shape *shape) {
  return (double)shape->dims[PARAM_ROWS].value * (double)shape->dims[PARAM_COLS].value;
}

/* Maximum, subtraction, exponential, sum and division: one operation each for every element. */
static double flop(const struct pawl_shape *shape) { return 5.0 * elements(shape); }

struct job {
  const struct pawl_tensor *x;
  double *y;
  int64_t cols;
};

static void softmax_row(void *context, int64_t row) {
  const struct job *job = context;
  const int64_t first = row * job->cols;
  double *y = job->y + first;
  double largest = -INFINITY, sum = 0.0;
  for (int64_t j = 0; j < job->cols; j++) {
    y[j] = pawl_load_f64(job->x->data, job->x->dtype, first + j);
    largest = fmax(largest, y[j]);
  }
  for (int64_t j = 0; j < job->cols; j++) sum += y[j] = exp(y[j] - largest);
  for (int64_t j = 0; j < job->cols; j++) y[j] /= sum;
}

static int oracle(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                  double *const *expected, const struct pawl_host *host) {
  struct job job = {&tensors[TENSOR_X], expected[TENSOR_Y], shape->dims[PARAM_COLS].value};
  host->parallel_for(host, shape->dims[PARAM_ROWS].value, softmax_row, &job);
  return 0;
}

/* The last element of each row is the largest of all and its weight that of the rest of the row e^4
   times: a maximum or a sum that misses the tail is wrong by far. */
static void dominant_last(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                          uint64_t seed) {
  (void)seed;
  const int64_t rows = shape->dims[PARAM_ROWS].value, cols = shape->dims[PARAM_COLS].value;
  const struct pawl_tensor *x = &tensors[TENSOR_X];
  for (int64_t i = 0; i < rows; i++)
    pawl_store_f64(x->data, x->dtype, (i + 1) * cols - 1, log((double)cols) + 4.5);
}

/* Values rise along the row by 24, noise of N(0,1) on top: the running maximum moves all the way.
 */
static void rising_maxima(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                          uint64_t seed) {
  (void)seed;
  const int64_t cols = shape->dims[PARAM_COLS].value, count = shape->dims[PARAM_ROWS].value * cols;
  const struct pawl_tensor *x = &tensors[TENSOR_X];
  for (int64_t i = 0; i < count; i++) {
    const double rise = 24.0 * (double)(i % cols) / (double)cols;
    pawl_store_f64(x->data, x->dtype, i, pawl_load_f64(x->data, x->dtype, i) + rise);
  }
}

static const struct pawl_distribution distributions[] = {
    {"normal", PAWL_FILL_NORMAL, 0, 1.0, NULL},
    {"normal_x3", PAWL_FILL_NORMAL, 0, 3.0, NULL},
    {"dominant_last", PAWL_FILL_NORMAL, 0, 1.0, dominant_last},
    {"rising_maxima", PAWL_FILL_NORMAL, 0, 1.0, rising_maxima},
    {"constant_rows", PAWL_FILL_CONSTANT_ROWS, 0, 1.0, NULL},
    {"zero_one", PAWL_FILL_ZERO_ONE, 0, 1.0, NULL},
};

/* A row sums to 1, so an element is about 1 / cols: the relative term must do the work, and atol
   only covers what the dtype cannot hold as a normal number (f16 below 6e-5, to 3e-8). rtol is
   twice the half unit of rounding to the dtype (2^-11, 2^-8); for f32, where the arithmetic is no
   more precise than the result, it allows for exp(x - max) with |x - max| up to 40, whose argument
   alone is uncertain by 40 * 2^-24 = 2.4e-6, and for a sum of a few thousand terms (8e-6 seen with
   2500). rel_rms adds a bound on the mean: rows of one value have one rounding error, so it cannot
   be below that half unit; and of f16 with 10^5 columns all results are subnormal, off by 2e-3 of
   themselves. */
static const struct pawl_tolerance tolerances[] = {
    {PAWL_F32, 0, 1e-30, 2e-5, 1e-5},
    {PAWL_F16, 0, 1e-7, 1e-3, 5e-3},
    {PAWL_BF16, 0, 1e-30, 8e-3, 4.5e-3},
};

#define COUNT(table) ((int32_t)(sizeof(table) / sizeof *(table)))

static const struct pawl_operator softmax = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_operator),
    .name = "softmax",
    .summary = "softmax along each row of a matrix",
    .params = params,
    .distributions = distributions,
    .tolerances = tolerances,
    .param_count = COUNT(params),
    .distribution_count = COUNT(distributions),
    .tolerance_count = COUNT(tolerances),
    .tensor_count = TENSORS,
    .tensor = tensor,
    .oracle = oracle,
    .flop = flop,
};

const struct pawl_operator *pawl_operator_entry(void) { return &softmax; }
