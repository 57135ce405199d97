/* SPDX-License-Identifier: Apache-2.0 */
#include "base/seal.h"

#include <errno.h>
#include <fcntl.h>
#define OPENSSL_SUPPRESS_DEPRECATED /* AES_encrypt() */
#include <openssl/aes.h>
#include <openssl/crypto.h>
#include <openssl/modes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto_library.h"
#include "base/entropy.h"
#include "base/file.h"
#include "base/hex.h"
#include "base/memory.h"

/* bytes of a file at a time, which fit into the cache of the CPU */
#define CHUNK ((size_t)64 << 10)

/* The parts of AES-GCM. libcrypto's EVP_MAC computes the same, but first reads its configuration
 * and lists all its algorithms, which takes 2 ms. */
struct gmac {
  AES_KEY key;
  GCM128_CONTEXT *context;
};

static void encrypt_block(const unsigned char in[16], unsigned char out[16], const void *key) {
  AES_encrypt(in, out, key);
}

static void add_bytes(struct pawl_sealer *sealer, const void *data, size_t length) {
  const struct gmac *gmac = sealer->context;
  PAWL_ASSERT(CRYPTO_gcm128_aad(gmac->context, data, length) == 0);
}

static void start(struct pawl_sealer *sealer, const struct pawl_seal_key *key, const char *purpose,
                  const unsigned char nonce[PAWL_SEAL_PART]) {
  pawl_late_library_require(&pawl_crypto);
  memcpy(sealer->seal.name, key->secret.name, PAWL_SEAL_PART);
  memcpy(sealer->seal.nonce, nonce, PAWL_SEAL_PART);
  struct gmac *gmac = sealer->context = pawl_alloc(1, sizeof *gmac);
  PAWL_ASSERT(AES_set_encrypt_key(key->secret.key, 8 * PAWL_SEAL_KEY, &gmac->key) == 0);
  gmac->context = CRYPTO_gcm128_new(&gmac->key, encrypt_block);
  PAWL_ASSERT(gmac->context);
  CRYPTO_gcm128_setiv(gmac->context, nonce, PAWL_SEAL_PART);
  pawl_sealer_add_string(sealer, purpose);
}

void pawl_sealer_init(struct pawl_sealer *sealer, const struct pawl_seal_key *key,
                      const char *purpose) {
  unsigned char nonce[PAWL_SEAL_PART];
  PAWL_ASSERT(pawl_entropy(nonce, sizeof nonce, NULL) == PAWL_OK);
  start(sealer, key, purpose, nonce);
}

void pawl_sealer_init_check(struct pawl_sealer *sealer, const struct pawl_seal_key *key,
                            const char *purpose, const struct pawl_seal *seal) {
  start(sealer, key, purpose, seal->nonce);
}

void pawl_sealer_add(struct pawl_sealer *sealer, const void *data, size_t length) {
  const uint64_t size = length;
  add_bytes(sealer, &size, sizeof size);
  add_bytes(sealer, data, length);
}

void pawl_sealer_add_string(struct pawl_sealer *sealer, const char *string) {
  pawl_sealer_add(sealer, string, strlen(string));
}

void pawl_sealer_add_file(struct pawl_sealer *sealer, const char *path) {
  PAWL_CLEANUP(pawl_close)
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* a FIFO must not block */
  struct stat info;
  if (fd < 0 || fstat(fd, &info) || !S_ISREG(info.st_mode)) {
    pawl_sealer_add_string(sealer, "absent");
    return;
  }
  pawl_sealer_add_string(sealer, "file");
  const uint64_t size = (uint64_t)info.st_size;
  pawl_sealer_add(sealer, &size, sizeof size);
  unsigned char bytes[CHUNK];
  uint64_t done = 0;
  ssize_t got;
  while ((got = read(fd, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR)) {
    if (got < 0) continue;
    done += (uint64_t)got;
    add_bytes(sealer, bytes, (size_t)got);
  }
  if (got < 0 || done != size) pawl_sealer_add_string(sealer, "changes");
}

struct pawl_seal pawl_sealer_finish(struct pawl_sealer *sealer) {
  struct gmac *gmac = sealer->context;
  CRYPTO_gcm128_tag(gmac->context, sealer->seal.tag, PAWL_SEAL_TAG);
  CRYPTO_gcm128_release(gmac->context);
  OPENSSL_cleanse(gmac, sizeof *gmac);
  pawl_free(gmac);
  sealer->context = NULL;
  return sealer->seal;
}

enum pawl_seal_state pawl_sealer_check(struct pawl_sealer *sealer, const struct pawl_seal *seal) {
  const struct pawl_seal right = pawl_sealer_finish(sealer);
  if (memcmp(seal->name, right.name, PAWL_SEAL_PART) != 0) return PAWL_SEAL_FOREIGN;
  return CRYPTO_memcmp(right.tag, seal->tag, PAWL_SEAL_TAG) ? PAWL_SEAL_BROKEN : PAWL_SEAL_VALID;
}

void pawl_seal_format(const struct pawl_seal *seal, char out[PAWL_SEAL_TEXT]) {
  pawl_hex_format((const unsigned char *)seal, sizeof *seal, out);
}

bool pawl_seal_parse(const char *text, struct pawl_seal *out) {
  return pawl_hex_parse(text, (unsigned char *)out, sizeof *out);
}

static void seal_contents(struct pawl_sealer *sealer, const char *name, const char *contents,
                          size_t length) {
  pawl_sealer_add_string(sealer, name);
  pawl_sealer_add(sealer, contents, length);
}

const char *pawl_sealed_read(const char *path, size_t limit, const struct pawl_seal_key *key,
                             const char *purpose, const char *name, struct pawl_text *file,
                             size_t *length) {
  const size_t head = PAWL_SEAL_TEXT; /* the digits and the NUL */
  struct pawl_seal seal;
  struct pawl_sealer sealer;
  if (pawl_file_absent(path) || pawl_file_read(path, limit, file, NULL) != PAWL_OK ||
      file->length < head || file->data[head - 1] || !pawl_seal_parse(file->data, &seal))
    return NULL;
  *length = file->length - head;
  pawl_sealer_init_check(&sealer, key, purpose, &seal);
  seal_contents(&sealer, name, file->data + head, *length);
  return pawl_sealer_check(&sealer, &seal) == PAWL_SEAL_VALID ? file->data + head : NULL;
}

pawl_status pawl_sealed_write(const char *path, const struct pawl_seal_key *key,
                              const char *purpose, const char *name, const char *contents,
                              size_t length, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text file = {0};
  struct pawl_sealer sealer;
  char digits[PAWL_SEAL_TEXT];
  pawl_sealer_init(&sealer, key, purpose);
  seal_contents(&sealer, name, contents, length);
  const struct pawl_seal seal = pawl_sealer_finish(&sealer);
  pawl_seal_format(&seal, digits);
  pawl_text_add_bytes(&file, digits, sizeof digits);
  pawl_text_add_bytes(&file, contents, length);
  return pawl_file_write_unsynced(path, file.data, file.length, err);
}
