/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets come from the environment or from a file, never from arguments or a tracked file. */
#ifndef PAWL_BASE_SECRET_H
#define PAWL_BASE_SECRET_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* Where a secret is; at most one of the two is set. */
struct pawl_secret_source {
  const char *env;  /* the name of a variable */
  const char *file; /* a path; the file must not be readable by everybody */
};

bool pawl_secret_given(const struct pawl_secret_source *source);

/* The secret without the line end that editors add; `what` names it in messages ("the webhook's
   secret"), which never hold its value. PAWL_NO_INPUT: not set, empty or no such file.
   PAWL_NOT_PERMITTED: everybody could read the file. */
pawl_status pawl_secret_load(const struct pawl_secret_source *source, const char *what,
                             struct pawl_text *out, struct pawl_error *err);

/* Overwrites and frees; for PAWL_CLEANUP too. */
void pawl_secret_clear(struct pawl_text *secret);

#endif
