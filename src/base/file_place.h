/* SPDX-License-Identifier: Apache-2.0 */
/* The place in a file for a message that pawl writes after reading the file. */
#pragma once

#include "base/error.h"

struct pawl_file_place {
  const char *file; /* NULL: not from a file */
  int line, column; /* both count from 1 */
};

/* Prefixes a failure with "pawl.yaml:3:7: " if the place is known. Returns err->code. `err` must
 * not be NULL. */
static inline enum pawl_status_code pawl_file_place_prefix(const struct pawl_file_place *place,
                                                           struct pawl_error *err) {
  return place->file ? pawl_prefix(err, "%s:%d:%d", place->file, place->line, place->column)
                     : err->code;
}
