/* SPDX-License-Identifier: Apache-2.0 */
#include "model/suite.h"

#include <string.h>

const struct pawl_kernel_spec *pawl_suite_kernel(const struct pawl_suite *suite, const char *name) {
  for (size_t i = 0; i < suite->kernel_count; i++)
    if (strcmp(suite->kernels[i].name, name) == 0) return &suite->kernels[i];
  return NULL;
}

const struct pawl_case *pawl_suite_case(const struct pawl_suite *suite, const char *name) {
  for (size_t i = 0; i < suite->case_count; i++)
    if (strcmp(suite->cases[i].name, name) == 0) return &suite->cases[i];
  return NULL;
}

const struct pawl_check_spec *pawl_suite_check(const struct pawl_suite *suite,
                                               const char *operator_name) {
  for (size_t i = 0; i < suite->check_count; i++)
    if (strcmp(suite->checks[i].operator_name, operator_name) == 0) return &suite->checks[i];
  return NULL;
}

const struct pawl_operator_spec *pawl_suite_operator(const struct pawl_suite *suite,
                                                     const char *name) {
  for (size_t i = 0; i < suite->operator_count; i++)
    if (strcmp(suite->operators[i].name, name) == 0) return &suite->operators[i];
  return NULL;
}
