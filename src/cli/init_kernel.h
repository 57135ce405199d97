/* SPDX-License-Identifier: Apache-2.0 */
/* `pawl init --kernel FILE` starts a suite from a user's function. */
#pragma once

#include "base/error.h"
#include "base/memory.h"

/* The files of a suite for one function. */
struct pawl_init_kernel {
  const char *source; /* the user's file */
  const char *name;   /* the function's */
  const char *others; /* other functions of the file: "b, c", or NULL */
  const char *operator_path, *shim_path;
  const char *operator_text, *shim_text, *suite_text;
};

/* Reads "FILE" or "FILE:FUNCTION" and makes the texts. The paths are below `folder`, which must
 * contain the file. The suite of the folder, if it has one, gets a line in each of its sections.
 * PAWL_CANNOT_WRITE: it has the name already, or a section that is not a line for each name; the
 * message has the lines to add. PAWL_USAGE: it does not, or the file's ending is unknown.
 * PAWL_BAD_DATA: the file has no such function. */
pawl_status pawl_init_kernel_make(const char *wanted, const char *folder, struct pawl_arena *arena,
                                  struct pawl_init_kernel *out, struct pawl_error *err);
