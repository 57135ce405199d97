/* SPDX-License-Identifier: Apache-2.0 */
/* The value of a parameter, as constraints and searches see it. */
#ifndef PAWL_TUNE_TUNE_VALUE_H
#define PAWL_TUNE_TUNE_VALUE_H

/* A number, or a word. */
struct pawl_tune_value {
  const char *word; /* as it is written, in either case */
  double number;    /* NaN: it is a word */
};
struct pawl_tune_value pawl_tune_value_of(const char *text);
/* 1 or 0 of a boolean, as C and Python write it; NaN: it is another word. */
double pawl_tune_truth(const char *word);

#endif
