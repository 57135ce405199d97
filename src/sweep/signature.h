/* SPDX-License-Identifier: Apache-2.0 */
/* The signature of a sweep's checksums, by ssh-keygen(1) or minisign(1). */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "sweep/sweep.h"

#define PAWL_SWEEP_SSH_SIGNATURE PAWL_SWEEP_SUMS ".sig"
#define PAWL_SWEEP_MINISIGN_SIGNATURE PAWL_SWEEP_SUMS ".minisig"

enum pawl_sweep_signature {
  PAWL_SIGNATURE_NONE = 0,
  PAWL_SIGNATURE_UNCHECKED, /* nothing can check it without the public key */
  PAWL_SIGNATURE_OTHER,     /* the public key is for the other program */
  PAWL_SIGNATURE_GOOD,
  PAWL_SIGNATURE_BAD
};

/* Signs the checksums of the folder by a private key of ssh or minisign, in place of an earlier
   signature. Fails with PAWL_UNAVAILABLE without the program, and with PAWL_NOT_PERMITTED if it
   does not sign: then the earlier signature stays. */
pawl_status pawl_sweep_sign(const char *folder, const char *key, struct pawl_error *err);
/* Removes the signatures of earlier checksums. */
pawl_status pawl_sweep_unsign(const char *folder, struct pawl_error *err);

/* Checks the folder's signature. `signer` (NULL: any key of ssh) is the public key that must have
   signed. Appends the program's words to `words`. Fails with PAWL_BAD_DATA if `signer` is no public
   key. */
pawl_status pawl_sweep_check_signature(const char *folder, const char *signer,
                                       enum pawl_sweep_signature *out, struct pawl_text *words,
                                       struct pawl_error *err);
