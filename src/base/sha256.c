/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include <openssl/evp.h>

#include "base/crypto_library.h"
#include "base/error.h"
#include "base/hex.h"

void pawl_sha256(const void *bytes, size_t length, char out[PAWL_SHA256_TEXT]) {
  unsigned char digest[32];
  unsigned int size = 0;
  pawl_late_library_require(&pawl_crypto);
  PAWL_ASSERT(EVP_Digest(bytes, length, digest, &size, EVP_sha256(), NULL) &&
              size == sizeof digest);
  pawl_hex_format(digest, sizeof digest, out);
}
