/* SPDX-License-Identifier: Apache-2.0 */
/* Reports documents without results of kernels, such as those of tune, selftest, profile, power and
   doctor. The table views.inc says which members of a document a report shows. Strings of a
   document appear as code. */
#pragma once

#include "base/json.h"
#include "report/report.h"

struct pawl_view;

/* Returns the view whose key the document has, or NULL if there is none. No two views share a
   key. */
const struct pawl_view *pawl_view_of(const json_t *document);
/* Fails with PAWL_BAD_DATA if the document has another schema version, or has no list where the
   view has one. `name` is the name of the file. */
pawl_status pawl_view_check(const struct pawl_view *view, const json_t *document, const char *name,
                            struct pawl_error *err);

void pawl_view_markdown(const struct pawl_view *view, const json_t *document,
                        struct pawl_text *out);
void pawl_view_terminal(const struct pawl_view *view, const json_t *document,
                        const struct pawl_terminal_style *look, struct pawl_text *out);
/* Writes the JSON text of a struct pawl_report_page. */
void pawl_view_page(const struct pawl_view *view, const json_t *document, struct pawl_text *out);
