/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"

#define LONGEST_NUMBER 64
#define SECTOR_BYTES 32

/* Returns whether one to three digits precede the comma at `at`, and exactly three digits follow
   it. */
static bool separates(const char *start, const char *cursor) {
  size_t before = 0, after = 0;
  while (cursor - before > start && isdigit((unsigned char)cursor[-1 - (long)before])) before++;
  while (isdigit((unsigned char)cursor[1 + after])) after++;
  return before >= 1 && before <= 3 && after == 3;
}

bool pawl_quantity_number(const char *text, double *value) {
  char digits[LONGEST_NUMBER];
  size_t length = 0;
  bool point = false;
  *value = NAN;
  if (!isdigit((unsigned char)text[text[0] == '-'])) return true;
  for (const char *cursor = text; *cursor; cursor++) {
    if (*cursor == '.') point = true;
    if (*cursor == ',' && (point || !separates(text, cursor))) return false;
    if (*cursor == ',') continue;
    if (length == sizeof digits - 1) return true;
    digits[length++] = *cursor;
  }
  digits[length] = '\0';
  double parsed;
  if (pawl_parse_double(digits, &parsed)) *value = parsed;
  return true;
}

/* Returns 1000 for "Kbyte" if the word is "byte", 1 without a prefix, and NAN for another word. */
static double prefixed(const char *text, const char *word) {
  static const char prefixes[] = "KMGT";
  if (!strcmp(text, word)) return 1;
  const char *prefix = *text ? strchr(prefixes, *text) : NULL;
  if (!prefix || strcmp(text + 1, word) != 0) return NAN;
  return pow(1000, (double)(prefix - prefixes) + 1);
}

static double of_time(const char *text) {
  static const struct {
    const char *names[2];
    double seconds;
  } rows[] = {{{"s", "second"}, 1},
              {{"ms", "msecond"}, 1e-3},
              {{"us", "usecond"}, 1e-6},
              {{"ns", "nsecond"}, 1e-9}};
  for (size_t i = 0; i < PAWL_COUNT(rows); i++)
    if (!strcmp(text, rows[i].names[0]) || !strcmp(text, rows[i].names[1])) return rows[i].seconds;
  return NAN;
}

static double of_clock(const char *text) {
  const double hertz = prefixed(text, "hz");
  return isnan(hertz) ? prefixed(text, "cycle/second") : hertz;
}

static double of_bytes(const char *text) {
  const double bytes = prefixed(text, "byte");
  return isnan(bytes) ? prefixed(text, "byte/block") : bytes;
}

static double of_percent(const char *text) {
  if (!strcmp(text, "%")) return 1;
  return !strcmp(text, "byte/sector") ? 100.0 / SECTOR_BYTES : NAN;
}

/* A count has the name of the counted thing, "inst" or "register/thread", or no unit. */
static double of_count(const char *text) {
  if (!strcmp(text, "%") || !isnan(of_time(text)) || !isnan(of_bytes(text)) ||
      !isnan(of_clock(text)))
    return NAN;
  return *text && strchr("KMGT", *text) && islower((unsigned char)text[1])
             ? prefixed(text, text + 1)
             : 1;
}

double pawl_quantity_scale(const char *text, enum pawl_unit unit) {
  switch (unit) {
    case PAWL_UNIT_SECONDS: return of_time(text);
    case PAWL_UNIT_HERTZ: return of_clock(text);
    case PAWL_UNIT_BYTES: return of_bytes(text);
    case PAWL_UNIT_PERCENT: return of_percent(text);
    case PAWL_UNIT_COUNT: return of_count(text);
  }
  return NAN;
}

/* Writes three digits, without zeros at the end of a fraction. */
static void three_digits(double value, const char *unit, char out[PAWL_QUANTITY]) {
  const double size = fabs(value);
  const bool whole = fabs(value - round(value)) < 5e-4;
  snprintf(out, PAWL_QUANTITY, "%.*f%s",
           whole || size >= 100 ? 0
           : size >= 10         ? 1
                                : 2,
           value, unit);
}

/* Chooses the largest of `units` in which the value is at least 1. Each unit is 1000 times the
   last. */
static void scaled(double value, const char *const *units, size_t count, char out[PAWL_QUANTITY]) {
  size_t i = 0;
  while (i + 1 < count && fabs(value) >= 999.5) value /= 1000, i++;
  three_digits(value, units[i], out);
}

const char *pawl_quantity_text(double value, enum pawl_unit unit, char out[PAWL_QUANTITY]) {
  static const char *const bytes[] = {" B", " kB", " MB", " GB", " TB"}, *const counts[] = {
                                                                             "",   " k", " M",
                                                                             " G", " T", " P"};
  static const char *const hertz[] = {" Hz", " kHz", " MHz", " GHz"}, *const times[] = {
                                                                          " ns", " us", " ms",
                                                                          " s"};
  if (isnan(value))
    snprintf(out, PAWL_QUANTITY, "unknown");
  else if (unit == PAWL_UNIT_PERCENT)
    snprintf(out, PAWL_QUANTITY, fabs(value) < 9.95 ? "%.1f %%" : "%.0f %%", value);
  else if (unit == PAWL_UNIT_SECONDS)
    scaled(value * 1e9, times, 4, out);
  else if (unit == PAWL_UNIT_HERTZ)
    scaled(value, hertz, 4, out);
  else if (unit == PAWL_UNIT_BYTES)
    scaled(value, bytes, 5, out);
  else if (fabs(value) < 10000 && value == round(value))
    snprintf(out, PAWL_QUANTITY, "%.0f", value);
  else
    scaled(value, counts, 6, out);
  return out;
}
