/* SPDX-License-Identifier: Apache-2.0 */
/* Makes strings from outside harmless: names, compilers' messages, reasons, commits. The author of
   a pull request writes them, and readers see them on a code host. */
#pragma once

#include <stdbool.h>

#include "base/clean.h"

/* Appends the string as code in Markdown, also inside a table. It can make no link, mention, issue
   reference, HTML or table cell. */
void pawl_markdown_code(const char *string, struct pawl_text *out);
/* Returns whether a string can stand in Markdown as text: no character has a meaning there or on a
   code host (marks, mentions, references, links, HTML, emoji, quick actions). */
bool pawl_markdown_is_prose(const char *string);
/* Appends a fenced block. Its fence is longer than any fence in the string. */
void pawl_markdown_block(const char *string, struct pawl_text *out);

/* Appends the string as HTML text and keeps newlines. */
void pawl_html_text(const char *string, struct pawl_text *out);
