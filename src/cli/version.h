/* SPDX-License-Identifier: Apache-2.0 */
/* The text of `pawl --version`: version, commit and build options. */
#ifndef PAWL_CLI_VERSION_H
#define PAWL_CLI_VERSION_H

extern const char pawl_version_text[];

#endif
