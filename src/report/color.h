/* SPDX-License-Identifier: Apache-2.0 */
/* The colours of verdicts and conclusions, in tables, headlines and pictures. */
#pragma once

#include "gate/verdict.h"
#include "record/conclusion.h"

enum pawl_report_color {
  PAWL_COLOR_PLAIN = 0,
  PAWL_COLOR_GOOD,
  PAWL_COLOR_BAD,
  PAWL_COLOR_DOUBT,
  PAWL_COLOR_DIM
};

enum pawl_report_color pawl_verdict_color(enum pawl_verdict verdict);
enum pawl_report_color pawl_conclusion_color(enum pawl_conclusion conclusion);
