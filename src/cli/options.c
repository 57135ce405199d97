/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "build/words.h"
#include "report/report.h"

#define LEFT_WIDTH 24 /* width of the option column in the help */

static pawl_status unknown(const struct pawl_option *options, const char *word,
                           struct pawl_error *err) {
  const char *names[64];
  size_t count = 0;
  for (const struct pawl_option *option = options; option->kind && count < 64; option++)
    if (option->help) names[count++] = option->name;
  const char *nearest = pawl_nearest(word, names, count);
  if (nearest)
    return pawl_fail(err, PAWL_USAGE, "no option '%s'; did you mean '%s'?", word, nearest);
  return pawl_fail(err, PAWL_USAGE, "no option '%s'; -h lists them", word);
}

static pawl_status wrong_value(const struct pawl_option *option, const char *text,
                               const char *wanted, struct pawl_error *err) {
  return pawl_fail(err, PAWL_USAGE, "'%s' takes %s, not '%s'", option->name, wanted, text);
}

static pawl_status store_int(const struct pawl_option *option, const char *text,
                             struct pawl_error *err) {
  int64_t number;
  if (!pawl_parse_i64(text, &number) || number < option->min || number > option->max) {
    return pawl_fail(err, PAWL_USAGE, "'%s' takes a whole number from %d to %d, not '%s'",
                     option->name, option->min, option->max, text);
  }
  *(int *)option->value = (int)number;
  return PAWL_OK;
}

static void store_item(const struct pawl_option *option, const char *text,
                       struct pawl_arena *arena) {
  struct pawl_option_list *list = option->value;
  const char **grown = pawl_arena_alloc(arena, list->count + 1, sizeof *grown);
  if (list->count) memcpy(grown, list->items, list->count * sizeof *grown);
  grown[list->count++] = text;
  list->items = grown;
}

static pawl_status store(const struct pawl_option *option, const char *text,
                         struct pawl_arena *arena, struct pawl_error *err) {
  switch (option->kind) {
    case PAWL_OPTION_INT: return store_int(option, text, err);
    case PAWL_OPTION_PATH:
      if (!*text)
        return pawl_fail(err, PAWL_USAGE, "'%s' needs %s, not an empty text", option->name,
                         option->argument);
      *(const char **)option->value = text;
      return PAWL_OK;
    case PAWL_OPTION_STRING: *(const char **)option->value = text; return PAWL_OK;
    case PAWL_OPTION_LIST: store_item(option, text, arena); return PAWL_OK;
    case PAWL_OPTION_SEED:
      if (!pawl_parse_u64(text, option->value))
        return wrong_value(option, text, "a whole number from 0", err);
      return PAWL_OK;
    case PAWL_OPTION_REAL:
      if (!pawl_parse_double(text, option->value))
        return wrong_value(option, text, "a number", err);
      return PAWL_OK;
    case PAWL_OPTION_FLAG:
    case PAWL_OPTION_END: break;
  }
  return pawl_fail(err, PAWL_BUG, "an option of unknown kind");
}

/* Finds the option in `word`. *attached: the value in the same word, as in "--case=x" or "-Dx";
   NULL: none. */
static const struct pawl_option *options_find(const struct pawl_option *options, const char *word,
                                              const char **attached) {
  for (const struct pawl_option *option = options; option->kind; option++) {
    const size_t length = strlen(option->name);
    if (strncmp(word, option->name, length) != 0) continue;
    const bool is_long = option->name[1] == '-';
    if (word[length] && is_long && word[length] != '=') continue;
    if (word[length] && option->kind == PAWL_OPTION_FLAG) continue;
    *attached = word[length] ? word + length + (is_long ? 1 : 0) : NULL;
    return option;
  }
  return NULL;
}

