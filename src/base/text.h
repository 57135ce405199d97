/* SPDX-License-Identifier: Apache-2.0 */
/* A growing string, and the string helpers that the rooms share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed text is empty and ready. Once anything is added, `data` ends with NUL. */
struct pawl_text {
  char *data;
  size_t length, capacity;
};

void pawl_text_add(struct pawl_text *text, const char *string);
void pawl_text_add_bytes(struct pawl_text *text, const void *bytes, size_t count);
/* Makes room for `more` bytes and a NUL behind the text, and returns its end. */
char *pawl_text_room(struct pawl_text *text, size_t more);
void pawl_text_printf(struct pawl_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* frees the text; for PAWL_CLEANUP too */
void pawl_text_clear(struct pawl_text *text);
const char *pawl_text_string(const struct pawl_text *text); /* never NULL */
size_t pawl_count_characters(const char *string);           /* characters of UTF-8, not bytes */
/* Appends a finite number as a JSON real such as "1.0": the shortest of %.15g, %.16g and %.17g that
   reads back the same. */
void pawl_text_add_real(struct pawl_text *text, double number);

/* Returns whether both are the same text, or both are NULL. */
bool pawl_text_equal(const char *a, const char *b);
bool pawl_starts_with(const char *string, const char *prefix);
bool pawl_ends_with(const char *string, const char *suffix);

/* Compares two names as people order them: numbers by their value ("k2" before "k10"), then capital
   letters like small ones. It is 0 for equal texts alone. */
int pawl_natural_compare(const char *a, const char *b);

/* Returns the candidate nearest to `word` by Damerau-Levenshtein distance, or NULL if none is near
   enough to suggest. */
const char *pawl_nearest(const char *word, const char *const *candidates, size_t count);

struct pawl_arena;
/* Returns the end of a message about a word, "; did you mean 'NEAREST'?" in the arena, or "" for
   NULL. */
const char *pawl_did_you_mean(const char *nearest, struct pawl_arena *arena);

/* Returns the index of `word` among `names`, or -1 if it is not there or NULL. */
int pawl_name_index(const char *const *names, int count, const char *word);
/* Appends the names as a message lists them: "a, b or c". Returns the whole text. */
const char *pawl_text_add_names(struct pawl_text *text, const char *const *names, size_t count);

/* Parse a whole string as a number, without the locale. Return false if it is anything else,
   infinite or out of range. */
bool pawl_parse_double(const char *string, double *value);
bool pawl_parse_i64(const char *string, int64_t *value);
bool pawl_parse_u64(const char *string, uint64_t *value); /* digits only */

/* Returns whether the texts differ only in numbers, as "CV 13 % is above 12 %" and "CV 9.5 % is
   above 12 %" do. */
bool pawl_same_but_for_numbers(const char *a, const char *b);

/* Returns the end of the literal that the quote at `begin` opens. Three quotes open a literal of
   several lines if `triple`, as in Python. Any other literal ends before a line break. */
const char *pawl_text_literal_end(const char *begin, const char *end, bool triple);
