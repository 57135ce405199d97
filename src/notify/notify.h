/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a notice when a verdict turns from good to failed or back, once to each address. */
#pragma once

#include "base/log.h"
#include "notify/notice.h"

struct pawl_notify {
  const struct pawl_notify_spec *spec;
  const char *state;   /* the file that remembers the last notice to each address */
  const char *ca_file; /* certificates of the authorities; NULL: pawl_trust_file() */
  bool always;         /* also without a turn */
  /* prints each notice and the name of its address; sends and remembers nothing */
  bool dry_run;
  struct pawl_log *log;
};

struct pawl_notified {
  size_t sent, unchanged, failed;
};

/* Sends the notice to each address. If an address fails, the others still get the notice, and pawl
 * tries it again the next time. The first failure is the error. With dry_run, `out` gets a JSON
 * object for each address, by name. Fails with PAWL_USAGE if there is no address. */
pawl_status pawl_notify(const struct pawl_notify *notify, const struct pawl_notice *notice,
                        struct pawl_notified *counts, json_t *out, struct pawl_error *err);
