/* SPDX-License-Identifier: Apache-2.0 */
/* A problem from its inputs to its verdict; the test itself plays the kernel, in the shared memory.
   Argument: the plug-in of operator `ledger`. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "oracle/expected.h"
#include "oracle/inputs.h"
#include "oracle/layout.h"
#include "oracle/oracle.h"
#include "oracle/renew.h"

#define N 1001
#define LARGE 2000003
enum { AMOUNT, BALANCE, POSITIVE };

static const char *operator_plugin;
static const struct pawl_seal_key seal_key;
static const struct pawl_tolerance tolerance = {PAWL_F32, 0, 1e-12, 1e-12, 1e-12};

struct fixture {
  struct pawl_oracle oracle;
  struct pawl_problem problem;
  struct pawl_dim dims[2];
  char folder[32];
};

static void start(struct fixture *f, int64_t n, int64_t undefined) {
  struct pawl_error err = {0};
  const struct pawl_oracle_options options = {.worker = {.name = "ledger",
                                                         .driver = PAWL_DRIVER_PLUGIN,
                                                         .plugin = operator_plugin,
                                                         .timeout_seconds = 30},
                                              .cache_folder = f->folder,
                                              .seal_key = &seal_key};
  f->dims[0] = (struct pawl_dim){"n", n};
  f->dims[1] = (struct pawl_dim){"undefined", undefined};
  const struct pawl_case config = {
      .name = "case", .operator_name = "ledger", .dims = f->dims, .count = 2};
  if (pawl_oracle_init(&f->oracle, &options, &err) != PAWL_OK) fail_msg("%s", err.message);
  if (pawl_problem_init(&f->problem, &f->oracle, &config, 3, &err) != PAWL_OK)
    fail_msg("%s", err.message);
}

static void stop(struct fixture *f) {
  pawl_problem_release(&f->problem);
  pawl_oracle_release(&f->oracle);
}

static int setup(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  strcpy(f->folder, "/tmp/pawl-oracle-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  start(f, N, 0);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  stop(f);
  assert_int_equal(pawl_remove_tree(f->folder, NULL), PAWL_OK);
  free(f);
  return 0;
}

static void *tensor(const struct fixture *f, int set, int index) {
  return pawl_placed_view(&f->problem.sets[set].tensors[index], f->oracle.tensors.map).data;
}

static void fill(struct fixture *f, int set, const char *distribution, uint64_t seed) {
  assert_int_equal(pawl_problem_fill(&f->problem, set, distribution, seed, NULL), PAWL_OK);
}

static void honest_call(struct fixture *f, int set) {
  const float *amount = tensor(f, set, AMOUNT);
  double *balance = tensor(f, set, BALANCE);
  int32_t *positive = tensor(f, set, POSITIVE);
  for (int64_t i = 0; i < f->dims[0].value; i++)
    balance[i] += (double)amount[i], positive[i] = amount[i] > 0;
}

static struct pawl_error_stats compare(struct fixture *f, int set) {
  struct pawl_error_stats stats;
  struct pawl_error err = {0};
  if (pawl_problem_compare(&f->problem, set, &tolerance, &stats, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  return stats;
}

static void require_reason(struct fixture *f, int set, const char *reason) {
  const struct pawl_error_stats stats = compare(f, set);
  assert_false(stats.passed);
  if (!strstr(stats.reason, reason)) fail_msg("'%s' instead of '%s'", stats.reason, reason);
}

static void test_honest_call_passes(void **state) {
  struct fixture *f = *state;
  for (int set = 0; set < 3; set++)
    fill(f, set, set == 1 ? "ten_more" : "normal", 42 + (uint64_t)set);
  for (int set = 0; set < 3; set++) {
    honest_call(f, set);
    const struct pawl_error_stats stats = compare(f, set);
    if (!stats.passed) fail_msg("%s", stats.reason);
    assert_true(stats.max_abs_error == 0 && stats.rel_rms_error == 0 && stats.wrong == 0);
    assert_true(stats.correlation > 0.999 || set == 1); /* all amounts are positive in set 1 */
    assert_string_equal(stats.reason, "");
  }
}

