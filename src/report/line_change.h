/* SPDX-License-Identifier: Apache-2.0 */
/* Writes how the time of a source line changed. */
#pragma once

#include "report/figures.h"
#include "report/report.h"

/* The lines that a report names before its tables. */
#define PAWL_REPORT_LINES 3

/* Returns the part of the row's change that comes from a line: 1 is all, below 0 is against it. */
double pawl_line_share(const struct pawl_report_profile *row, const struct pawl_report_line *line);
/* Returns how many lines the report names: those with the largest parts of the change. */
size_t pawl_line_named(const struct pawl_report_profile *row);
/* Appends the named lines, one after the other: "sdpa.cu:214 `acc += p * v;`: +3.1 us of +3.4 us: 8
   LDS.128 became 32 LDS". */
void pawl_line_list(const struct pawl_report_profile *row, const char *indent,
                    struct pawl_text *out);
/* "sdpa.cu:214" */
void pawl_line_place(const struct pawl_report_line *line, struct pawl_text *out);
/* "+3.1 us of +3.4 us", or "+3.4 us, other lines -0.3 us, together +3.1 us" */
void pawl_line_change(const struct pawl_report_profile *row, const struct pawl_report_line *line,
                      struct pawl_text *out);
