/* SPDX-License-Identifier: Apache-2.0 */
/* Recomputes everything in a sweep's folder from its plan and raw samples. */
#pragma once

#include "sweep/claims.h"

/* The answer about a claim of the folder. */
enum pawl_claim_state {
  PAWL_CLAIM_HOLDS = 0,
  PAWL_CLAIM_UNDECIDED, /* the folder says so, and the samples too */
  PAWL_CLAIM_WRONG      /* the samples do not give it */
};
const char *pawl_claim_state_name(enum pawl_claim_state state);

struct pawl_verified_claim {
  const char *words; /* "a over b on c: 1.31 times as fast, from 1.30 to 1.33" */
  enum pawl_claim_state state;
  const char *reason; /* the other values, if it is WRONG; NULL else */
};

struct pawl_verification {
  struct pawl_verified_claim *claims;
  size_t claim_count;
  size_t holding, undecided, wrong;
  /* files that are missing, changed, or not as the samples give them; each a sentence */
  const char **faults;
  size_t fault_count;
  size_t files; /* that have the right checksum */
  /* Another drawing library, or other fonts, give other bytes. So a picture that differs is no
     fault. */
  size_t pictures, pictures_same; /* all, and those that this machine draws from the samples */
  const char **others;            /* the names of those that it draws otherwise */
  size_t other_count;
  const char *signature; /* a sentence about it */
};

/* Verifies a folder. `signer` (NULL: any) is a file with the public key of ssh or minisign that
 * must have signed it. Runs nothing of the folder. Strings live in the arena. Fails if the folder
 * is no sweep or cannot be read; everything else is a fault. */
pawl_status pawl_sweep_verify(const char *folder, const char *signer, struct pawl_arena *arena,
                              struct pawl_verification *out, struct pawl_error *err);

extern const struct pawl_fields pawl_verification_fields;
