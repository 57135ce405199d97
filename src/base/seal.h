/* SPDX-License-Identifier: Apache-2.0 */
/* Seals: whether a file that pawl kept between runs is as pawl wrote it. A seal is AES-256-GMAC
   (NIST SP 800-38D) under a key that code under test cannot read, with a nonce of its own.
   docs/adr/seals.md argues it. */
#ifndef PAWL_BASE_SEAL_H
#define PAWL_BASE_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PAWL_SEAL_KEY 32
#define PAWL_SEAL_PART 12 /* bytes of a key's name and of a nonce */
#define PAWL_SEAL_TAG 16
#define PAWL_SEAL_TEXT 81 /* hexadecimal digits and NUL */

/* As it lies in its file. The name tells a key from others and says nothing about it. */
struct pawl_seal_secret {
  unsigned char name[PAWL_SEAL_PART], key[PAWL_SEAL_KEY];
};

struct pawl_seal_key {
  struct pawl_seal_secret secret;
  char *
      folder; /* that holds the file, absolute; workers must not see into it. NULL: there is none */
  bool kept;  /* false: no later run has this key, so that it finds no seal valid */
};

/* The key of this user in `folder` (NULL: pawl below $XDG_STATE_HOME, else below ~/.local/state),
   made where there is none. PAWL_NOT_PERMITTED: somebody else could read or replace it.
   PAWL_BAD_DATA, PAWL_CANNOT_WRITE ... On failure *out holds a key of this run alone, and the
   folder where it is there. */
pawl_status pawl_seal_key_load(struct pawl_seal_key *out, const char *folder,
                               struct pawl_error *err);
void pawl_seal_key_release(struct pawl_seal_key *key); /* overwrites it */

struct pawl_seal {
  unsigned char name[PAWL_SEAL_PART], nonce[PAWL_SEAL_PART], tag[PAWL_SEAL_TAG];
};

/* FOREIGN: of another key, such as another user's: it proves nothing, and accuses nobody. */
enum pawl_seal_state { PAWL_SEAL_VALID, PAWL_SEAL_FOREIGN, PAWL_SEAL_BROKEN };

/* What is sealed, piece by piece; a piece's length counts too. Different purposes never have the
 * same seal. */
struct pawl_sealer {
  void *context;
  struct pawl_seal seal; /* name and nonce are set */
};
void pawl_sealer_init(struct pawl_sealer *sealer, const struct pawl_seal_key *key,
                      const char *purpose);
/* To check `seal`. */
void pawl_sealer_init_check(struct pawl_sealer *sealer, const struct pawl_seal_key *key,
                            const char *purpose, const struct pawl_seal *seal);
void pawl_sealer_add(struct pawl_sealer *sealer, const void *data, size_t length);
void pawl_sealer_add_string(struct pawl_sealer *sealer, const char *string);
/* The contents of a regular file, no link; a file that cannot be read counts as absent. */
void pawl_sealer_add_file(struct pawl_sealer *sealer, const char *path);
/* Both release the sealer. */
struct pawl_seal pawl_sealer_finish(struct pawl_sealer *sealer);
enum pawl_seal_state pawl_sealer_check(struct pawl_sealer *sealer, const struct pawl_seal *seal);

void pawl_seal_format(const struct pawl_seal *seal, char out[PAWL_SEAL_TEXT]);
bool pawl_seal_parse(const char *text, struct pawl_seal *out);

#endif
