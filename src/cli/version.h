/* SPDX-License-Identifier: Apache-2.0 */
/* What `pawl --version` prints: version, commit, and what this program was built with. */
#ifndef PAWL_CLI_VERSION_H
#define PAWL_CLI_VERSION_H

extern const char pawl_version_text[];

#endif