static void test_fill_is_fresh_and_poisoned(void **state) {
  struct fixture *f = *state;
  fill(f, 0, "normal", 1);
  fill(f, 1, "normal", 1);
  fill(f, 2, "ten_more", 1);
  assert_memory_equal(tensor(f, 0, AMOUNT), tensor(f, 1, AMOUNT), N * sizeof(float));
  assert_memory_equal(&f->problem.input_hash[0], &f->problem.input_hash[1],
                      sizeof(struct pawl_hash));
  const float *plain = tensor(f, 0, AMOUNT), *more = tensor(f, 2, AMOUNT);
  for (int i = 0; i < N; i++) assert_true(fabsf(more[i] - plain[i] - 10) < 1e-5f);
  for (size_t b = 0; b < N * sizeof(int32_t); b++)
    assert_int_equal(((unsigned char *)tensor(f, 0, POSITIVE))[b], 0xff);
  fill(f, 1, "normal", 2);
  assert_memory_not_equal(tensor(f, 0, AMOUNT), tensor(f, 1, AMOUNT), N * sizeof(float));
  assert_memory_not_equal(tensor(f, 0, BALANCE), tensor(f, 1, BALANCE), N * sizeof(double));
}

static void test_fill_tail_keeps_the_first_half(void **state) {
  struct fixture *f = *state;
  fill(f, 0, "ten_more", 1);
  fill(f, 2, "ten_more", 2);
  assert_int_equal(pawl_problem_fill_tail(&f->problem, 1, "ten_more", 1, 2, NULL), PAWL_OK);
  const float *head = tensor(f, 0, AMOUNT), *tail = tensor(f, 2, AMOUNT),
              *mixed = tensor(f, 1, AMOUNT);
  assert_memory_equal(mixed, head, N / 2 * sizeof *mixed);
  assert_memory_equal(mixed + N / 2, tail + N / 2, (N - N / 2) * sizeof *mixed);
  honest_call(f, 1);
  assert_true(compare(f, 1).passed);
}

/* pawl does not draw the same values again. A fill takes back every change since the last one. */
static void test_fill_takes_back_what_was_changed(void **state) {
  struct fixture *f = *state;
  struct pawl_problem *problem = &f->problem;
  float *usual = tensor(f, 0, AMOUNT), *changed = tensor(f, 1, AMOUNT);
  const size_t bytes = problem->sets[0].tensors[AMOUNT].bytes;
  assert_int_equal(pawl_problem_fill(problem, 0, "normal", 1, NULL), PAWL_OK);
  for (int way = 0; way < 8; way++) {
    assert_int_equal(pawl_problem_fill(problem, 1, "normal", 1, NULL), PAWL_OK);
    if (way == 1 || way == 2 || way == 3)
      assert_int_equal(pawl_problem_exchange(problem, 1, 7, NULL), PAWL_OK);
    if (way == 2) assert_int_equal(pawl_problem_exchange(problem, 1, 8, NULL), PAWL_OK);
    if (way == 3 || way == 4) changed[3] += 1;
    if (way == 5)
      assert_int_equal(pawl_problem_fill_tail(problem, 1, "normal", 1, 2, NULL), PAWL_OK);
    if (way == 6) {
      pawl_problem_permute(problem, 1, 5);
      pawl_problem_note_inputs(problem, 1);
    }
    if (way == 7) { /* a thread of the kernel, after the inputs were drawn and before their hash was
                       noted */
      changed[3] += 1;
      pawl_problem_note_inputs(problem, 1);
      problem->source[1].noted = false;
    }
    assert_int_equal(memcmp(usual, changed, bytes) == 0, way == 0);
    assert_int_equal(pawl_problem_fill(problem, 1, "normal", 1, NULL), PAWL_OK);
    assert_memory_equal(usual, changed, bytes);
    assert_true(pawl_hash_equal(problem->input_hash[0], problem->input_hash[1]));
  }
}

static void test_exchange_changes_few_elements(void **state) {
  struct fixture *f = *state;
  fill(f, 0, "normal", 1);
  fill(f, 1, "normal", 1);
  assert_int_equal(pawl_problem_exchange(&f->problem, 1, 7, NULL), PAWL_OK);
  const float *usual = tensor(f, 0, AMOUNT), *exchanged = tensor(f, 1, AMOUNT);
  double sum = 0;
  int changed = 0;
  for (int i = 0; i < N; i++) {
    sum += (double)exchanged[i] - (double)usual[i];
    changed += exchanged[i] != usual[i];
  }
  assert_true(changed > 0 && changed <= 16 && fabs(sum) < 1e-4);
  assert_memory_equal(tensor(f, 0, BALANCE), tensor(f, 1, BALANCE),
                      N * sizeof(double)); /* an inout */
  honest_call(f, 1);
  assert_true(compare(f, 1).passed);
  fill(f, 1, "normal", 1);
  assert_memory_equal(tensor(f, 0, AMOUNT), tensor(f, 1, AMOUNT), N * sizeof(float));
}

