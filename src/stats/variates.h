/* SPDX-License-Identifier: Apache-2.0 */
/* Random variates from the caller's Philox stream. The same stream gives the same variates. Some
   functions return pairs, because two cost little more than one. */
#pragma once

#include "base/philox.h"

double pawl_draw_exponential(struct pawl_random *random); /* mean 1 */
/* Draws two independent N(0, 1) by the polar method of Marsaglia and Bray, "A convenient method for
   generating normal variables", SIAM Review 6, 1964. */
void pawl_draw_normals(struct pawl_random *random, double out[2]);
double pawl_draw_normal(struct pawl_random *random); /* the first of a pair */
/* Draws two independent Gamma(shape, scale 1), shape >= 1, exact by rejection: Marsaglia and Tsang,
   "A simple method for generating gamma variables", ACM TOMS 26, 2000. */
void pawl_draw_gammas(struct pawl_random *random, double shape, double out[2]);
