/* SPDX-License-Identifier: Apache-2.0 */
#include "project/signature_body.h"

#include <string.h>

#include "base/text.h"

/* Returns the next place below `end` where the text indexes the name, with *after set behind the
 * bracket, or NULL. */
static const char *find_index(const char *text, const char *end, const char *name,
                              const char **after) {
  const size_t length = strlen(name);
  for (const char *p = strstr(text, name); p && p < end; p = strstr(p + 1, name)) {
    const char *open = p + length + strspn(p + length, " \t\n");
    if (pawl_signature_is_word(p[-1]) || pawl_signature_is_word(p[length]) || *open != '[')
      continue;
    int depth = 0;
    for (*after = open; *after < end; (*after)++) {
      depth += (**after == '[') - (**after == ']');
      if (!depth) break;
    }
    *after += 1 + strspn(*after + 1, " \t\n");
    return p;
  }
  return NULL;
}

/* Returns whether the first statement that indexes the tensor reads it: "y[i] += x" or "y[i] = x +
 * y[i]". Such an output has values before the call. */
static bool reads_first(const char *body, const char *end, const char *name) {
  const char *after, *found = find_index(body, end, name, &after);
  if (!found) return false;
  if (*after != '=' || after[1] == '=') return true;
  const char *stop = strchr(after, ';');
  return stop && find_index(after, stop, name, &after);
}

/* Returns the next place below `end` where the text has the name as a word, or NULL. */
static const char *find_word(const char *text, const char *end, const char *name) {
  const size_t length = strlen(name);
  for (const char *p = strstr(text, name); p && p + length <= end; p = strstr(p + 1, name))
    if (!pawl_signature_is_word(p[-1]) && !pawl_signature_is_word(p[length])) return p;
  return NULL;
}

/* Returns whether the body gives the tensor to other functions only. They may read it. */
static bool is_passed_on(const char *body, const char *end, const char *name) {
  static const char *const writers[] = {"memcpy(", "memset("};
  const char *after, *found = find_word(body, end, name);
  if (!found || find_index(body, end, name, &after)) return false;
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
    const size_t length = strlen(writers[i]);
    if (found - body >= (ptrdiff_t)length && !strncmp(found - length, writers[i], length))
      return false;
  }
  return true;
}

static const char *size_of_name(const struct pawl_signature *signature, const char *name) {
  for (size_t i = 0; i < signature->count; i++)
    if (signature->params[i].role == PAWL_SIGNATURE_SIZE &&
        !strcmp(signature->params[i].name, name))
      return signature->params[i].name;
  return NULL;
}

/* Returns the size below which the body keeps the variable, as in "i < n", or NULL. */
static const char *bound_of(const struct pawl_signature *signature, const char *body,
                            const char *end, const char *variable, struct pawl_arena *arena) {
  for (const char *p = find_word(body, end, variable); p; p = find_word(p + 1, end, variable)) {
    const char *less = p + strlen(variable) + strspn(p + strlen(variable), " \t\n");
    if (*less != '<' || less[1] == '<' || less[1] == '=') continue;
    const char *name = less + 1 + strspn(less + 1, " \t\n");
    size_t length = 0;
    while (pawl_signature_is_word(name[length])) length++;
    const char next = name[length + strspn(name + length, " \t\n")];
    if (!strchr(";)&|", next)) return NULL;
    return size_of_name(signature, pawl_arena_printf(arena, "%.*s", (int)length, name));
  }
  return NULL;
}

static bool add_size(struct pawl_signature_param *param, const char *size) {
  for (size_t i = 0; i < param->size_count; i++)
    if (param->sizes[i] == size) return true;
  if (param->size_count == PAWL_SIGNATURE_MOST) return false;
  param->sizes[param->size_count++] = size;
  return true;
}

/* Adds the bounds of the variables of an index such as "i * n + j". Returns false if it has other
 * words than sizes and variables with a bound. */
static bool add_bounds(const struct pawl_signature *signature, const char *body, const char *end,
                       const char *open, const char *close, struct pawl_arena *arena,
                       struct pawl_signature_param *param) {
  for (const char *p = open; p < close;) {
    size_t length = 0;
    while (pawl_signature_is_word(p[length])) length++;
    const bool cast = length && p[-1] == '(' && p[length] == ')';
    if (!length || cast || isdigit((unsigned char)*p)) {
      p += length ? length : 1;
      continue;
    }
    const char *word = pawl_arena_printf(arena, "%.*s", (int)length, p);
    p += length;
    if (size_of_name(signature, word)) continue;
    const char *bound = bound_of(signature, body, end, word, arena);
    if (!bound || !add_size(param, bound)) return false;
  }
  return true;
}

/* Returns whether all sizes of the index are among those of the tensor: a stride is not. */
static bool has_strides(const struct pawl_signature *signature, const char *open, const char *close,
                        const struct pawl_signature_param *param) {
  for (size_t i = 0; i < signature->count; i++) {
    const char *name = signature->params[i].name;
    if (signature->params[i].role != PAWL_SIGNATURE_SIZE || !find_word(open, close, name)) continue;
    bool found = false;
    for (size_t j = 0; j < param->size_count; j++) found = found || param->sizes[j] == name;
    if (!found) return true;
  }
  return false;
}

/* Finds the sizes of a tensor by its indexes. None: the body does not say. */
static void find_sizes(const struct pawl_signature *signature, const char *body, const char *end,
                       struct pawl_arena *arena, struct pawl_signature_param *param) {
  const char *after;
  param->size_count = 0;
  for (const char *p = find_index(body, end, param->name, &after); p;
       p = find_index(after, end, param->name, &after)) {
    const char *open = strchr(p, '[') + 1, *close = after;
    while (*--close != ']') continue;
    if (!add_bounds(signature, body, end, open, close, arena, param) ||
        has_strides(signature, open, close, param)) {
      param->size_count = 0;
      return;
    }
  }
}

void pawl_signature_read_body(const char *close, struct pawl_arena *arena,
                              struct pawl_signature *out) {
  const char *body = strchr(close, '{'), *end = body;
  for (int depth = 0; end && *end; end++) {
    depth += (*end == '{') - (*end == '}');
    if (!depth) break;
  }
  for (size_t i = 0; i < out->count && body; i++) {
    struct pawl_signature_param *param = &out->params[i];
    if (param->role > PAWL_SIGNATURE_OUTPUT) continue;
    find_sizes(out, body, end, arena, param);
    if (param->role == PAWL_SIGNATURE_OUTPUT)
      param->reads = reads_first(body, end, param->name) || is_passed_on(body, end, param->name);
  }
}
