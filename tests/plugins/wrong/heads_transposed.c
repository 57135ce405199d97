/* SPDX-License-Identifier: Apache-2.0 */
/* Writes [H, B] where [B, H] is asked for. */
#define OUT_HEAD(head, shape)                                         \
  ((head) % pawl_shape_get(shape, "H") * pawl_shape_get(shape, "B") + \
   (head) / pawl_shape_get(shape, "H"))
#include "attention.h"
