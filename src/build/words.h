/* SPDX-License-Identifier: Apache-2.0 */
/* A growing list of words, mostly command lines. Words and array live in the arena. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

/* A zeroed list is empty. After the first word items[count] is NULL, so items is an argv. */
struct pawl_words {
  const char **items;
  size_t count, capacity;
};

void pawl_words_add(struct pawl_words *words, struct pawl_arena *arena, const char *word);
void pawl_words_printf(struct pawl_words *words, struct pawl_arena *arena, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void pawl_words_append(struct pawl_words *words, struct pawl_arena *arena,
                       const struct pawl_words *more);
void pawl_words_hash(const struct pawl_words *words, struct pawl_hasher *hasher);

/* Appends one word as /bin/sh reads it back, in single quotes if any character could mean something
 * to a shell. */
void pawl_shell_quote(const char *word, struct pawl_text *out);
/* Splits a text at blanks into words as a shell does: 'a b', "a b" and a\ b are one word each. A
 * shell's other signs mean nothing. Fails with PAWL_USAGE if a quote is open; the message begins
 * with `name`. */
pawl_status pawl_words_split(struct pawl_words *words, struct pawl_arena *arena, const char *text,
                             const char *name, struct pawl_error *err);
/* Returns the whole command line, quoted, in the arena. */
const char *pawl_words_join(const struct pawl_words *words, struct pawl_arena *arena);
