/* SPDX-License-Identifier: Apache-2.0 */
/* A constraint from a stranger's suite: it holds or not, or one line that names it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tune/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"A", "B", "MODE"};
  const struct pawl_tune_value values[] = {pawl_tune_value_of("6"), pawl_tune_value_of("-0.5"),
                                           pawl_tune_value_of("row")};
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_expression expression;
  bool holds;
  const char *text = pawl_arena_printf(&arena, "%.*s", (int)size, (const char *)data);
  enum pawl_status_code status = pawl_expression_parse(text, names, 3, &arena, &expression, &err);
  if (status == PAWL_OK) status = pawl_expression_holds(&expression, values, &holds, &err);
  if (status != PAWL_OK &&
      (status != PAWL_CONFIG || strncmp(err.message, "constraint '", 12) != 0 ||
       strchr(err.message, '\n')))
    abort();
  pawl_arena_clear(&arena);
  return 0;
}
