/* SPDX-License-Identifier: Apache-2.0 */
/* Whose certificates are believed. */
#ifndef PAWL_NET_TRUST_H
#define PAWL_NET_TRUST_H

/* The file with the certificates of the authorities: `given`, else $SSL_CERT_FILE, else the
   system's store, wherever this distribution has it; a bundle of pawl may run on another one than
   that which built it. NULL: libcurl's own. */
const char *pawl_trust_file(const char *given);

#endif
