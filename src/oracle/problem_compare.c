/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the result of a call. If there are several faults, it reports the most informative one. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "oracle/expected.h"
#include "oracle/layout.h"
#include "oracle/tensor_errors.h"

/* Sums accumulate in FP32 at least, also those of shorter dtypes. */
#define SUM_ROUNDOFF 0x1p-24
#define LEAST_TERMS 64

static double larger(double a, double b) { return a > b ? a : b; }

/* Writes the tensor's fault. Returns false if it has none. */
static bool explain(const struct pawl_tensor_spec *spec, const struct pawl_tensor_errors *c,
                    const struct pawl_tolerance *tolerance, char *out, size_t size) {
  char element[PAWL_ELEMENT_NAME] = "";
  const double rel_rms = pawl_tensor_errors_rel_rms(c);
  const double bound = tolerance->atol + tolerance->rtol * fabs(c->first_expected);
  if (c->wrong) pawl_name_element(spec, c->first_wrong, element);
  if (c->unwritten)
    snprintf(out, size,
             "%" PRId64 " of %" PRId64
             " elements of '%.32s' are unwritten or NaN: their bytes are 0xff as before the call; "
             "the first is %s",
             c->unwritten, c->count, spec->name, element);
  else if (c->not_finite)
    snprintf(
        out, size,
        "%" PRId64 " of %" PRId64
        " elements of '%.32s' are not finite; %s is %g, expected %.6g; does the kernel read past "
        "an input?",
        c->not_finite, c->count, spec->name, element, c->first_got, c->first_expected);
  else if (pawl_tensor_errors_is_constant(c, spec->dtype))
    snprintf(out, size, "'%.32s' is %g everywhere, but the expected values are %.6g to %.6g",
             spec->name, c->out_min, c->expected_min, c->expected_max);
  else if (c->wrong)
    snprintf(out, size,
             "%" PRId64 " of %" PRId64
             " elements of '%.32s' are out of tolerance; %s is %.9g, expected %.9g, off by "
             "%.3g > %.3g",
             c->wrong, c->count, spec->name, element, c->first_got, c->first_expected,
             fabs(c->first_got - c->first_expected), bound);
  /* an error relative to zero has no bound */
  else if (c->sum_square_expected != 0.0 && !(rel_rms <= tolerance->rel_rms))
    snprintf(out, size, "'%.32s' is imprecise: relative RMS error %.3g > %.3g", spec->name, rel_rms,
             tolerance->rel_rms);
  else
    return false;
  return true;
}

bool pawl_problem_wrote_only_outputs(const struct pawl_problem *problem, int set, char *out,
                                     size_t size) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  const struct pawl_guard_damage damage = pawl_guards_check(tensors, problem->oracle->tensors.map);
  if (damage.tensor >= 0) {
    snprintf(out, size, "wrote outside its buffers: it changed the byte %" PRIu64 " %s of '%.32s'",
             damage.bytes + 1, damage.past_end ? "past the end" : "before the beginning",
             tensors->tensors[damage.tensor].spec.name);
    return false;
  }
  const int changed = pawl_problem_changed_input(problem, set);
  if (changed >= 0)
    snprintf(out, size, "changed its input '%.32s'", tensors->tensors[changed].spec.name);
  return changed < 0;
}

static void add(struct pawl_error_stats *stats, const struct pawl_tensor_errors *c) {
  stats->max_abs_error = larger(c->max_abs, stats->max_abs_error);
  stats->max_rel_error = larger(c->max_rel, stats->max_rel_error);
  stats->rel_rms_error = larger(pawl_tensor_errors_rel_rms(c), stats->rel_rms_error);
  const double correlation = pawl_tensor_errors_correlation(c);
  if (!(stats->correlation <= correlation)) stats->correlation = correlation;
  stats->wrong += c->wrong;
}

/* Returns how many terms a sum of the operator has, as far as its description says: the operations
 * for each output, or the longest row of an input matrix. */
static double problem_terms(const struct pawl_problem *problem) {
  double outputs = 0, terms = 0;
  for (int i = 0; i < problem->work.tensor_count; i++) {
    const struct pawl_tensor_spec *spec = &problem->work.tensors[i];
    double elements = 1;
    for (int32_t j = 0; j < spec->ndim; j++) elements *= (double)spec->size[j];
    if (spec->role != PAWL_IN) outputs += elements;
    if (spec->role != PAWL_OUT && spec->ndim > 1)
      terms = larger(terms, (double)spec->size[spec->ndim - 1]);
  }
  return larger(terms, problem->work.flop / outputs);
}

