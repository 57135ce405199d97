/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tone.h"

enum pawl_tone pawl_verdict_tone(enum pawl_verdict verdict) {
  static const enum pawl_tone tones[PAWL_VERDICTS] = {
      [PAWL_VERDICT_BROKEN] = PAWL_TONE_BAD,          [PAWL_VERDICT_REGRESSION] = PAWL_TONE_BAD,
      [PAWL_VERDICT_MISSING] = PAWL_TONE_BAD,         [PAWL_VERDICT_INCONCLUSIVE] = PAWL_TONE_DOUBT,
      [PAWL_VERDICT_ACCEPTED] = PAWL_TONE_DOUBT,      [PAWL_VERDICT_IMPROVEMENT] = PAWL_TONE_GOOD,
      [PAWL_VERDICT_NEW] = PAWL_TONE_DOUBT,           [PAWL_VERDICT_MAINTAINED] = PAWL_TONE_PLAIN,
      [PAWL_VERDICT_NO_DIFFERENCE] = PAWL_TONE_PLAIN, [PAWL_VERDICT_UNSUPPORTED] = PAWL_TONE_DIM,
  };
  return tones[verdict];
}

enum pawl_tone pawl_conclusion_tone(enum pawl_conclusion conclusion) {
  if (pawl_conclusion_fails(conclusion)) return PAWL_TONE_BAD;
  if (pawl_conclusion_is_good(conclusion)) return PAWL_TONE_GOOD;
  return conclusion == PAWL_CONCLUSION_MEASURED ? PAWL_TONE_PLAIN : PAWL_TONE_DOUBT;
}
