/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/envelope.h"

#include <math.h>

#include "base/memory.h"

void pawl_envelope_init(struct pawl_envelope *envelope, double begin, double end) {
  *envelope = (struct pawl_envelope){.begin = begin, .end = end};
}

void pawl_envelope_release(struct pawl_envelope *envelope) {
  pawl_free(envelope->pieces);
  pawl_free(envelope->room);
  *envelope = (struct pawl_envelope){.count = 0};
}

static struct pawl_parabola difference(const struct pawl_parabola *a,
                                       const struct pawl_parabola *b) {
  return (struct pawl_parabola){.square = a->square - b->square,
                                .linear = a->linear - b->linear,
                                .constant = a->constant - b->constant};
}

/* Finds the roots in ascending order and returns their number. Computes the larger sum first,
   because a small difference of two large numbers has few digits. */
static size_t roots_of(const struct pawl_parabola *parabola, double roots[2]) {
  const double discriminant =
      parabola->linear * parabola->linear - parabola->square * parabola->constant;
  if (!(discriminant >= 0)) return 0;
  const double sum = parabola->linear + copysign(sqrt(discriminant), parabola->linear);
  const double one = parabola->constant / sum, two = sum / parabola->square;
  size_t count = 0;
  if (isfinite(one)) roots[count++] = one;
  if (isfinite(two)) roots[count++] = two;
  if (count == 2 && roots[0] > roots[1]) {
    roots[0] = two;
    roots[1] = one;
  }
  return count;
}

/* Appends a piece. A piece with the parabola of the one before extends that one. */
static void put(struct pawl_envelope *envelope, const struct pawl_parabola *parabola, double end) {
  if (envelope->room_count) {
    struct pawl_envelope_piece *before = &envelope->room[envelope->room_count - 1];
    if (before->parabola.owner == parabola->owner) {
      before->end = end;
      return;
    }
  }
  envelope->room = pawl_grow(envelope->room, envelope->room_count, &envelope->room_capacity,
                             sizeof *envelope->room);
  envelope->room[envelope->room_count++] =
      (struct pawl_envelope_piece){.end = end, .parabola = *parabola};
}

/* Divides a piece at the roots. Between two roots one parabola is below the other, and the middle
   shows which. */
static void divide(struct pawl_envelope *envelope, const struct pawl_envelope_piece *piece,
                   double begin, const struct pawl_parabola *parabola) {
  const struct pawl_parabola above = difference(parabola, &piece->parabola);
  double roots[2], ends[3];
  const size_t root_count = roots_of(&above, roots);
  size_t count = 0;
  for (size_t i = 0; i < root_count; i++)
    if (roots[i] > begin && roots[i] < piece->end) ends[count++] = roots[i];
  ends[count++] = piece->end;
  for (size_t i = 0; i < count; i++) {
    const double middle = (begin + ends[i]) / 2;
    const double away = (above.square * middle - 2 * above.linear) * middle + above.constant;
    put(envelope, away < 0 ? parabola : &piece->parabola, ends[i]);
    begin = ends[i];
  }
}

void pawl_envelope_add(struct pawl_envelope *envelope, const struct pawl_parabola *parabola) {
  double begin = envelope->begin;
  envelope->room_count = 0;
  if (!envelope->count) put(envelope, parabola, envelope->end);
  for (size_t i = 0; i < envelope->count; i++) {
    divide(envelope, &envelope->pieces[i], begin, parabola);
    begin = envelope->pieces[i].end;
  }
  const struct pawl_envelope before = *envelope;
  envelope->pieces = before.room;
  envelope->count = before.room_count;
  envelope->capacity = before.room_capacity;
  envelope->room = before.pieces;
  envelope->room_capacity = before.capacity;
}
