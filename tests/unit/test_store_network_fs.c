/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs these four first */
#include <cmocka.h>

#include "store/network_fs.h"

static void test_network_file_systems(void **state) {
  (void)state;
  assert_string_equal(pawl_network_fs_name(0x6969), "nfs");
  assert_string_equal(pawl_network_fs_name(0xffffffffff534d42ul),
                      "cifs");               /* as a signed 32-bit number */
  assert_null(pawl_network_fs_name(0xef53)); /* ext4 */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_network_file_systems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
