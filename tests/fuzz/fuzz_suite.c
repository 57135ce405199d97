/* SPDX-License-Identifier: Apache-2.0 */
/* pawl.yaml from a stranger: read, or one line that begins with the place. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suite/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 loses 2 KiB on a key of dozens of escaped quotes: corpus/suite/many_quotes.yaml.
 */
const char *__lsan_default_suppressions(void) { return "leak:libfyaml.so"; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_suite suite;
  const enum pawl_status_code status =
      pawl_suite_parse((const char *)data, size, "pawl.yaml", &arena, &suite, &err);
  if (status == PAWL_OK) {
    /* The other rooms rely on these facts. */
    for (size_t i = 0; i < suite.kernel_count; i++)
      if (pawl_suite_kernel(&suite, suite.kernels[i].name) != &suite.kernels[i] ||
          !suite.kernels[i].kind)
        abort();
    for (size_t i = 0; i < suite.case_count; i++)
      if (pawl_suite_case(&suite, suite.cases[i].name) != &suite.cases[i]) abort();
    if (!(suite.gate.tolerate < suite.gate.detect) ||
        suite.measure.samples < suite.measure.processes)
      abort();
  } else if (status != PAWL_CONFIG || strncmp(err.message, "pawl.yaml:", 10) != 0 ||
             strchr(err.message, '\n')) {
    abort();
  }
  pawl_arena_clear(&arena);
  return 0;
}
