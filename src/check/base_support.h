/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the base's kernel for the shapes that a change refuses. docs/adr/dropped-shapes.md argues
 * it. */
#pragma once

#include "check/matrix.h"
#include "check/row.h"

/* The base's kernel while a check asks it. */
struct pawl_base_support {
  const struct pawl_check_options *options; /* the check under way */
  struct pawl_arena *arena;                 /* the report's */
  struct pawl_check_options own;            /* the same for the base's kernel */
  struct pawl_check_subject subject;
  bool asked, gone;    /* pawl has looked for the base; there is none, or it fails too */
  int failures;        /* rows in a row that the base failed */
  const char *unasked; /* why the base answers no more; NULL */
};

/* Gives a refused row the outcome DROPPED if the base's kernel computes the same row correctly.
 * Does nothing for a shape that the change may drop. An error is the operator's or the
 * machine's. */
pawl_status pawl_base_support_judge(struct pawl_base_support *base,
                                    const struct pawl_check_item *item, struct pawl_check_row *row,
                                    struct pawl_error *err);
void pawl_base_support_release(struct pawl_base_support *base);
