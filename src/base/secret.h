/* SPDX-License-Identifier: Apache-2.0 */
/* Loads secrets from the environment or from a file, never from arguments or a tracked file. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* The caller sets at most one of the two. */
struct pawl_secret_source {
  const char *env;  /* the name of a variable */
  const char *file; /* a path; others must not be able to read the file */
};

bool pawl_secret_given(const struct pawl_secret_source *source);

/* Loads a secret without the final newline that editors add. `what` names it in messages ("the
 * webhook's secret"), which never hold its value. Fails with PAWL_NO_INPUT if it is empty or
 * missing, and with PAWL_NOT_PERMITTED if everybody can read the file. */
pawl_status pawl_secret_load(const struct pawl_secret_source *source, const char *what,
                             struct pawl_text *out, struct pawl_error *err);

/* Overwrites and frees the secret; for PAWL_CLEANUP too. */
void pawl_secret_clear(struct pawl_text *secret);
