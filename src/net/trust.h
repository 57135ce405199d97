/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the certificates that pawl trusts, and says why it does not trust a server. */
#pragma once

/* Returns the file with the certificates of the authorities: `given`, else $SSL_CERT_FILE, else
 * this distribution's store, which may differ from that of pawl's build. NULL means libcurl's
 * own. */
const char *pawl_trust_file(const char *given);

/* Returns why libcurl did not trust a server, by its message (CURLOPT_ERRORBUFFER). */
const char *pawl_trust_reason(const char *message);
