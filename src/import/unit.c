/* SPDX-License-Identifier: Apache-2.0 */
#include "import/unit.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/text.h"

/* Units of time. A capital letter makes no difference, and a plural "s" may follow a long name. */
static const struct {
  const char *name;
  double seconds;
} times[] = {
    {"ps", 1e-12},     {"psec", 1e-12},       {"picosecond", 1e-12}, {"ns", 1e-9},
    {"nsec", 1e-9},    {"nanosecond", 1e-9},  {"us", 1e-6},          {"\u00b5s", 1e-6},
    {"\u03bcs", 1e-6}, {"usec", 1e-6},        {"\u00b5sec", 1e-6},   {"\u03bcsec", 1e-6},
    {"mus", 1e-6},     {"microsecond", 1e-6}, {"ms", 1e-3},          {"msec", 1e-3},
    {"millis", 1e-3},  {"milli", 1e-3},       {"millisecond", 1e-3}, {"s", 1},
    {"sec", 1},        {"second", 1},         {"min", 60},           {"minute", 60},
    {"h", 3600},       {"hr", 3600},          {"hrs", 3600},         {"hour", 3600},
    {"day", 86400},    {"micros", 1e-6},      {"nanos", 1e-9},       {"micro", 1e-6},
    {"nano", 1e-9},
};

/* Rates that are written without a slash. A prefix (k, M, G ...) may stand before them. */
static const char *const rates[] = {"fps", "qps", "rps",   "tps",    "iops", "ops",
                                    "bps", "hz",  "flops", "flop/s", "ips"};

/* Amounts of a resource: less is better. A prefix may stand before the short names. */
static const char *const amounts[] = {"b",
                                      "byte",
                                      "ib",
                                      "bit",
                                      "allocs",
                                      "alloc",
                                      "allocation",
                                      "cycle",
                                      "instruction",
                                      "insn",
                                      "miss",
                                      "misses",
                                      "fault",
                                      "j",
                                      "joule",
                                      "w",
                                      "watt",
                                      "lut",
                                      "register",
                                      "error",
                                      "failure",
                                      "cache-miss",
                                      "cache-misses",
                                      "page-fault",
                                      "branch-miss",
                                      "branch-misses",
                                      "page",
                                      "gas"};

static double unit_time_of(const char *text, size_t length) {
  for (size_t i = 0; i < PAWL_COUNT(times); i++) {
    const size_t name = strlen(times[i].name);
    if (length < name || strncasecmp(text, times[i].name, name) != 0) continue;
    if (length == name || (length == name + 1 && name > 2 && tolower(text[name]) == 's'))
      return times[i].seconds;
  }
  return 0;
}

/* Whether the text is a name of the list: alone, with a prefix, or in the plural. */
static bool unit_is_listed(const char *text, size_t length, const char *const *names,
                           size_t count) {
  for (int skip = 0; skip < 2 && (size_t)skip < length; skip++) {
    if (skip && !strchr("kKmMgGtTpP", text[0])) return false;
    for (size_t i = 0; i < count; i++) {
      const size_t name = strlen(names[i]);
      if (length - (size_t)skip < name || strncasecmp(text + skip, names[i], name) != 0) continue;
      const size_t rest = length - (size_t)skip - name;
      if (!rest || (rest == 1 && tolower(text[length - 1]) == 's')) return true;
    }
  }
  return false;
}

/* The length of the unit without the words after it: Go adds further figures, and other tools add a
   remark in brackets. */
static size_t length_of(const char *text) {
  size_t length = strcspn(text, "\t\r\n(,;");
  for (size_t i = 1; i + 1 < length; i++)
    if (text[i] == ' ' && strchr(" 0123456789+-", text[i + 1])) length = i;
  while (length && text[length - 1] == ' ') length--;
  return length;
}

/* The place of the "/" or of the " per " that divides the unit. `after`: where the divisor begins.
 */
static const char *find_division(const char *text, size_t length, const char **after) {
  const char *slash = memrchr(text, '/', length);
  const char *word = memmem(text, length, " per ", strlen(" per "));
  if (word) {
    *after = word + strlen(" per ");
    return word;
  }
  if (slash)
    for (*after = slash + 1; **after == ' ';) ++*after;
  for (; slash && slash > text && slash[-1] == ' ';) slash--;
  return slash;
}

static struct pawl_import_unit read_quotient(const char *text, const char *division,
                                             const char *after, const char *end) {
  const double above = unit_time_of(text, (size_t)(division - text));
  const double below = unit_time_of(after, (size_t)(end - after));
  if (above > 0 && below > 0) return (struct pawl_import_unit){0}; /* a share of the time */
  if (above > 0) return (struct pawl_import_unit){.seconds = above, .better = PAWL_BETTER_SMALLER};
  if (below > 0)
    return (struct pawl_import_unit){
        .seconds = below, .is_rate = true, .better = PAWL_BETTER_BIGGER};
  if (unit_is_listed(after, (size_t)(end - after), (const char *const[]){"w", "watt", "j", "joule"},
                     4))
    return (struct pawl_import_unit){.better = PAWL_BETTER_BIGGER}; /* GFLOPS/W */
  const bool amount = unit_is_listed(text, (size_t)(division - text), amounts, PAWL_COUNT(amounts));
  return (struct pawl_import_unit){.better = amount ? PAWL_BETTER_SMALLER : PAWL_BETTER_UNKNOWN};
}

static struct pawl_import_unit read_words(const char *text, size_t length) {
  const char *after, *division = find_division(text, length, &after);
  if (division && after <= text + length)
    return read_quotient(text, division, after, text + length);
  const double seconds = unit_time_of(text, length);
  if (seconds > 0)
    return (struct pawl_import_unit){.seconds = seconds, .better = PAWL_BETTER_SMALLER};
  if (unit_is_listed(text, length, rates, PAWL_COUNT(rates)))
    return (struct pawl_import_unit){.is_rate = true, .better = PAWL_BETTER_BIGGER};
  if (unit_is_listed(text, length, amounts, PAWL_COUNT(amounts)))
    return (struct pawl_import_unit){.better = PAWL_BETTER_SMALLER};
  return (struct pawl_import_unit){0};
}

struct pawl_import_unit pawl_unit_read(const char *text, struct pawl_arena *arena) {
  while (*text == ' ' || *text == '\t') text++;
  const size_t length = length_of(text);
  struct pawl_import_unit unit = read_words(text, length);
  unit.name = pawl_arena_printf(arena, "%.*s", (int)length, text);
  return unit;
}

double pawl_unit_seconds(const char *text) {
  const struct pawl_import_unit unit = read_words(text, length_of(text));
  return unit.is_rate ? 0 : unit.seconds;
}