static int differences(const float *a, const float *b) {
  int count = 0;
  for (int i = 0; i < N; i++) count += a[i] != b[i];
  return count;
}

static void test_permuted_twice_is_as_before(void **state) {
  struct fixture *f = *state;
  fill(f, 0, "normal", 1);
  fill(f, 1, "normal", 1);
  fill(f, 2, "normal", 1);
  const float *usual = tensor(f, 0, AMOUNT), *one = tensor(f, 1, AMOUNT),
              *other = tensor(f, 2, AMOUNT);
  assert_true(pawl_problem_can_permute(&f->problem));
  pawl_problem_permute(&f->problem, 1, 7);
  pawl_problem_permute(&f->problem, 2, 8);
  assert_true(differences(usual, one) > N / 8 && differences(usual, other) > N / 8 &&
              differences(one, other) > N / 8);
  pawl_problem_note_inputs(&f->problem, 1);
  honest_call(f, 1);
  assert_true(compare(f, 1).passed);
  pawl_problem_permute(&f->problem, 1, 7);
  assert_int_equal(differences(usual, one), 0);
  fill(f, 2, "ten_more", 1); /* the operator adjusts it: an order may be in there */
  assert_false(pawl_problem_can_permute(&f->problem));
}

static pawl_status renew(struct fixture *f, int set, uint64_t seed) {
  PAWL_TRY(pawl_problem_reserve_new(&f->problem, NULL));
  PAWL_TRY(pawl_problem_draw_new(&f->problem, set, seed, true, 1, NULL));
  pawl_problem_put_new(&f->problem, set, true);
  pawl_problem_mark_renewed(&f->problem, set);
  return PAWL_OK;
}

/* Fewer values than N / 64 are equal by chance, in the inout too. Sums and orders say nothing of
   the old values. */
static void test_new_inputs_are_new(void **state) {
  struct fixture *f = *state;
  fill(f, 0, "normal", 1);
  fill(f, 1, "normal", 1);
  assert_int_equal(renew(f, 1, 8), PAWL_OK);
  assert_true(differences(tensor(f, 0, AMOUNT), tensor(f, 1, AMOUNT)) > N - N / 64);
  assert_true(differences(tensor(f, 0, BALANCE), tensor(f, 1, BALANCE)) > N - N / 64);
  honest_call(f, 1);
  assert_true(compare(f, 1).passed);
  fill(f, 2, "normal", 8); /* by the same distribution: a draw with this seed is equal */
  assert_int_equal(differences(tensor(f, 2, AMOUNT), tensor(f, 1, AMOUNT)), 0);
  ((float *)(uintptr_t)tensor(f, 1, AMOUNT))[3] += 1;
  honest_call(f, 1);
  require_reason(f, 1, "input 'amount'"); /* pawl compares with the values that it gave */
  assert_int_equal(pawl_problem_put_usual(&f->problem, 1, NULL), PAWL_OK);
  assert_int_equal(differences(tensor(f, 0, AMOUNT), tensor(f, 1, AMOUNT)), 0);
}

/* The operator adjusts new inputs as it adjusts the usual ones, so their structure stays. */
static void test_new_inputs_are_adjusted(void **state) {
  struct fixture *f = *state;
  fill(f, 0, "ten_more", 1);
  fill(f, 1, "ten_more", 5);
  assert_int_equal(renew(f, 0, 5), PAWL_OK);
  assert_int_equal(differences(tensor(f, 0, AMOUNT), tensor(f, 1, AMOUNT)), 0);
  honest_call(f, 0);
  assert_true(compare(f, 0).passed);
}

/* New inputs of large tensors come another way: all values are new, a comparison knows them, and
   the usual ones come back. */
static void test_new_inputs_of_large_tensors(void **state) {
  struct fixture *f = *state;
  const int64_t count = PAWL_DRAW_MIXED_FROM;
  const size_t bytes = (size_t)count * sizeof(float);
  bool hides;
  stop(f);
  start(f, count, 0);
  fill(f, 0, "normal", 1);
  fill(f, 1, "normal", 1);
  const float *usual = tensor(f, 0, AMOUNT), *now = tensor(f, 1, AMOUNT);
  assert_memory_equal(usual, now, bytes);
  assert_int_equal(pawl_problem_flush_hides_draw(&f->problem, &hides, NULL), PAWL_OK);
  assert_false(hides);
  assert_int_equal(renew(f, 1, 8), PAWL_OK);
  int64_t equal = 0;
  for (int64_t i = 0; i < count; i++) equal += usual[i] == now[i];
  assert_true(equal < count / 100000);
  honest_call(f, 1);
  assert_true(compare(f, 1).passed);
  assert_int_equal(pawl_problem_put_usual(&f->problem, 1, NULL), PAWL_OK);
  assert_memory_equal(usual, now, bytes);
}

