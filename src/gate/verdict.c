/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict.h"

const char *pawl_verdict_name(enum pawl_verdict verdict) {
  switch (verdict) {
    case PAWL_VERDICT_NONE: return "new";
    case PAWL_VERDICT_REGRESSION: return "regression";
    case PAWL_VERDICT_IMPROVEMENT: return "improvement";
    case PAWL_VERDICT_MAINTAINED: return "maintained";
    case PAWL_VERDICT_NO_DIFFERENCE: return "no significant difference";
    case PAWL_VERDICT_INCONCLUSIVE: return "inconclusive";
    case PAWL_VERDICT_BROKEN: return "broken";
    case PAWL_VERDICT_MISSING: return "missing";
    case PAWL_VERDICT_UNSUPPORTED: return "unsupported";
  }
  return "unknown";
}

bool pawl_verdict_fails(enum pawl_verdict verdict) {
  return verdict == PAWL_VERDICT_REGRESSION || verdict == PAWL_VERDICT_BROKEN || verdict == PAWL_VERDICT_MISSING;
}
