/* SPDX-License-Identifier: Apache-2.0 */
/* A tuning's result as another job takes it over: tune.json is then somebody else's data, and only
   what the suite at hand itself lists may come of it. */
#ifndef PAWL_TUNE_PROPOSAL_H
#define PAWL_TUNE_PROPOSAL_H

#include "model/suite.h"
#include "tune/space.h"
#include "tune/tune_code.h"

struct pawl_tune_proposal {
  const struct pawl_kernel_spec *spec;
  const struct pawl_case **cases; /* that it is tuned for */
  size_t case_count;
  struct pawl_param_value *params; /* NULL: nothing is recommended; else the suite's own words */
  size_t count;
  double speedup, low, high;
  const char *began; /* "A=1,B=2": the current parameters of the search, as the file says; NULL */
  struct pawl_tune_code code; /* that was searched, as the file says */
  const char *hardware;       /* as the file says: not to be trusted in a text */
};

/* Reads a tune.json. PAWL_BAD_DATA: it is none, or recommends a kernel, a case, a parameter or a
   value that the suite does not have, what the constraints exclude, or a speed-up that is not above
   `gate: improve`. Lives in the arena. */
pawl_status pawl_tune_proposal_read(const char *path, const struct pawl_suite *suite,
                                    struct pawl_arena *arena, struct pawl_tune_proposal *out,
                                    struct pawl_error *err);

#endif
