/* SPDX-License-Identifier: Apache-2.0 */
/* What `check` says of a kernel: as text, as JSON, and joined of the parts that several GPUs checked. */
#ifndef PAWL_CLI_CHECKED_H
#define PAWL_CLI_CHECKED_H

#include "base/json.h"
#include "check/check.h"

struct pawl_checked {
  const char *kernel_name;
  struct pawl_check_report report; /* no rows: nothing of it was checked */
  const char **gpus;               /* of each row the UUID of the GPU that it ran on, or NULL; NULL: none on any */
  const char *not_checked;         /* why not: what it needs is not here, or it does not build; NULL */
  const char *lost;                /* why rows are missing that were to be checked: a GPU was lost; NULL */
};

void pawl_checked_print(const struct pawl_checked *checked);
json_t *pawl_checked_to_json(const struct pawl_checked *checked);
/* {schema_version, kernels: [...]}; takes the list over. */
json_t *pawl_checked_document(json_t *kernels);

struct pawl_checked_list {
  struct pawl_checked *items;
  size_t count;
};

/* Joins the documents of the parts of one check, every row once, in the matrix's order. Borrows their strings; the rest
   lives in the arena. PAWL_BAD_DATA. */
pawl_status pawl_checked_join(json_t *const *documents, int count, struct pawl_arena *arena,
                              struct pawl_checked_list *out, struct pawl_error *err);

/* 1 when a kernel failed, 2 when one was not checked because of a lost GPU or there was nothing to check. */
enum pawl_status_code pawl_checked_verdict(const struct pawl_checked_list *list);

#endif
