/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the document that a command reports: results.json, a verdict with its folder, or another
   document of pawl. */
#pragma once

#include "cli/command.h"
#include "record/stored_run.h"
#include "report/view.h"

struct pawl_cli_source {
  struct pawl_stored_run verdict;     /* from a verdict.json */
  struct pawl_results results;        /* from a results.json */
  struct pawl_ratchet_report ratchet; /* from a comparison */
  json_t *document;                   /* owns the data that the others borrow; may be NULL */
  struct pawl_run_report report;      /* the report of any of these */
  /* The view of a `document` without results; NULL: `report` has results. */
  const struct pawl_view *view;
};

/* Reads `path`: FOLDER, FOLDER/verdict.json, or a file of results. */
pawl_status pawl_cli_source_read(struct pawl_cli *cli, const char *path,
                                 struct pawl_cli_source *out, struct pawl_error *err);
/* Also recognizes documents by content: a verdict of any name, a baseline (its entries as results),
   the output of `check -o` and `compare -o`, and every other document of docs/schema, with its
   view. */
pawl_status pawl_cli_document_read(struct pawl_cli *cli, const char *path,
                                   struct pawl_cli_source *out, struct pawl_error *err);
void pawl_cli_source_release(struct pawl_cli_source *source);
