/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a function to a suite that a user wrote, and changes nothing else of its text. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define PAWL_SUITE_LINES 4

/* "  NAME: VALUE" in a section; the comment, " # ...", stands beside a new section. */
struct pawl_suite_line {
  const char *section, *comment, *name, *value;
};

/* Appends the text of the suite with a line more in each section, which it may lack. Fails with
 * PAWL_CANNOT_WRITE if a section has no line for each name, with the lines to add by hand, or with
 * PAWL_BAD_DATA if the suite would be wrong, because a name is there already. */
pawl_status pawl_suite_add_lines(const char *path,
                                 const struct pawl_suite_line lines[PAWL_SUITE_LINES],
                                 struct pawl_arena *arena, struct pawl_text *out,
                                 struct pawl_error *err);
