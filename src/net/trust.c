/* SPDX-License-Identifier: Apache-2.0 */
#include "net/trust.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"

const char *pawl_trust_file(const char *given) {
  static const char *const stores[] = {
      "/etc/ssl/certs/ca-certificates.crt", /* Debian, Ubuntu, Arch, Alpine */
      "/etc/pki/tls/certs/ca-bundle.crt",   /* Fedora, RHEL */
      "/etc/ssl/ca-bundle.pem",             /* openSUSE */
      "/etc/ssl/cert.pem"};
  const char *named = getenv("SSL_CERT_FILE");
  if (given) return given;
  if (named && *named) return named;
  for (size_t i = 0; i < PAWL_COUNT(stores); i++)
    if (access(stores[i], R_OK) == 0) return stores[i];
  return NULL;
}

const char *pawl_trust_reason(const char *message) {
  static const struct {
    const char *words, *reason;
  } reasons[] = {
      {"subject name", "the server's certificate is for another name"},
      {"expired", "the server's certificate has expired"},
      {"not yet valid", "the server's certificate is not valid yet, by the clock of this machine"},
  };
  for (size_t i = 0; i < PAWL_COUNT(reasons); i++)
    if (strstr(message, reasons[i].words)) return reasons[i].reason;
  return "the server's certificate is not trusted; name the certificate of a private authority "
         "with --ca-file or SSL_CERT_FILE";
}
