/* SPDX-License-Identifier: Apache-2.0 */
/* The colour of a verdict and of a conclusion, the same in tables, headlines and pictures. */
#ifndef PAWL_REPORT_TONE_H
#define PAWL_REPORT_TONE_H

#include "gate/verdict.h"
#include "record/conclusion.h"

enum pawl_tone {
  PAWL_TONE_PLAIN = 0,
  PAWL_TONE_GOOD,
  PAWL_TONE_BAD,
  PAWL_TONE_DOUBT,
  PAWL_TONE_DIM
};

enum pawl_tone pawl_verdict_tone(enum pawl_verdict verdict);
enum pawl_tone pawl_conclusion_tone(enum pawl_conclusion conclusion);

#endif
