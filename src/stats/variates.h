/* SPDX-License-Identifier: Apache-2.0 */
/* Random variates from the Philox stream that the caller holds. Stateless beyond that stream: the same stream gives
   the same variates. */
#ifndef PAWL_STATS_VARIATES_H
#define PAWL_STATS_VARIATES_H

#include "base/philox.h"

double pawl_draw_exponential(struct pawl_random *random); /* mean 1 */
double pawl_draw_normal(struct pawl_random *random);      /* N(0, 1); Box and Muller, 1958 */
/* Gamma(shape, scale 1), shape >= 1, exact by rejection: Marsaglia and Tsang, "A simple method for generating gamma
   variables", ACM TOMS 26, 2000. */
double pawl_draw_gamma(struct pawl_random *random, double shape);

#endif