pawl_status pawl_options_parse(const struct pawl_option *options, int *argc, char **argv,
                               struct pawl_arena *arena, struct pawl_error *err) {
  int operands = 0;
  for (int i = 0; i < *argc; i++) {
    char *word = argv[i];
    int64_t negative;
    if (!strcmp(word, "--")) {
      while (++i < *argc) argv[operands++] = argv[i];
      break;
    }
    if (word[0] != '-' || !word[1] || pawl_parse_i64(word, &negative)) {
      argv[operands++] = word;
      continue;
    }
    const char *text = NULL;
    const struct pawl_option *option = options_find(options, word, &text);
    if (!option) return unknown(options, word, err);
    if (option->kind == PAWL_OPTION_FLAG) {
      *(bool *)option->value = true;
      continue;
    }
    if (!text && i + 1 < *argc) text = argv[++i];
    if (!text) return pawl_fail(err, PAWL_USAGE, "'%s' needs %s", option->name, option->argument);
    PAWL_TRY(store(option, text, arena, err));
  }
  *argc = operands;
  return PAWL_OK;
}

static void add_option_words(const struct pawl_option *option, struct pawl_words *words,
                             struct pawl_arena *arena) {
  const void *value = option->value;
  const char *text = NULL;
  switch (option->kind) {
    case PAWL_OPTION_FLAG:
      if (*(const bool *)value) pawl_words_add(words, arena, option->name);
      return;
    case PAWL_OPTION_LIST:
      for (size_t i = 0; i < ((const struct pawl_option_list *)value)->count; i++)
        pawl_words_printf(words, arena, "%s%s", option->name,
                          ((const struct pawl_option_list *)value)->items[i]);
      return;
    case PAWL_OPTION_INT:
      if (*(const int *)value >= option->min)
        text = pawl_arena_printf(arena, "%d", *(const int *)value);
      break;
    case PAWL_OPTION_SEED:
      text = pawl_arena_printf(arena, "%" PRIu64, *(const uint64_t *)value);
      break;
    case PAWL_OPTION_REAL: text = pawl_arena_printf(arena, "%.17g", *(const double *)value); break;
    default: text = *(const char *const *)value;
  }
  if (!text) return;
  pawl_words_add(words, arena, option->name);
  pawl_words_add(words, arena, text);
}

const char *const *pawl_options_words(const struct pawl_option *options, char **operands, int count,
                                      struct pawl_arena *arena) {
  struct pawl_words words = {0};
  for (const struct pawl_option *option = options; option->kind; option++)
    if (strcmp(option->name, "-o") != 0) add_option_words(option, &words, arena);
  pawl_words_add(&words, arena, "--");
  for (int i = 0; i < count; i++) pawl_words_add(&words, arena, operands[i]);
  return words.items;
}

void pawl_options_help(const struct pawl_option *options, struct pawl_text *out) {
  for (const struct pawl_option *option = options; option->kind; option++) {
    if (!option->help) continue;
    struct pawl_text left = {0};
    pawl_text_printf(&left, "%s%s%s", option->name, option->argument ? " " : "",
                     option->argument ? option->argument : "");
    if (left.length > LEFT_WIDTH) /* the help starts on the next line */
      pawl_text_printf(out, "  %s\n  %-*s %s\n", left.data, LEFT_WIDTH, "", option->help);
    else
      pawl_text_printf(out, "  %-*s %s\n", LEFT_WIDTH, left.data, option->help);
    pawl_text_clear(&left);
  }
}

static pawl_status parse_part(const char *text, int *part, int *parts, struct pawl_error *err) {
  int number, of, used = 0;
  if (sscanf(text, "%4d/%4d%n", &number, &of, &used) != 2 || text[used] || number < 1 ||
      of < number || of > PAWL_SHARDS)
    return pawl_fail(err, PAWL_USAGE, "'--shard' takes i/n with 1 <= i <= n <= %d, not '%s'",
                     PAWL_SHARDS, text);
  *part = number;
  *parts = of;
  return PAWL_OK;
}

pawl_status pawl_parse_shard(const char *text, bool cpu_apart, int *shard, int *shards,
                             struct pawl_error *err) {
  if (text) PAWL_TRY(parse_part(text, shard, shards, err));
  if (!cpu_apart || *shards > 1) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE,
                   "'--cpu-apart' works only with '--shard i/n' and two parts or more");
}
