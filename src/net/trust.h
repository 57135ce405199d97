/* SPDX-License-Identifier: Apache-2.0 */
/* The certificates that pawl trusts. */
#pragma once

/* Returns the file with the certificates of the authorities: `given`, else $SSL_CERT_FILE, else the
   store of this distribution. A bundle of pawl may run on another distribution than its build.
   NULL: libcurl's own. */
const char *pawl_trust_file(const char *given);
