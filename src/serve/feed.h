/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the changes of all series as a feed (Atom, RFC 4287). */
#pragma once

#include "base/text.h"
#include "store/store.h"

/* Appends the newest changes. `page` is the address of the page, relative to the feed's. */
pawl_status pawl_feed_write(struct pawl_store *store, const char *page, struct pawl_text *out,
                            struct pawl_error *err);
