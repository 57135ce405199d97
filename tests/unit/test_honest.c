/* SPDX-License-Identifier: Apache-2.0 */
/* No honest kernel is accused, however odd it is: each is measured as `bench` does it, with all
   that finds cheats at work. Arguments: the operator's plug-in, the folder of the kernels, their
   names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure_support.h"

#define BLOCKS 3 /* whether and where pawl watches is drawn anew in each */

static char **arguments;
static int argument_count;

static void require_honest(struct fixture *f, const char *name) {
  const char *plugin = pawl_arena_printf(&f->arena, "%s/odd_%s.so", arguments[2], name);
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  for (int i = 0; i < BLOCKS; i++) {
    struct pawl_block block;
    measure(f, name, plugin, i, verified, &block);
    if (block.arms[0].outcome != PAWL_OUTCOME_OK)
      fail_msg("pawl accuses '%s': %s", name, block.arms[0].reason);
    assert_int_equal(block.arms[0].count, SAMPLES);
  }
}

static void test_none_is_accused(void **state) {
  (void)state;
  struct fixture f = {0};
  set_up(&f, arguments[1]);
  for (int i = 3; i < argument_count; i++) require_honest(&f, arguments[i]);
  tear_down(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_none_is_accused)};
  arguments = argv;
  argument_count = argc;
  return argc > 3 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
