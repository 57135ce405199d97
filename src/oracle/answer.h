/* SPDX-License-Identifier: Apache-2.0 */
/* The exact answer of a problem, in the oracle's `expected` arena. */
#ifndef PAWL_ORACLE_ANSWER_H
#define PAWL_ORACLE_ANSWER_H

#include "oracle/compare.h"
#include "oracle/oracle.h"

/* Index of the first input of a set that is not as drawn; -1: none. */
int pawl_problem_changed_input(const struct pawl_problem *problem, int set);

/* Of output or inout `tensor` of the problem, after pawl_problem_expect. */
struct pawl_expected pawl_problem_expected(const struct pawl_problem *problem, int set, int tensor);

#endif
