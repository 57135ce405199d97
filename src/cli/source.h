/* SPDX-License-Identifier: Apache-2.0 */
/* What a command reports of: results.json, a verdict with its folder, or another document that pawl
 * wrote. */
#ifndef PAWL_CLI_SOURCE_H
#define PAWL_CLI_SOURCE_H

#include "cli/command.h"
#include "record/stored_run.h"
#include "report/view.h"

struct pawl_cli_source {
  struct pawl_stored_run verdict;     /* of a verdict.json */
  struct pawl_results results;        /* of a results.json */
  struct pawl_ratchet_report ratchet; /* of a comparison */
  json_t *document;                   /* kept alive for what borrows from it; NULL */
  struct pawl_run_report report;      /* of either */
  const struct pawl_view *view; /* of `document`, which has no results; NULL: `report` has them */
};

/* `path`: FOLDER, FOLDER/verdict.json, or a file of results. */
pawl_status pawl_cli_source_read(struct pawl_cli *cli, const char *path,
                                 struct pawl_cli_source *out, struct pawl_error *err);
/* The same, and by its contents: a verdict of any name, a baseline (its entries as results), what
   `check -o` and `compare -o` wrote, and every other document of docs/schema, with its view. */
pawl_status pawl_cli_document_read(struct pawl_cli *cli, const char *path,
                                   struct pawl_cli_source *out, struct pawl_error *err);
void pawl_cli_source_release(struct pawl_cli_source *source);

#endif
