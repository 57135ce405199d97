/* SPDX-License-Identifier: Apache-2.0 */
/* The lower envelope of parabolas: the parabola with the least value at each place of an interval.
   A parabola that has it nowhere is dropped for good. */
#pragma once

#include <stddef.h>

/* square x^2 - 2 linear x + constant */
struct pawl_parabola {
  double square, linear, constant;
  size_t owner; /* the caller's */
};

/* `parabola` has the least value from the end of the piece before it up to `end`. */
struct pawl_envelope_piece {
  double end;
  struct pawl_parabola parabola;
};

struct pawl_envelope {
  double begin, end;                         /* the interval; both may be equal */
  struct pawl_envelope_piece *pieces, *room; /* in the order of their places */
  size_t count, capacity, room_count, room_capacity;
};

void pawl_envelope_init(struct pawl_envelope *envelope, double begin, double end);
void pawl_envelope_release(struct pawl_envelope *envelope);

/* Adds a parabola. If another has the same value somewhere, the other stays there. */
void pawl_envelope_add(struct pawl_envelope *envelope, const struct pawl_parabola *parabola);
