/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the rules of two suites, to show how a change alters pawl's judgement of it. */
#pragma once

#include "base/memory.h"
#include "base/strings.h"
#include "model/suite.h"

/* Appends a line for each rule of the base that `ours` changes (gate, measurement, cases, checks,
   kernels), and for each check that only `ours` has. The keys come from the tables of
   suite/tables.h. */
void pawl_policy_compare(const struct pawl_suite *ours, const struct pawl_suite *base,
                         struct pawl_arena *arena, struct pawl_strings *notices);

void pawl_policy_note(struct pawl_strings *notices, struct pawl_arena *arena, const char *format,
                      ...) __attribute__((format(printf, 3, 4)));
