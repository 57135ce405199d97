/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/tune_value.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

struct pawl_tune_value pawl_tune_value_of(const char *text) {
  struct pawl_tune_value value = {.word = text};
  if (!pawl_parse_double(text, &value.number)) value.number = NAN;
  return value;
}

double pawl_tune_truth(const char *word) {
  if (!strcmp(word, "true") || !strcmp(word, "True")) return 1;
  return !strcmp(word, "false") || !strcmp(word, "False") ? 0 : NAN;
}
