/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto_library.h"

/* clang-format off */
#define CRYPTO_FUNCTIONS(F) \
  F(CRYPTO_memcmp) F(EVP_Digest) F(EVP_MAC_CTX_free) F(EVP_MAC_CTX_new) F(EVP_MAC_fetch) F(EVP_MAC_final) \
  F(EVP_MAC_free) F(EVP_MAC_init) F(EVP_MAC_update) F(EVP_sha256) F(HMAC) F(OPENSSL_cleanse) \
  F(OSSL_PARAM_construct_end) F(OSSL_PARAM_construct_octet_string) \
  F(OSSL_PARAM_construct_utf8_string)
/* clang-format on */
PAWL_LATE_LIBRARY(pawl_crypto, "libcrypto.so.3", "libssl3", CRYPTO_FUNCTIONS);
