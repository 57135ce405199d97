/* SPDX-License-Identifier: Apache-2.0 */
#include "report/color.h"

enum pawl_report_color pawl_verdict_color(enum pawl_verdict verdict) {
  static const enum pawl_report_color colors[PAWL_VERDICTS] = {
      [PAWL_VERDICT_DROPPED] = PAWL_COLOR_BAD,
      [PAWL_VERDICT_BROKEN] = PAWL_COLOR_BAD,
      [PAWL_VERDICT_REGRESSION] = PAWL_COLOR_BAD,
      [PAWL_VERDICT_MISSING] = PAWL_COLOR_BAD,
      [PAWL_VERDICT_WORSE_CODE] = PAWL_COLOR_BAD,
      [PAWL_VERDICT_NEEDS_GPU] = PAWL_COLOR_DOUBT,
      [PAWL_VERDICT_INCONCLUSIVE] = PAWL_COLOR_DOUBT,
      [PAWL_VERDICT_ACCEPTED] = PAWL_COLOR_DOUBT,
      [PAWL_VERDICT_IMPROVEMENT] = PAWL_COLOR_GOOD,
      [PAWL_VERDICT_NEW] = PAWL_COLOR_DOUBT,
      [PAWL_VERDICT_MAINTAINED] = PAWL_COLOR_PLAIN,
      [PAWL_VERDICT_NO_DIFFERENCE] = PAWL_COLOR_PLAIN,
      [PAWL_VERDICT_UNSUPPORTED] = PAWL_COLOR_DIM,
  };
  return colors[verdict];
}

enum pawl_report_color pawl_conclusion_color(enum pawl_conclusion conclusion) {
  if (pawl_conclusion_fails(conclusion)) return PAWL_COLOR_BAD;
  if (pawl_conclusion_is_good(conclusion)) return PAWL_COLOR_GOOD;
  return conclusion == PAWL_CONCLUSION_MEASURED ? PAWL_COLOR_PLAIN : PAWL_COLOR_DOUBT;
}
