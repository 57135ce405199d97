/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs these four first */
#include <cmocka.h>
#include <math.h>

#include "stats/envelope.h"
#include "stats/variates.h"

#define COUNT 200
#define PLACES 100

static double value_at(const struct pawl_parabola *parabola, double x) {
  return parabola->square * x * x - 2 * parabola->linear * x + parabola->constant;
}

static double least_at(const struct pawl_parabola *parabolas, size_t count, double x) {
  double least = INFINITY;
  for (size_t i = 0; i < count; i++) least = fmin(least, value_at(&parabolas[i], x));
  return least;
}

static void check_pieces(const struct pawl_envelope *envelope,
                         const struct pawl_parabola *parabolas, size_t count) {
  double begin = envelope->begin;
  for (size_t i = 0; i < envelope->count; i++) {
    const struct pawl_envelope_piece *piece = &envelope->pieces[i];
    assert_true(piece->end > begin);
    if (i) assert_true(piece->parabola.owner != piece[-1].parabola.owner);
    for (int k = 0; k <= PLACES; k++) {
      const double x = begin + (piece->end - begin) * k / ((double)PLACES);
      assert_true(fabs(value_at(&piece->parabola, x) - least_at(parabolas, count, x)) < 1e-9);
    }
    begin = piece->end;
  }
  assert_true(begin == envelope->end);
}

/* Parabolas of every kind: open above, open below, lines, and constants. */
static void test_it_is_the_least_of_all(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    struct pawl_random random = pawl_random_init(seed, 0);
    struct pawl_parabola parabolas[COUNT];
    struct pawl_envelope envelope;
    pawl_envelope_init(&envelope, -2, 3);
    for (size_t i = 0; i < COUNT; i++) {
      const double square = i % 5 ? pawl_draw_normal(&random) : 0,
                   linear = i % 10 ? pawl_draw_normal(&random) : 0;
      parabolas[i] = (struct pawl_parabola){square, linear, pawl_draw_normal(&random), i};
      pawl_envelope_add(&envelope, &parabolas[i]);
      check_pieces(&envelope, parabolas, i + 1);
    }
    pawl_envelope_release(&envelope);
  }
}

static void test_equals_and_losers_change_nothing(void **state) {
  (void)state;
  const struct pawl_parabola first = {1, 0, 0, 7}, equal = {1, 0, 0, 8}, above = {1, 0, 1, 9},
                             below = {1, 0, -1, 10};
  struct pawl_envelope envelope;
  pawl_envelope_init(&envelope, -1, 1);
  pawl_envelope_add(&envelope, &first);
  pawl_envelope_add(&envelope, &equal);
  pawl_envelope_add(&envelope, &above);
  assert_int_equal(envelope.count, 1);
  assert_int_equal(envelope.pieces[0].parabola.owner, 7);
  pawl_envelope_add(&envelope, &below);
  assert_int_equal(envelope.count, 1);
  assert_int_equal(envelope.pieces[0].parabola.owner, 10);
  pawl_envelope_release(&envelope);
}

static void test_an_interval_of_one_place(void **state) {
  (void)state;
  const struct pawl_parabola first = {1, 0, 0, 1}, second = {0, 0, 3, 2}, third = {0, 0, 5, 3};
  struct pawl_envelope envelope;
  pawl_envelope_init(&envelope, 2, 2); /* where the first is 4 */
  pawl_envelope_add(&envelope, &first);
  pawl_envelope_add(&envelope, &second);
  pawl_envelope_add(&envelope, &third);
  assert_int_equal(envelope.count, 1);
  assert_int_equal(envelope.pieces[0].parabola.owner, 2);
  pawl_envelope_release(&envelope);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_it_is_the_least_of_all),
      cmocka_unit_test(test_equals_and_losers_change_nothing),
      cmocka_unit_test(test_an_interval_of_one_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