/* pawl draws new inputs ahead until `stop`, each with values of its own. An operator that adjusts
   inputs answers one request at a time, so pawl draws none of its ahead. */
static void test_new_inputs_ahead(void **state) {
  struct fixture *f = *state;
  const _Atomic bool stop = true, go = false;
  const size_t bytes = N * sizeof(float);
  fill(f, 0, "ten_more", 1);
  assert_int_equal(pawl_problem_draw_given_ahead(&f->problem, 3, &go), 0);
  fill(f, 0, "normal", 1);
  assert_int_equal(pawl_problem_draw_given_ahead(&f->problem, 3, &stop), 0);
  assert_null(f->problem.given[0]);
  assert_int_equal(pawl_problem_draw_given_ahead(&f->problem, 3, &go), 3);
  assert_null(f->problem.given[3]);
  for (int i = 0; i < 3; i++) {
    assert_int_not_equal(memcmp(f->problem.given[i], tensor(f, 0, AMOUNT), bytes), 0);
    assert_int_not_equal(memcmp(f->problem.given[i], f->problem.given[(i + 1) % 3], bytes), 0);
  }
}

static void test_reset_restores_inouts(void **state) {
  struct fixture *f = *state;
  fill(f, 0, "normal", 7);
  honest_call(f, 0);
  const struct pawl_hash first = pawl_problem_output_hash(&f->problem, 0);
  assert_int_equal(pawl_problem_reset(&f->problem, 0, NULL), PAWL_OK);
  const struct pawl_hash fresh = pawl_problem_output_hash(&f->problem, 0);
  assert_false(pawl_hash_equal(first, fresh));
  honest_call(f, 0);
  assert_true(pawl_hash_equal(first, pawl_problem_output_hash(&f->problem, 0)));
  assert_true(compare(f, 0).passed);
  honest_call(f, 0); /* the inout added to twice */
  require_reason(f, 0, "'balance' are out of tolerance");
}

static void test_wrong_calls(void **state) {
  struct fixture *f = *state;
  fill(f, 0, "normal", 7);
  require_reason(f, 0, "'balance' are out of tolerance"); /* nothing was called */
  honest_call(f, 0);
  ((int32_t *)tensor(f, 0, POSITIVE))[17] = 2;
  require_reason(
      f, 0, "1 of 1001 elements of 'positive' are out of tolerance; positive[17] is 2, expected");
  ((int32_t *)tensor(f, 0, POSITIVE))[17] = -1;
  require_reason(f, 0, "are unwritten or NaN");
  fill(f, 0, "normal", 7);
  honest_call(f, 0);
  ((double *)tensor(f, 0, BALANCE))[N - 1] = NAN;
  require_reason(f, 0, "balance[1000] is nan");
  assert_true(isnan(compare(f, 0).max_abs_error));
  fill(f, 0, "normal", 7);
  honest_call(f, 0);
  ((float *)tensor(f, 0, AMOUNT))[3] += 1;
  require_reason(f, 0, "changed its input 'amount'");
  fill(f, 0, "normal", 7);
  honest_call(f, 0);
  ((int32_t *)tensor(f, 0, POSITIVE))[N] = 1;
  require_reason(f, 0, "past the end of 'positive'");
  fill(f, 0, "normal", 7);
  honest_call(f, 0);
  assert_true(compare(f, 0).passed);
}

/* Inputs that were changed before the operator is asked must not become the truth, nor reach the
 * cache. */
static void test_changed_inputs_do_not_reach_the_answer(void **state) {
  struct fixture *f = *state;
  struct pawl_error err = {0};
  fill(f, 0, "normal", 9);
  ((float *)tensor(f, 0, AMOUNT))[3] = 100;
  assert_int_equal(pawl_problem_expect(&f->problem, 0, &err), PAWL_FAILED);
  assert_non_null(strstr(err.message, "'amount'"));
  assert_false(f->oracle.expected_known);
  fill(f, 0, "normal", 9);
  honest_call(f, 0);
  assert_true(compare(f, 0).passed);
}

