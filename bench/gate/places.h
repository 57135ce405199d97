/* SPDX-License-Identifier: Apache-2.0 */
/* The exact level of a boundary where places are balanced within pairs of blocks. */
#pragma once

#include "stats/sign_test.h"

/* The largest chance to cross, whatever the place does to each pair, chosen anew before each one
   with all signs known: a pair has two successes with a chance of up to `twice`, and two failures
   with the same. 1/4: a place that helps the same arm in both of its blocks; 1/2: a machine that
   changes its mind. */
double worst_place(const struct pawl_sign_boundary *boundary, double twice);
