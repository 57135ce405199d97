/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.json (docs/schema/verdict.schema.json) as tables: every key is one row, which writes it,
   reads it and says how it is joined. */
#ifndef PAWL_RECORD_VERDICT_FIELDS_H
#define PAWL_RECORD_VERDICT_FIELDS_H

#include "gate/comparison.h"
#include "model/fields.h"
#include "record/run_report.h"

#define PAWL_RECORD_ROWS \
  10000 /* elements of each list; checks of all kernels together: ten times as many */

extern const struct pawl_fields pawl_verdict_fields;     /* of struct pawl_run_report */
extern const struct pawl_fields pawl_verdict_row_fields; /* of struct pawl_ratchet_row */
extern const struct pawl_fields pawl_profile_row_fields; /* of struct pawl_report_profile */
extern const struct pawl_fields pawl_move_fields;        /* of struct pawl_baseline_move */
extern const struct pawl_fields
    pawl_verdict_totals_fields; /* `totals`, of struct pawl_ratchet_report */

#endif
