/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the result of a search by another job. The tune.json comes from outside, so pawl accepts
   only what the suite itself lists. */
#pragma once

#include "model/suite.h"
#include "tune/space.h"
#include "tune/tune_code.h"

struct pawl_tune_proposal {
  const struct pawl_kernel_spec *spec;
  const struct pawl_case **cases; /* the cases that the search tuned for */
  size_t case_count;
  struct pawl_param_value *params; /* NULL: no recommendation; else the suite's own values */
  size_t count;
  double speedup, low, high;
  /* "A=1,B=2": the current parameters of the search according to the file; NULL: not given */
  const char *began;
  struct pawl_tune_code code; /* the code of the search according to the file */
  const char *hardware;       /* according to the file: escape it in any text */
};

/* Reads a tune.json into the arena. Fails with PAWL_BAD_DATA if the file is no result of a search.
 * It also does so if the file recommends a kernel, case, parameter or value that the suite does not
 * have, a configuration that the constraints exclude, or a speed-up that is not above `gate:
 * improve`. */
pawl_status pawl_tune_proposal_read(const char *path, const struct pawl_suite *suite,
                                    struct pawl_arena *arena, struct pawl_tune_proposal *out,
                                    struct pawl_error *err);
