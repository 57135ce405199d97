/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

char *pawl_text_room(struct pawl_text *text, size_t more) {
  const size_t wanted = text->length + more + 1;
  if (wanted > text->capacity) {
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < wanted) capacity *= 2;
    text->data = pawl_realloc(text->data, capacity, 1);
    text->capacity = capacity;
  }
  return text->data + text->length;
}

void pawl_text_add_bytes(struct pawl_text *text, const void *bytes, size_t count) {
  char *end = pawl_text_room(text, count);
  if (count) memcpy(end, bytes, count);
  text->length += count;
  text->data[text->length] = '\0';
}

void pawl_text_add(struct pawl_text *text, const char *string) {
  pawl_text_add_bytes(text, string, strlen(string));
}

void pawl_text_printf(struct pawl_text *text, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  /* mostly enough */
  const size_t room = text->capacity > text->length ? text->capacity - text->length : 0;
  const int length = vsnprintf(room ? text->data + text->length : NULL, room, format, args);
  va_end(args);
  PAWL_ASSERT(length >= 0);
  if ((size_t)length >= room)
    vsnprintf(pawl_text_room(text, (size_t)length), (size_t)length + 1, format, again);
  va_end(again);
  text->length += (size_t)length;
}

void pawl_text_clear(struct pawl_text *text) {
  if (!text) return;
  pawl_free(text->data);
  *text = (struct pawl_text){0};
}

const char *pawl_text_string(const struct pawl_text *text) { return text->data ? text->data : ""; }

size_t pawl_count_characters(const char *string) {
  size_t count = 0;
  for (; *string; string++) count += ((unsigned char)*string & 0xc0) != 0x80;
  return count;
}

/* Returns whether two numbers of 15 and 16 digits can both be nearer to this one than to the next.
   Most numbers are too close to their neighbours for this. Below a power of two, 15 digits can even
   be right where 16 are not. */
static bool may_need_fewer(double number, bool right) {
  int exponent;
  const double part = fabs(frexp(number, &exponent));
  const double place = pow(10, floor(log10(fabs(number)) - 1e-9) - 15);
  if (fabs(number) >= 1e15) return true; /* 15 digits have another form: 1e+15 */
  return part == 0.5 || (right && !(place > ldexp(1, exponent < -1021 ? -1074 : exponent - 53)));
}

void pawl_text_add_real(struct pawl_text *text, double number) {
  char digits[40], fewer[40];
  /* 16 first, because most measured numbers need 16 or 17 digits */
  snprintf(digits, sizeof digits, "%.16g", number);
  const bool right = strtod(digits, NULL) == number;
  if (!right) snprintf(digits, sizeof digits, "%.17g", number);
  if (may_need_fewer(number, right)) {
    snprintf(fewer, sizeof fewer, "%.15g", number);
    if (strtod(fewer, NULL) == number) memcpy(digits, fewer, sizeof digits);
  }
  pawl_text_add(text, digits);
  if (!strpbrk(digits, ".en")) pawl_text_add(text, ".0");
}

bool pawl_text_equal(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

bool pawl_starts_with(const char *string, const char *prefix) {
  return !strncmp(string, prefix, strlen(prefix));
}

bool pawl_ends_with(const char *string, const char *suffix) {
  const size_t length = strlen(string), wanted = strlen(suffix);
  return length >= wanted && !strcmp(string + length - wanted, suffix);
}

#define LONGEST_WORD 64

/* Returns the optimal string alignment distance without regard to case, or SIZE_MAX for words
   longer than LONGEST_WORD. */
static size_t text_distance(const char *a, const char *b) {
  const size_t n = strlen(a), m = strlen(b);
  if (n > LONGEST_WORD || m > LONGEST_WORD) return SIZE_MAX;
  unsigned char row[3][LONGEST_WORD + 1];
  for (size_t j = 0; j <= m; j++) row[0][j] = (unsigned char)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned char *now = row[i % 3], *last = row[(i - 1) % 3], *before = row[(i + 1) % 3];
    now[0] = (unsigned char)i;
    for (size_t j = 1; j <= m; j++) {
      const int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
      int best = last[j - 1] + (x != y);
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
          tolower((unsigned char)a[i - 2]) == y && before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      now[j] = (unsigned char)best;
    }
  }
  return row[n % 3][m];
}

