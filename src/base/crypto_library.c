/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto_library.h"

/* clang-format off */
#define CRYPTO_FUNCTIONS(F) \
  F(AES_encrypt) F(AES_set_encrypt_key) F(CRYPTO_gcm128_aad) F(CRYPTO_gcm128_new) F(CRYPTO_gcm128_release) \
  F(CRYPTO_gcm128_setiv) F(CRYPTO_gcm128_tag) F(CRYPTO_memcmp) F(EVP_Digest) F(EVP_sha256) F(HMAC) \
  F(OPENSSL_cleanse)
/* clang-format on */
PAWL_LATE_LIBRARY(pawl_crypto, "libcrypto.so.3", "libssl3", CRYPTO_FUNCTIONS);
