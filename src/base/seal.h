/* SPDX-License-Identifier: Apache-2.0 */
/* A seal proves that pawl wrote a file which it kept between runs. It is an AES-256-GMAC (NIST SP
 * 800-38D) under a key that code under test cannot read, with a fresh nonce. docs/adr/seals.md has
 * the reasons. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define PAWL_SEAL_KEY 32
#define PAWL_SEAL_PART 12 /* bytes of a key's name and of a nonce */
#define PAWL_SEAL_TAG 16
#define PAWL_SEAL_TEXT 81 /* hexadecimal digits and NUL */

/* The contents of a key's file. The name identifies the key and reveals nothing about it. */
struct pawl_seal_secret {
  unsigned char name[PAWL_SEAL_PART], key[PAWL_SEAL_KEY];
};

struct pawl_seal_key {
  struct pawl_seal_secret secret;
  /* the absolute folder of the key's file, or NULL; workers must not see it */
  char *folder;
  bool kept; /* false: no later run has this key, so each later run finds its seals invalid */
};

/* Loads the user's key from `folder`, or makes it there. NULL means pawl below $XDG_STATE_HOME,
   else below ~/.local/state. Fails with PAWL_NOT_PERMITTED if somebody else could read or replace
   the key. On each failure *out holds a key of this run alone, and the folder if it exists. */
pawl_status pawl_seal_key_load(struct pawl_seal_key *out, const char *folder,
                               struct pawl_error *err);
void pawl_seal_key_release(struct pawl_seal_key *key); /* overwrites the key */

struct pawl_seal {
  unsigned char name[PAWL_SEAL_PART], nonce[PAWL_SEAL_PART], tag[PAWL_SEAL_TAG];
};

/* FOREIGN: another key, such as another user's, made the seal, which proves nothing and accuses
 * nobody. */
enum pawl_seal_state { PAWL_SEAL_VALID, PAWL_SEAL_FOREIGN, PAWL_SEAL_BROKEN };

/* Computes a seal piece by piece. The length of each piece counts. Seals of different purposes
 * differ. */
struct pawl_sealer {
  void *context;
  struct pawl_seal seal; /* has its name and nonce */
};
void pawl_sealer_init(struct pawl_sealer *sealer, const struct pawl_seal_key *key,
                      const char *purpose);
/* Begins to check `seal`. */
void pawl_sealer_init_check(struct pawl_sealer *sealer, const struct pawl_seal_key *key,
                            const char *purpose, const struct pawl_seal *seal);
void pawl_sealer_add(struct pawl_sealer *sealer, const void *data, size_t length);
void pawl_sealer_add_string(struct pawl_sealer *sealer, const char *string);
/* Adds the contents of a regular file. A link or an unreadable file counts as absent. */
void pawl_sealer_add_file(struct pawl_sealer *sealer, const char *path);
/* Both functions release the sealer. */
struct pawl_seal pawl_sealer_finish(struct pawl_sealer *sealer);
enum pawl_seal_state pawl_sealer_check(struct pawl_sealer *sealer, const struct pawl_seal *seal);

/* A sealed file holds the digits of a seal, a NUL, and contents, which the seal covers with `name`.
 * Returns the contents in `file`, or NULL if there is no such file or its seal is not valid. */
const char *pawl_sealed_read(const char *path, size_t limit, const struct pawl_seal_key *key,
                             const char *purpose, const char *name, struct pawl_text *file,
                             size_t *length);
pawl_status pawl_sealed_write(const char *path, const struct pawl_seal_key *key,
                              const char *purpose, const char *name, const char *contents,
                              size_t length, struct pawl_error *err);

void pawl_seal_format(const struct pawl_seal *seal, char out[PAWL_SEAL_TEXT]);
bool pawl_seal_parse(const char *text, struct pawl_seal *out);