static void test_nan_answer_is_the_operators_fault(void **state) {
  struct fixture *f = *state;
  struct pawl_error_stats stats;
  struct pawl_error err = {0};
  stop(f);
  start(f, N, 1);
  fill(f, 0, "normal", 9);
  honest_call(f, 0);
  assert_int_equal(pawl_problem_compare(&f->problem, 0, &tolerance, &stats, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "operator 'ledger' gives NaN at balance[1000]"));
}

/* By several threads. */
static void test_large_answers(void **state) {
  struct fixture *f = *state;
  struct pawl_error_stats stats;
  struct pawl_error err = {0};
  for (int undefined = 0; undefined < 2; undefined++) {
    stop(f);
    start(f, LARGE, undefined);
    fill(f, 1, "normal", 9);
    honest_call(f, 1);
    const enum pawl_status_code status =
        pawl_problem_compare(&f->problem, 1, &tolerance, &stats, &err);
    assert_int_equal(status, undefined ? PAWL_BAD_DATA : PAWL_OK);
  }
  assert_non_null(strstr(err.message, "gives NaN at balance[2000002]"));
  ((float *)tensor(f, 1, AMOUNT))[LARGE - 1] += 1;
  assert_int_equal(pawl_problem_changed_input(&f->problem, 1), AMOUNT);
}

/* The second run takes the answer from the cache and says the same to the bit. */
static void test_verdict_does_not_depend_on_the_cache(void **state) {
  struct fixture *f = *state;
  struct pawl_error_stats stats[2];
  for (int run = 0; run < 2; run++) {
    fill(f, 0, "normal", 9);
    honest_call(f, 0);
    ((double *)tensor(f, 0, BALANCE))[5] *= 1 + 1e-13;
    stats[run] = compare(f, 0);
    assert_true(stats[run].passed);
    assert_int_equal(f->oracle.cache.used_count, 1);
    stop(f);
    start(f, N, 0);
  }
  assert_memory_equal(&stats[0].max_abs_error, &stats[1].max_abs_error, sizeof(double));
  assert_memory_equal(&stats[0].rel_rms_error, &stats[1].rel_rms_error, sizeof(double));
  assert_true(stats[0].max_abs_error > 0);
}

static void test_bad_requests(void **state) {
  struct fixture *f = *state;
  struct pawl_error err = {0};
  struct pawl_problem problem = {0};
  struct pawl_dim dims[] = {{"n", 0}};
  const struct pawl_case config = {.name = "bad", .dims = dims, .count = 1};
  struct pawl_tolerance found;
  assert_int_equal(pawl_problem_fill(&f->problem, 0, "nrmal", 1, &err), PAWL_USAGE);
  assert_int_equal(pawl_problem_reset(&f->problem, 1, &err), PAWL_USAGE);
  assert_int_equal(pawl_problem_expect(&f->problem, 1, &err), PAWL_USAGE);
  assert_int_equal(pawl_problem_init(&problem, &f->oracle, &config, 1, &err), PAWL_CONFIG);
  assert_null(problem.oracle);
  assert_int_equal(pawl_oracle_tolerance(&f->oracle, PAWL_F16, NULL, &found, &err), PAWL_CONFIG);
  const struct pawl_check_spec spec = {.atol = 0.5, .rtol = NAN, .rel_rms = NAN};
  assert_int_equal(pawl_oracle_tolerance(&f->oracle, PAWL_F32, &spec, &found, &err), PAWL_OK);
  assert_true(found.atol == 0.5 && found.rtol == 1e-12);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(test_honest_call_passes),
      TEST(test_fill_is_fresh_and_poisoned),
      TEST(test_fill_tail_keeps_the_first_half),
      TEST(test_exchange_changes_few_elements),
      TEST(test_fill_takes_back_what_was_changed),
      TEST(test_permuted_twice_is_as_before),
      TEST(test_new_inputs_are_new),
      TEST(test_new_inputs_are_adjusted),
      TEST(test_new_inputs_of_large_tensors),
      TEST(test_new_inputs_ahead),
      TEST(test_reset_restores_inouts),
      TEST(test_wrong_calls),
      TEST(test_changed_inputs_do_not_reach_the_answer),
      TEST(test_nan_answer_is_the_operators_fault),
      TEST(test_large_answers),
      TEST(test_verdict_does_not_depend_on_the_cache),
      TEST(test_bad_requests),
  };
  if (argc != 2) return 2;
  operator_plugin = argv[1];
  return cmocka_run_group_tests_name("oracle_problem", tests, NULL, NULL);
}
