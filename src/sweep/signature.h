/* SPDX-License-Identifier: Apache-2.0 */
/* The signature of a sweep's checksums, by ssh-keygen(1). */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "sweep/sweep.h"

#define PAWL_SWEEP_SIGNATURE PAWL_SWEEP_SUMS ".sig"

/* Signs the checksums of the folder by a private key. Fails with PAWL_UNAVAILABLE without
   ssh-keygen, and with PAWL_NOT_PERMITTED if it does not sign. */
pawl_status pawl_sweep_sign(const char *folder, const char *key, struct pawl_error *err);

/* Checks the folder's signature. `signer` (NULL: any) is the public key that must have signed.
   Appends what ssh-keygen says to `words`. Fails with PAWL_BAD_DATA if `signer` is no public key.
 */
pawl_status pawl_sweep_check_signature(const char *folder, const char *signer, bool *good,
                                       struct pawl_text *words, struct pawl_error *err);
