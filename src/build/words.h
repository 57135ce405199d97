/* SPDX-License-Identifier: Apache-2.0 */
/* A growing list of words, mostly command lines; words and array live in the arena. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

/* Zero-initialised is empty. items[count] is NULL once anything was added, so that items is an
 * argv. */
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

/* One word as /bin/sh reads it back: in single quotes when anything in it could mean something to a
 * shell. */
void pawl_shell_quote(const char *word, struct pawl_text *out);
/* Adds the words of a text that are between blanks, as a shell finds them: 'a b', "a b" and a\ b
   are one word each. A shell's other signs mean nothing. PAWL_USAGE: a quote is open; the message
   begins with `name`. */
pawl_status pawl_words_split(struct pawl_words *words, struct pawl_arena *arena, const char *text,
                             const char *name, struct pawl_error *err);
/* The whole command line, quoted, allocated in the arena. */
const char *pawl_words_join(const struct pawl_words *words, struct pawl_arena *arena);
