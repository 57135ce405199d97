/* SPDX-License-Identifier: Apache-2.0 */
/* Text from outside (names, compilers' words, reasons) without what would change how the text
 * around it reads. */
#ifndef PAWL_BASE_CLEAN_H
#define PAWL_BASE_CLEAN_H

#include <stdbool.h>

#include "base/text.h"

/* Valid UTF-8 without terminal colours and control characters; invisible characters, and those that
   change the direction of the text, become their code points ("U+202E"). Newlines and tabs stay
   when `lines`, else become spaces.
 */
void pawl_clean_text(const char *string, bool lines, struct pawl_text *out);

#endif
