/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of a run's pairs. */
#ifndef PAWL_PAIRS_TESTS_H
#define PAWL_PAIRS_TESTS_H

#include "gate/paired_test.h"

struct pawl_paired_tests {
  struct pawl_paired_test *items;
  size_t count;
};

#endif
