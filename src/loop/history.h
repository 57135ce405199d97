/* SPDX-License-Identifier: Apache-2.0 */
/* Adds measurements to the suite's history. */
#pragma once

#include "base/log.h"
#include "model/suite.h"
#include "record/run_report.h"

/* Adds a run ("run") or a measurement ("bench") to the suite's history. A failure is a warning and
 * does not change the verdict. `folder` has the files of a run; NULL: there are none. With
 * `changed` the build differs from the commit, so the run counts as dirty. */
void pawl_loop_add_to_history(const struct pawl_suite *suite, const struct pawl_run_report *report,
                              const char *folder, const char *source, bool changed,
                              struct pawl_log *log);
