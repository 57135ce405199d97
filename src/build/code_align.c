/* SPDX-License-Identifier: Apache-2.0 */
#include "build/code_align.h"

#include <string.h>

#define MOST_EDITS 3000 /* the memory grows with its square: 36 MB */

/* The part of both functions between their common beginning and their common end. */
struct code_span {
  const struct pawl_instruction *base, *candidate;
  int base_count, candidate_count;
};

static struct code_span span_that_differs(const struct pawl_function_change *change) {
  struct code_span span = {0};
  if (change->base) span.base = change->base->items, span.base_count = (int)change->base->count;
  if (change->candidate) {
    span.candidate = change->candidate->items;
    span.candidate_count = (int)change->candidate->count;
  }
  while (span.base_count && span.candidate_count && span.base[0].form == span.candidate[0].form)
    span.base++, span.candidate++, span.base_count--, span.candidate_count--;
  while (span.base_count && span.candidate_count &&
         span.base[span.base_count - 1].form == span.candidate[span.candidate_count - 1].form)
    span.base_count--, span.candidate_count--;
  return span;
}

/* The furthest base instruction on each diagonal after each number of edits. Row d has 2d + 1
   diagonals, from -d to d, and begins at d * d. */
static int *reached(int *furthest, int edits, int diagonal) {
  return &furthest[edits * edits + edits + diagonal];
}

/* Returns whether the last edit on the way to the diagonal is an insertion. */
static bool is_insertion(int *furthest, int edits, int diagonal) {
  return diagonal == -edits ||
         (diagonal != edits && *reached(furthest, edits - 1, diagonal - 1) <
                                   *reached(furthest, edits - 1, diagonal + 1));
}

/* Returns the number of edits, or -1 if there are more than `most`. */
static int count_edits(const struct code_span *span, int *furthest, int most) {
  for (int edits = 0; edits <= most; edits++) {
    for (int diagonal = -edits; diagonal <= edits; diagonal += 2) {
      int at = 0;
      if (edits)
        at = is_insertion(furthest, edits, diagonal)
                 ? *reached(furthest, edits - 1, diagonal + 1)
                 : *reached(furthest, edits - 1, diagonal - 1) + 1;
      while (at < span->base_count && at - diagonal < span->candidate_count && at - diagonal >= 0 &&
             span->base[at].form == span->candidate[at - diagonal].form)
        at++;
      *reached(furthest, edits, diagonal) = at;
      if (at >= span->base_count && at - diagonal >= span->candidate_count) return edits;
    }
  }
  return -1;
}

void pawl_code_align(struct pawl_function_change *change, struct pawl_arena *arena) {
  const struct code_span span = span_that_differs(change);
  const int all = span.base_count + span.candidate_count,
            most = all < MOST_EDITS ? all : MOST_EDITS;
  PAWL_CLEANUP(pawl_free_pointer)
  int *furthest = pawl_alloc((size_t)(most + 1) * (size_t)(most + 1), sizeof *furthest);
  const int count = count_edits(&span, furthest, most);
  change->too_different = count < 0;
  if (count <= 0) return;
  change->edit_count = (size_t)count;
  change->edits = pawl_arena_alloc(arena, change->edit_count, sizeof *change->edits);
  int diagonal = span.base_count - span.candidate_count;
  for (int edits = count; edits > 0; edits--) {
    const bool came = is_insertion(furthest, edits, diagonal);
    diagonal += came ? 1 : -1;
    const int at = *reached(furthest, edits - 1, diagonal);
    change->edits[edits - 1] =
        (struct pawl_code_edit){came ? &span.candidate[at - diagonal] : &span.base[at], came};
  }
}
