/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the release of pawl that a workflow installs, and its checksum. */
#pragma once

#include "base/memory.h"
#include "net/http.h"

/* If `url` is NULL, the workflows install nothing, because the runners have pawl. */
struct pawl_bundle {
  const char *url, *sha256;
  /* "owner/name" on github.com, whose attestation names the build; "" on another host */
  const char *repository;
};

/* Returns the address of this version's bundle for the x86-64 runners of the hosts, or NULL if pawl
 * was built without the option project_url. */
const char *pawl_bundle_address(void);

/* Reads the bundle's checksum from SHA256SUMS beside the bundle. Fails with PAWL_USAGE if `url` is
 * no https address of a .tar.gz, with PAWL_NO_INPUT if there is no SHA256SUMS, with PAWL_PROTOCOL
 * if SHA256SUMS does not name the bundle, and as pawl_http_send. */
pawl_status pawl_bundle_read(const char *url, const struct pawl_http_policy *http,
                             struct pawl_arena *arena, struct pawl_bundle *out,
                             struct pawl_error *err);
