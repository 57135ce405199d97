/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/duration.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define LONGEST (366.0 * 24 * 3600)

static double duration_unit_of(char letter) {
  switch (letter) {
    case 's': return 1;
    case 'm': return 60;
    case 'h': return 3600;
    default: return 0;
  }
}

pawl_status pawl_parse_duration(const char *option, const char *text, double *seconds,
                                struct pawl_error *err) {
  char number[32];
  double value;
  if (!text) return PAWL_OK;
  const size_t length = strlen(text);
  const double unit = length ? duration_unit_of(text[length - 1]) : 0;
  const size_t digits = unit > 0 ? length - 1 : length;
  snprintf(number, sizeof number, "%.*s", (int)digits, text);
  const double scale = unit > 0 ? unit : 1;
  if (digits >= sizeof number || !pawl_parse_double(number, &value) ||
      !(value > 0 && value * scale <= LONGEST))
    return pawl_fail(err, PAWL_USAGE, "'%s' takes a time such as 90s, 20m or 2h, not '%.40s'",
                     option, text);
  *seconds = value * scale;
  return PAWL_OK;
}
