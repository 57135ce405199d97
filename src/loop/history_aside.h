/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps runs that the history cannot take now, because another process holds it or its server does
 * not answer. A later run takes them in. */
#pragma once

#include "model/suite.h"
#include "store/store.h"

/* Writes the run into .pawl/waiting of the suite. */
pawl_status pawl_history_set_aside(const struct pawl_suite *suite,
                                   const struct pawl_history_run *run, struct pawl_error *err);
/* Adds the runs that wait, and removes their files. A file that the history refuses stays, with a
 * warning. */
void pawl_history_take_in(const struct pawl_suite *suite, struct pawl_store *store,
                          struct pawl_log *log);
