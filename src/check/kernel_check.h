/* SPDX-License-Identifier: Apache-2.0 */
/* The result of `pawl check` for a kernel: writes and reads its JSON, and joins the parts that
 * several GPUs checked. */
#pragma once

#include "base/json.h"
#include "check/check.h"

struct pawl_kernel_check {
  const char *kernel_name;
  struct pawl_check_report report; /* no rows: pawl checked nothing */
  /* [rows]: the UUID of the GPU that ran the row, or NULL. NULL: no row ran on a GPU. */
  const char **gpus;
  const char *not_checked; /* why pawl did not check it, as when it does not build; NULL */
  bool told;               /* the log already shows the compiler's message, which has the reason */
  const char *lost;        /* why rows are missing after the loss of a GPU; NULL: none is missing */
};

json_t *pawl_kernel_check_to_json(const struct pawl_kernel_check *checked);
/* Makes {schema_version, kernels: [...]} and takes the list over. */
json_t *pawl_kernel_checks_document(json_t *kernels);

struct pawl_kernel_checks {
  struct pawl_kernel_check *items;
  size_t count;
};

/* Joins the documents of the parts of one check: every row once, in the matrix's order. Borrows
 * their strings; the rest is in the arena. Fails with PAWL_BAD_DATA for an invalid document. */
pawl_status pawl_kernel_checks_join(json_t *const *documents, int count, struct pawl_arena *arena,
                                    struct pawl_kernel_checks *out, struct pawl_error *err);

/* Returns 1 if a kernel failed, 2 if pawl checked none or lost a GPU before it checked one. */
enum pawl_status_code pawl_kernel_checks_verdict(const struct pawl_kernel_checks *list);
