/* SPDX-License-Identifier: Apache-2.0 */
/* pawl finds out the kernels of attacks.c in the first list. The kernels in the second list gain
   nothing. Arguments: the operator's plug-in, the folder of the kernels, names, "or", names,
   "warm", names of kernels that pawl finds out in warm mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/shm.h>

#include <cmocka.h>

#include "measure_support.h"

#define SYSTEM_V_KEY 0x5041574c
#define WORK_SECONDS 1e-3
#define GAIN_SECONDS 20e-6 /* that a call may have before pawl asks what became of it */
#define MOST_BLOCKS                                                                              \
  120 /* where pawl watches is drawn anew in each: on two busy CPUs one finds a cheat in 1 of 15 \
       */
#define MOST_ATTACKS 32
#define BLOCKS 3 /* for each kernel that gains nothing */

static char **arguments;
static struct fixture fixture;

struct attack {
  const char *name;
  bool found_out; /* else it gains nothing */
  bool warm;
};

static const char *path_of(struct fixture *f, const char *name) {
  return pawl_arena_printf(&f->arena, "%s/attack_%s.so", arguments[2], name);
}

static void require_found_out(struct fixture *f, const char *name) {
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  for (int i = 0; i < MOST_BLOCKS; i++) {
    struct pawl_block block;
    measure(f, name, path_of(f, name), i, verified, &block);
    if (block.arms[0].outcome == PAWL_OUTCOME_OK) continue;
    print_message("%s: block %d: %s\n", name, i, block.arms[0].reason);
    return;
  }
  fail_msg("'%s' was not found out", name);
}

/* Wrong is as good. */
static void require_no_gain(struct fixture *f, const char *name) {
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  double least = 1;
  for (int i = 0; i < BLOCKS; i++) {
    struct pawl_block block;
    measure(f, name, path_of(f, name), i, verified, &block);
    const struct pawl_arm_block *arm = &block.arms[0];
    for (size_t s = 0; s < arm->count && arm->outcome == PAWL_OUTCOME_OK; s++)
      least = arm->seconds[s] < least ? arm->seconds[s] : least;
  }
  print_message("%s: %.3f ms\n", name, least * 1e3);
  if (least < WORK_SECONDS - GAIN_SECONDS)
    fail_msg("'%s' has work of 1 ms and a call of %.3f ms", name, least * 1e3);
}

static void test_attack(void **state) {
  const struct attack *attack = *state;
  fixture.cache = attack->warm ? PAWL_CACHE_WARM : PAWL_CACHE_COLD;
  (attack->found_out ? require_found_out : require_no_gain)(&fixture, attack->name);
}

/* An attack may have written there, and keeps_in_system_v leaves its segment without a namespace.
 */
static int clean_up(void **state) {
  (void)state;
  fill_inputs(&fixture);
  const int left = shmget(SYSTEM_V_KEY, 0, 0);
  if (left >= 0) shmctl(left, IPC_RMID, NULL);
  return 0;
}

static int begin(void **state) {
  (void)state;
  set_up(&fixture, arguments[1]);
  return 0;
}

static int end(void **state) {
  (void)state;
  tear_down(&fixture);
  return 0;
}

int main(int argc, char **argv) {
  struct attack attacks[MOST_ATTACKS];
  struct CMUnitTest tests[MOST_ATTACKS];
  size_t count = 0;
  bool found_out = true, warm = false;
  arguments = argv;
  for (int i = 3; i < argc; i++) {
    if (!strcmp(argv[i], "or")) {
      found_out = false;
      continue;
    }
    if (!strcmp(argv[i], "warm")) {
      found_out = warm = true;
      continue;
    }
    if (count == MOST_ATTACKS) return 2;
    attacks[count] = (struct attack){argv[i], found_out, warm};
    tests[count] = (struct CMUnitTest){.name = argv[i],
                                       .test_func = test_attack,
                                       .teardown_func = clean_up,
                                       .initial_state = &attacks[count]};
    count++;
  }
  return count ? _cmocka_run_group_tests("attacks", tests, count, begin, end) : 2;
}
