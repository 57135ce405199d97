/* SPDX-License-Identifier: Apache-2.0 */
/* Strings from outside (names, compilers' words, reasons, commits) made harmless: whoever writes a
   pull request writes them, and they are read on a code host. */
#pragma once

#include <stdbool.h>

#include "base/clean.h"

/* Inside Markdown, tables too, as code: no link, mention, issue reference, HTML or table cell can
 * come of it. */
void pawl_markdown_code(const char *string, struct pawl_text *out);
/* Whether a string can stand in Markdown as text: it has no character with a meaning there or on a
   code host (marks, mentions, references, links, HTML, emoji, quick actions). */
bool pawl_markdown_is_prose(const char *string);
/* A fenced block; the fence is longer than any inside. */
void pawl_markdown_block(const char *string, struct pawl_text *out);

void pawl_html_text(const char *string, struct pawl_text *out); /* newlines stay */
