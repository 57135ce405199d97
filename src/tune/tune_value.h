/* SPDX-License-Identifier: Apache-2.0 */
/* The value of a parameter for constraints and searches. */
#pragma once

/* A number or a word. */
struct pawl_tune_value {
  const char *word; /* the text of the value, a number's too */
  double number;    /* NaN: it is a word */
};
struct pawl_tune_value pawl_tune_value_of(const char *text);
/* Returns 1 or 0 for a boolean in the spelling of C or Python, and NaN for any other word. */
double pawl_tune_truth(const char *word);
