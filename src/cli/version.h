/* SPDX-License-Identifier: Apache-2.0 */
/* The text of `pawl --version`: version, commit and build options. */
#pragma once

extern const char pawl_version_text[];
