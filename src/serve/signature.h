/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and checks X-Hub-Signature-256: sha256=<hexadecimal HMAC-SHA256 of a webhook's raw body>.
 * https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PAWL_SIGNATURE_LENGTH 71 /* "sha256=" and 64 digits */

/* Writes the header's value and a NUL. */
void pawl_signature_make(const char *secret, const void *body, size_t length,
                         char out[PAWL_SIGNATURE_LENGTH + 1]);

/* Takes the same time wherever the signatures differ. A NULL header is not valid. */
bool pawl_signature_valid(const char *secret, const void *body, size_t length, const char *header);