/* Returns the relative error between two honest results of a tensor, each with its own order of
 * additions: 4 (u + sqrt(n) v). u is the unit roundoff of the coarser of the case's and the
 * tensor's dtype, v that of the sums, at most that of FP32, n the number of terms. An error grows
 * with sqrt(n) u if roundings are independent: Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed. 2002, sections 2.8 and 4.2; Higham and Mary, SIAM J. Sci. Comput. 41 (2019)
 * A2815. Two results have two errors, and the largest of many elements is some times the usual one.
 * LEAST_TERMS also allows for functions such as exp, which err by some units. */
static double precision_of(const struct pawl_problem *problem, int32_t dtype) {
  const double own = pawl_unit_roundoff(dtype);
  if (own == 0) return 0; /* an integer is exact */
  const double unit = larger(own, pawl_unit_roundoff(problem->config.dtype));
  const double sums = unit < SUM_ROUNDOFF ? unit : SUM_ROUNDOFF;
  return 4 * (unit + sqrt(larger(problem_terms(problem), LEAST_TERMS)) * sums);
}

/* Compares a tensor. Each number of the tolerance that nobody gave becomes that of the precision.
 * An absolute error is relative to the RMS of the expected values, because a sum of terms of both
 * signs can be far smaller than its terms. */
static void compare_tensor(const struct pawl_problem *problem, int set, int tensor,
                           struct pawl_tolerance *tolerance, struct pawl_tensor_errors *out) {
  const struct pawl_placed_tensor *t = &problem->sets[set].tensors[tensor];
  const void *data = problem->oracle->tensors.map + t->offset;
  const struct pawl_expected expected = pawl_problem_expected(problem, set, tensor);
  const int64_t count = pawl_placed_elements(t);
  const double precision = precision_of(problem, t->spec.dtype);
  const bool needs_rms = isnan(tolerance->atol);
  if (isnan(tolerance->rtol)) tolerance->rtol = precision;
  if (isnan(tolerance->rel_rms)) tolerance->rel_rms = precision / 2;
  if (needs_rms) {
    tolerance->atol = 0;
    pawl_tensor_errors_of(data, t->spec.dtype, &expected, count, tolerance, 0, out);
    const double rms = sqrt(out->sum_square_expected / (double)count);
    tolerance->atol = isfinite(rms) ? precision * rms : 0; /* squares above 1e308 say nothing */
  }
  pawl_tensor_errors_of(data, t->spec.dtype, &expected, count, tolerance, 0, out);
}

static pawl_status compare(struct pawl_problem *problem, int set,
                           const struct pawl_tolerance *tolerance, struct pawl_error_stats *out,
                           struct pawl_error *err) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  struct pawl_error_stats stats = {.max_abs_error = NAN,
                                   .max_rel_error = NAN,
                                   .mean_abs_error = NAN,
                                   .correlation = NAN,
                                   .rel_rms_error = NAN};
  if (!pawl_problem_wrote_only_outputs(problem, set, stats.reason, sizeof stats.reason)) {
    *out = stats;
    return PAWL_OK;
  }
  PAWL_TRY(pawl_problem_expect(problem, set, err));
  double sum_abs = 0.0, elements = 0.0;
  bool finite = true;
  stats = (struct pawl_error_stats){
      .passed = true, .correlation = NAN, .oracle = problem->oracle->expected_by};
  for (int i = 0; i < tensors->count; i++) {
    const struct pawl_placed_tensor *t = &tensors->tensors[i];
    if (t->spec.role == PAWL_IN) continue;
    struct pawl_tensor_errors c;
    struct pawl_tolerance applied = *tolerance;
    compare_tensor(problem, set, i, &applied, &c);
    add(&stats, &c);
    stats.rtol = larger(applied.rtol, stats.rtol);
    sum_abs += c.sum_abs, elements += (double)c.count;
    finite = finite && !c.not_finite;
    if (stats.passed)
      stats.passed = !explain(&t->spec, &c, &applied, stats.reason, sizeof stats.reason);
  }
  stats.mean_abs_error = sum_abs / elements;
  if (!finite)
    stats.max_abs_error = stats.max_rel_error = stats.mean_abs_error = stats.rel_rms_error = NAN;
  *out = stats;
  return PAWL_OK;
}

pawl_status pawl_problem_compare(struct pawl_problem *problem, int set,
                                 const struct pawl_tolerance *tolerance,
                                 struct pawl_error_stats *out, struct pawl_error *err) {
  struct pawl_time_spent *spent = &problem->oracle->spent;
  const double expected = spent->expected;
  const int64_t begin = pawl_clock_ns();
  const enum pawl_status_code status = compare(problem, set, tolerance, out, err);
  spent->compare += pawl_seconds_since(begin) - (spent->expected - expected);
  return status;
}
