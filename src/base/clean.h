/* SPDX-License-Identifier: Apache-2.0 */
/* Cleans text from outside (names, messages of compilers), so it cannot change how the text around
 * it reads. */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/* Appends `string` as valid UTF-8 without terminal colours and control characters. Invisible
   characters, and those that change the direction of the text, become their code points ("U+202E").
   Newlines and tabs stay if `lines`, else they become spaces. */
void pawl_clean_text(const char *string, bool lines, struct pawl_text *out);
/* Cleans a name without loss: each control character also becomes its code point. Two names that
 * differ in one character stay apart. */
void pawl_clean_name(const char *string, struct pawl_text *out);
