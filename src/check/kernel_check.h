/* SPDX-License-Identifier: Apache-2.0 */
/* What `check` says of a kernel: its JSON, written, read back, and joined of the parts that several
 * GPUs checked. */
#ifndef PAWL_CHECK_KERNEL_CHECK_H
#define PAWL_CHECK_KERNEL_CHECK_H

#include "base/json.h"
#include "check/check.h"

struct pawl_kernel_check {
  const char *kernel_name;
  struct pawl_check_report report; /* no rows: nothing of it was checked */
  const char *
      *gpus; /* of each row the UUID of the GPU that it ran on, or NULL; NULL: none on any */
  const char *not_checked; /* why not: what it needs is not here, or it does not build; NULL */
  bool told;               /* the log has the compiler's words already, which hold the reason */
  const char *lost;        /* why rows are missing that were to be checked: a GPU was lost; NULL */
};

json_t *pawl_kernel_check_to_json(const struct pawl_kernel_check *checked);
/* {schema_version, kernels: [...]}; takes the list over. */
json_t *pawl_kernel_checks_document(json_t *kernels);

struct pawl_kernel_checks {
  struct pawl_kernel_check *items;
  size_t count;
};

/* Joins the documents of the parts of one check, every row once, in the matrix's order. Borrows
   their strings; the rest lives in the arena. PAWL_BAD_DATA. */
pawl_status pawl_kernel_checks_join(json_t *const *documents, int count, struct pawl_arena *arena,
                                    struct pawl_kernel_checks *out, struct pawl_error *err);

/* 1 when a kernel failed, 2 when one was not checked because of a lost GPU or there was nothing to
 * check. */
enum pawl_status_code pawl_kernel_checks_verdict(const struct pawl_kernel_checks *list);

#endif
