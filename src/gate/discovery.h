/* SPDX-License-Identifier: Apache-2.0 */
/* Calls changes by the e-values of all rows (e-BH; Wang and Ramdas, "False discovery rate control
 * with e-values", JRSS B 84, 2022). docs/adr/false-discovery.md has the proof. */
#pragma once

#include "gate/paired_test.h"

/* Returns whether pawl_paired_tests_discover can call the test a change. */
bool pawl_discovery_has(const struct pawl_paired_test *test);

/* Gives REGRESSION or IMPROVEMENT to each test without an answer whose e-value is at least
 * comparisons / (n false_alarm), where n is the largest number of tests with such e-values. Tests
 * whose policy does not control false discoveries stay as they are. More tests never take an answer
 * away. */
void pawl_paired_tests_discover(struct pawl_paired_test *const *tests, size_t count);
