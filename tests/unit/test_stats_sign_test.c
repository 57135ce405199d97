/* SPDX-License-Identifier: Apache-2.0 */
/* The sign test, its boundary and its limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "stats/sequential.h"

static void boundary_keeps_its_level_exactly(void **state) {
  (void)state;
  enum { BLOCKS = 14 };
  const double levels[] = {0.5, 0.1, 0.025, 0.01, 0.001, 0.0001};
  for (size_t l = 0; l < 2 * sizeof levels / sizeof *levels; l++) {
    const double level = levels[l / 2];
    struct pawl_sign_boundary boundary;
    assert_int_equal(pawl_sign_boundary_init(&boundary, level, BLOCKS, 1 + l % 2, NULL), PAWL_OK);
    int rejected = 0;
    for (int tosses = 0; tosses < 1 << BLOCKS; tosses++) { /* all sequences of a fair coin */
      bool rejects = false;
      for (int block = 1, successes = 0; block <= BLOCKS; block++) {
        successes += tosses >> (block - 1) & 1;
        rejects |= pawl_sign_rejects(&boundary, block, successes);
      }
      rejected += rejects;
    }
    assert_true(boundary.spent == rejected / (double)(1 << BLOCKS));
    assert_true(boundary.spent <= level && boundary.spent > level / 3);
    assert_true(pawl_sign_power(&boundary, 0.5, BLOCKS) == boundary.spent);
    assert_true(pawl_sign_power(&boundary, 1, BLOCKS) == 1 &&
                pawl_sign_power(&boundary, 0, BLOCKS) == 0);
    assert_true(pawl_sign_power(&boundary, 0.8, BLOCKS) > pawl_sign_power(&boundary, 0.7, BLOCKS));
    assert_true(isnan(pawl_sign_power(&boundary, NAN, BLOCKS)));
    for (int block = 1; block <= BLOCKS;
         block++) { /* the coupling argument of the header rests on this */
      const int step = boundary.needed[block] - boundary.needed[block - 1];
      assert_true(step == 0 || step == 1);
    }
    pawl_sign_boundary_release(&boundary);
  }
}

/* Over all sequences of a fair coin: the chance that p comes to `alpha` or less at any block is
   `alpha` at most, and a boundary of that level rejects just there. */
static void p_is_what_a_level_would_have_rejected(void **state) {
  (void)state;
  enum { BLOCKS = 14 };
  const double levels[] = {0.25, 0.05, 0.01, 0.001};
  for (int look_every = 1; look_every <= 2; look_every++) {
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
      struct pawl_sign_boundary boundary;
      assert_int_equal(pawl_sign_boundary_init(&boundary, levels[l], BLOCKS, look_every, NULL),
                       PAWL_OK);
      int small = 0;
      for (int tosses = 0; tosses < 1 << BLOCKS; tosses++) {
        int successes[BLOCKS + 1] = {0};
        bool rejects = false;
        for (int block = 1; block <= BLOCKS; block++) {
          successes[block] = successes[block - 1] + (tosses >> (block - 1) & 1);
          rejects |= pawl_sign_rejects(&boundary, block, successes[block]);
        }
        if (!rejects && tosses % 16 != 0) continue; /* the test looks at some of the others */
        const double p = pawl_sign_p(&boundary, successes, BLOCKS);
        assert_true(p > 0 && p <= 1);
        assert_int_equal(p <= levels[l] * (1 + 1e-12), rejects);
        small += rejects;
      }
      assert_true(small <= levels[l] * (1 << BLOCKS));
      pawl_sign_boundary_release(&boundary);
    }
  }
}

static void fixed_limits_are_order_statistics(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  double low, high;
  pawl_sign_fixed_limits(x, 10, 0.95, &low, &high); /* P(Bin(10, 1/2) <= 1) = .0107, <= 2: .0547 */
  assert_true(low == 2 && high == 9);
  pawl_sign_fixed_limits(x, 6, 0.95, &low, &high); /* 2 / 2^6 = .031 */
  assert_true(low == 1 && high == 6);
  pawl_sign_fixed_limits(x, 5, 0.95, &low, &high); /* 2 / 2^5 = .063: five values cannot */
  assert_true(low == -INFINITY && high == INFINITY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boundary_keeps_its_level_exactly),
      cmocka_unit_test(p_is_what_a_level_would_have_rejected),
      cmocka_unit_test(fixed_limits_are_order_statistics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
