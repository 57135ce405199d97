/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the losses of the history that need a person, for a mail. */
#pragma once

#include <time.h>

#include "build/remote_page.h"
#include "store/store.h"

#define PAWL_NOTICE_CHANGE_DAYS 30
#define PAWL_NOTICE_CHANGES 10 /* the most that a mail lists */

/* Appends the losses of the last days with their state and the page of their commit. Appends
 * nothing if there is none. */
pawl_status pawl_notice_changes(struct pawl_store *store, const struct pawl_remote_links *links,
                                time_t now, struct pawl_text *out, struct pawl_error *err);
