/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the folder that criterion.rs writes, target/criterion or $CRITERION_HOME. Each benchmark
 * has GROUP/FUNCTION/VALUE/new/ with sample.json, estimates.json and benchmark.json. The code under
 * test wrote them, so pawl follows no link. */
#pragma once

#include "base/json.h"
#include "base/memory.h"

/* A benchmark of the folder. Everything lives until the function that takes it returns. */
struct pawl_criterion_benchmark {
  const json_t *document; /* its sample.json, else its estimates.json; NULL: pawl cannot read it */
  const char *fault;      /* why pawl cannot read it */
  /* the names in benchmark.json ("fib", "rec/20"), else those of the folders, which criterion
   * shortens; `rest` may be empty; NULL: the file lies in the folder itself, without a name */
  const char *group, *rest;
};

typedef enum pawl_status_code pawl_criterion_take(void *context,
                                                  const struct pawl_criterion_benchmark *benchmark,
                                                  struct pawl_error *err);

/* Calls `take` for each benchmark of the folder, in the order of the paths. Fails with
 * PAWL_BAD_DATA if the folder has more than 100 000 entries or 16 levels. */
pawl_status pawl_criterion_walk(const char *folder, pawl_criterion_take *take, void *context,
                                struct pawl_error *err);
