/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of a run's pairs. */
#pragma once

#include "gate/paired_test.h"

struct pawl_paired_tests {
  struct pawl_paired_test *items;
  size_t count;
};
