/* SPDX-License-Identifier: Apache-2.0 */
/* The signature of a webhook: X-Hub-Signature-256: sha256=<hexadecimal HMAC-SHA256 of the raw
   body>. https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PAWL_SIGNATURE_LENGTH 71 /* "sha256=" and 64 digits */

/* Writes the header's value and a NUL. */
void pawl_signature_make(const char *secret, const void *body, size_t length,
                         char out[PAWL_SIGNATURE_LENGTH + 1]);

/* Takes a time that does not depend on where the signatures differ. A NULL header is not valid. */
bool pawl_signature_valid(const char *secret, const void *body, size_t length, const char *header);
