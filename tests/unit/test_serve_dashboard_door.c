/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

#include "serve/dashboard_door.h"

static void only_this_machine_is_local(void **state) {
  (void)state;
  const char *const local[] = {"127.0.0.1:8788", "127.9.8.7",      "[::1]:80",
                               "[::1]",          "localhost:8788", "LOCALHOST"};
  const char *const others[] = {
      "0.0.0.0:8788",          "[::]:80",           "192.168.0.1:80", "127.0.0.1.example.org",
      "localhost.example.org", "[::1].example.org", "127.1:80",       "",
      "example.org:8788",      "localhos"};
  for (size_t i = 0; i < sizeof local / sizeof *local; i++)
    assert_true(pawl_door_is_local_host(local[i]));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false(pawl_door_is_local_host(others[i]));
  assert_true(pawl_door_is_local_host(NULL));
  assert_false(pawl_door_is_loopback("localhost:80"));
}

static void a_token_is_long_and_fits_a_cookie(void **state) {
  (void)state;
  struct pawl_error err = {0};
  assert_int_equal(pawl_door_check_token("0123456789abcdef", &err), PAWL_OK);
  const char *const bad[] = {"", "0123456789abcde", "0123456789abcdef;", "0123456789 abcdef",
                             "0123456789abcdef\r\nA: b"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(pawl_door_check_token(bad[i], &err), PAWL_USAGE);
}

static void only_the_token_itself_opens(void **state) {
  (void)state;
  assert_true(pawl_door_is_token("0123456789abcdef", "0123456789abcdef"));
  const char *const wrong[] = {"", "0123456789abcdeF", "0123456789abcde", "0123456789abcdef0",
                               NULL};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(pawl_door_is_token("0123456789abcdef", wrong[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_this_machine_is_local),
                                     cmocka_unit_test(a_token_is_long_and_fits_a_cookie),
                                     cmocka_unit_test(only_the_token_itself_opens)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
