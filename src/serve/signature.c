/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/signature.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "base/crypto_library.h"
#include "base/error.h"
#include "base/hex.h"

static const char prefix[] = "sha256=";

void pawl_signature_make(const char *secret, const void *body, size_t length,
                         char out[PAWL_SIGNATURE_LENGTH + 1]) {
  pawl_late_library_require(&pawl_crypto);
  unsigned char mac[32];
  unsigned int mac_length = 0;
  const bool made =
      HMAC(EVP_sha256(), secret, (int)strlen(secret), body, length, mac, &mac_length) != NULL;
  PAWL_ASSERT(made && mac_length == sizeof mac);
  pawl_hex_format(mac, sizeof mac, stpcpy(out, prefix));
}

bool pawl_signature_valid(const char *secret, const void *body, size_t length, const char *header) {
  char wanted[PAWL_SIGNATURE_LENGTH + 1];
  if (!header || strlen(header) != PAWL_SIGNATURE_LENGTH) return false;
  pawl_signature_make(secret, body, length, wanted);
  const bool same = CRYPTO_memcmp(wanted, header, PAWL_SIGNATURE_LENGTH) == 0;
  OPENSSL_cleanse(wanted, sizeof wanted);
  return same;
}
