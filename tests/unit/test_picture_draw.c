/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of the drawings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "picture/draw.h"

static void expect(unsigned ground, double wanted) {
  const struct pawl_color text = pawl_text_color_on((struct pawl_color){
      (ground >> 16 & 255) / 255.0, (ground >> 8 & 255) / 255.0, (ground & 255) / 255.0});
  assert_true(text.red == wanted && text.green == wanted && text.blue == wanted);
}

/* Contrasts of white and black by WCAG, beside the ground. */
static void test_text_is_seen_on_every_ground(void **state) {
  (void)state;
  expect(0xffffff, 0);
  expect(0x000000, 1);
  expect(0x757575, 1); /* 4.61, 4.56 */
  expect(0x777777, 0); /* 4.48, 4.69 */
  expect(0xff0000, 0); /* 4.00, 5.25 */
  expect(0x00ff00, 0); /* 1.37, 15.3 */
  expect(0x0000ff, 1); /* 8.59, 2.44 */
  expect(0x1a7f37, 1); /* the best of the map of a search: 5.08, 4.13 */
  expect(0x318c4b, 0); /* a little worse: 4.21, 4.98 */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_text_is_seen_on_every_ground)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
