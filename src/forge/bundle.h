/* SPDX-License-Identifier: Apache-2.0 */
/* The release of pawl that a workflow installs: its address and its checksum. */
#pragma once

#include "base/memory.h"
#include "net/http.h"

/* The release that the workflows install. `url` NULL: none, the runners have pawl. */
struct pawl_bundle {
  const char *url, *sha256;
  const char *repository; /* "owner/name" on github.com, whose attestation names the build; "":
                             another host */
};

/* The address of this version's bundle for this machine's architecture; NULL: this pawl was built
   without the address of a project (the option project_url of the build). */
const char *pawl_bundle_address(struct pawl_arena *arena);

/* Reads the bundle's checksum from SHA256SUMS beside it. PAWL_USAGE: no https address of a .tar.gz;
   PAWL_NO_INPUT: there is no such file; PAWL_PROTOCOL: it does not name the bundle; else as
   pawl_http_send. */
pawl_status pawl_bundle_read(const char *url, const struct pawl_http_policy *http,
                             struct pawl_arena *arena, struct pawl_bundle *out,
                             struct pawl_error *err);
