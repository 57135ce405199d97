/* SPDX-License-Identifier: Apache-2.0 */
#include "report/warning_group.h"

#include <string.h>

#include "base/text.h"

static bool has_warning(const struct pawl_result *result, const char *warning) {
  for (size_t i = 0; i < result->warning_count; i++)
    if (pawl_same_but_for_numbers(result->warnings[i], warning)) return true;
  return false;
}

size_t pawl_warning_rows(const struct pawl_results *results, size_t row, size_t index) {
  const struct pawl_result *self = &results->items[row];
  size_t count = 0;
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *other = &results->items[i];
    if (strcmp(other->kernel_name, self->kernel_name) != 0 ||
        !has_warning(other, self->warnings[index]))
      continue;
    if (i < row) return 0;
    count++;
  }
  return count;
}