const char *pawl_nearest(const char *word, const char *const *candidates, size_t count) {
  const char *nearest = NULL;
  size_t best = strlen(word) / 3 + 2; /* a larger distance is no misspelling */
  for (size_t i = 0; i < count; i++) {
    const size_t d = text_distance(word, candidates[i]);
    if (d < best && d < strlen(word))
      best = d, nearest = candidates[i]; /* at least one letter is the same */
  }
  return nearest;
}

const char *pawl_did_you_mean(const char *nearest, struct pawl_arena *arena) {
  return nearest ? pawl_arena_printf(arena, "; did you mean '%s'?", nearest) : "";
}

int pawl_name_index(const char *const *names, int count, const char *word) {
  for (int i = 0; word && i < count; i++)
    if (!strcmp(names[i], word)) return i;
  return -1;
}

const char *pawl_text_add_names(struct pawl_text *text, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    pawl_text_printf(text, "%s%s", !i ? "" : i + 1 < count ? ", " : " or ", names[i]);
  return pawl_text_string(text);
}

bool pawl_parse_double(const char *string, double *value) {
  if (!*string || isspace((unsigned char)*string)) return false;
  char *end;
  errno = 0;
  /* Numbers use the C locale: see main. */
  const double parsed = strtod(string, &end);
  if (*end || !isfinite(parsed)) return false;
  *value = parsed;
  return true;
}

bool pawl_parse_i64(const char *string, int64_t *value) {
  if (!*string || isspace((unsigned char)*string)) return false;
  char *end;
  errno = 0;
  const long long parsed = strtoll(string, &end, 10);
  if (*end || errno) return false;
  *value = parsed;
  return true;
}

bool pawl_parse_u64(const char *string, uint64_t *value) {
  if (!*string || string[strspn(string, "0123456789")]) return false;
  errno = 0;
  const unsigned long long parsed = strtoull(string, NULL, 10);
  if (errno) return false;
  *value = parsed;
  return true;
}

/* Compares the numbers that begin here, and moves behind them. */
static int compare_digits(const char **a, const char **b) {
  *a += strspn(*a, "0");
  *b += strspn(*b, "0");
  const size_t length_a = strspn(*a, "0123456789"), length_b = strspn(*b, "0123456789");
  const int order = length_a == length_b ? memcmp(*a, *b, length_a) : length_a < length_b ? -1 : 1;
  *a += length_a;
  *b += length_b;
  return order;
}

int pawl_natural_compare(const char *a, const char *b) {
  const char *left = a, *right = b;
  while (*left && *right) {
    int order;
    if (isdigit((unsigned char)*left) && isdigit((unsigned char)*right))
      order = compare_digits(&left, &right);
    else
      order = tolower((unsigned char)*left++) - tolower((unsigned char)*right++);
    if (order) return order;
  }
  if (*left || *right) return *left ? 1 : -1;
  return strcmp(a, b);
}

/* Returns the end of the number that begins here ("-1.94e-06", "1000"), or `text` if none does. */
static const char *skip_number(const char *text) {
  const char *end = text + (*text == '-');
  if (!isdigit((unsigned char)*end)) return text;
  while (isalnum((unsigned char)*end) || *end == '.' ||
         ((*end == '-' || *end == '+') && end[-1] == 'e'))
    end++;
  return end;
}

bool pawl_same_but_for_numbers(const char *a, const char *b) {
  while (*a && *b) {
    const char *after_a = skip_number(a), *after_b = skip_number(b);
    if (after_a != a && after_b != b) {
      a = after_a;
      b = after_b;
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return *a == *b;
}

const char *pawl_text_literal_end(const char *begin, const char *end, bool triple) {
  const char quotes[] = {*begin, *begin, *begin};
  const size_t size = triple && end - begin >= 3 && !memcmp(begin, quotes, 3) ? 3 : 1;
  const char *at = begin + size;
  for (; at < end && (size > 1 || *at != '\n'); at++) {
    if (*at == '\\' && at + 1 < end)
      at++;
    else if ((size_t)(end - at) >= size && !memcmp(at, quotes, size))
      return at + size;
  }
  return at;
}
