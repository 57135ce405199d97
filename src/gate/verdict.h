/* SPDX-License-Identifier: Apache-2.0 */
/* What the gate says of one kernel and case. */
#ifndef PAWL_GATE_VERDICT_H
#define PAWL_GATE_VERDICT_H

#include <stdbool.h>

enum pawl_verdict {
  PAWL_VERDICT_NONE = 0, /* nothing to compare with: new */
  PAWL_VERDICT_REGRESSION,
  PAWL_VERDICT_IMPROVEMENT,
  PAWL_VERDICT_MAINTAINED,
  PAWL_VERDICT_NO_DIFFERENCE, /* "no significant difference" */
  PAWL_VERDICT_INCONCLUSIVE,
  PAWL_VERDICT_BROKEN,     /* the candidate is wrong, does not build, or crashes */
  PAWL_VERDICT_MISSING,    /* the baseline has it, the candidate does not */
  PAWL_VERDICT_UNSUPPORTED /* there is no time on either side, and need not be: the kernel refuses the shape, or it is
                              optional and what it needs is absent */
};
const char *pawl_verdict_name(enum pawl_verdict verdict); /* "regression" ... */
bool pawl_verdict_fails(enum pawl_verdict verdict);       /* regression, broken, missing */

#endif
