/* SPDX-License-Identifier: Apache-2.0 */
/* Every element is the mean of all inputs. */
#define AFTER(launch) fill_with_mean(launch)
struct pawl_launch;
static void fill_with_mean(const struct pawl_launch *launch);
#include "attention.h"

static void fill_with_mean(const struct pawl_launch *launch) {
  double sum = 0.0;
  for (int64_t i = 0; i < elements(launch); i++) sum += get(launch, V, i);
  for (int64_t i = 0; i < elements(launch); i++) put(launch, O, i, sum / (double)elements(launch));
}
