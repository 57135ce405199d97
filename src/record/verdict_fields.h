/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.json (docs/schema/verdict.schema.json) as tables. One row of a table writes a key, reads
 * it and says how pawl joins it. */
#pragma once

#include "gate/comparison.h"
#include "model/fields.h"
#include "record/run_report.h"

/* The most elements of each list. The checks of all kernels together may have ten times as many. */
#define PAWL_RECORD_ROWS 10000

extern const struct pawl_fields pawl_verdict_fields;     /* for struct pawl_run_report */
extern const struct pawl_fields pawl_verdict_row_fields; /* for struct pawl_ratchet_row */
extern const struct pawl_fields pawl_profile_row_fields; /* for struct pawl_report_profile */
extern const struct pawl_fields pawl_move_fields;        /* for struct pawl_baseline_move */
/* `totals` of struct pawl_ratchet_report */
extern const struct pawl_fields pawl_verdict_totals_fields;
