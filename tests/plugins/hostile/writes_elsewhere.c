/* SPDX-License-Identifier: Apache-2.0 */
/* Overwrites the input of its first call when it comes to the fourth: long after the look at the
 * first. */
#include "scale.h"

#ifndef VISITS
#define VISITS 1 /* to the fourth, from which it does so */
#define NAME "writes_elsewhere"
#endif

static int launch(const struct pawl_launch *call) {
  static float *inputs[4], *last;
  static int count, visits;
  float *x = call->tensors[0].data;
  int place = 0;
  while (place < count && inputs[place] != x) place++;
  if (place == count && count < 4) inputs[count++] = x;
  if (place == 3 && x != last) visits++;
  last = x;
  if (place == 3 && visits >= VISITS) inputs[0][3] = 0;
  return scale(call);
}

HOSTILE_KERNEL(NAME, .launch = launch)
