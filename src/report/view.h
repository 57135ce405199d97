/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of the documents that hold no results of kernels: what tune, selftest, profile, power,
   doctor ... write. A table, views.inc, says what of each is shown; strings of a document are shown
   as code. */
#pragma once

#include "base/json.h"
#include "report/report.h"

struct pawl_view;

/* The view of a document, by a key that no other has; NULL: there is none. */
const struct pawl_view *pawl_view_of(const json_t *document);
/* PAWL_BAD_DATA: another schema version, or something else where the view has a list. `name` is the
 * file. */
pawl_status pawl_view_check(const struct pawl_view *view, const json_t *document, const char *name,
                            struct pawl_error *err);

void pawl_view_markdown(const struct pawl_view *view, const json_t *document,
                        struct pawl_text *out);
void pawl_view_terminal(const struct pawl_view *view, const json_t *document,
                        const struct pawl_terminal_style *look, struct pawl_text *out);
/* The JSON text of a struct pawl_report_page. */
void pawl_view_page(const struct pawl_view *view, const json_t *document, struct pawl_text *out);
