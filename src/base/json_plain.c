/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"

#define DEPTH_LIMIT 64
#define KEY_LIMIT 128
#define NUMBERS 256
#define DIGITS 19 /* 64 bits hold a mantissa with this many */

__extension__ typedef unsigned __int128 json_wide;

struct json_plain {
  const char *at, *end;
  int depth;
  const struct pawl_json_items *items; /* NULL: every list keeps its items */
  json_t *document;                    /* the document so far, while its items come */
  json_t *numbers[NUMBERS];            /* the first of an item that the caller takes */
  size_t number_count;
};

static json_t *plain_value(struct json_plain *in);

static void plain_skip_space(struct json_plain *in) {
  const char *at = in->at;
  while (at < in->end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) at++;
  in->at = at;
}

/* Skips space and one character. Returns false for any other character. */
static bool plain_take(struct json_plain *in, char wanted) {
  plain_skip_space(in);
  if (in->at == in->end || *in->at != wanted) return false;
  in->at++;
  return true;
}

/* Passes the value from `begin` to jansson. */
static json_t *plain_by_jansson(const char *begin, const char *end) {
  return json_loadb(begin, (size_t)(end - begin), JSON_DECODE_ANY, NULL);
}

static const uint64_t powers_of_five[] = {
    1ULL,
    5ULL,
    25ULL,
    125ULL,
    625ULL,
    3125ULL,
    15625ULL,
    78125ULL,
    390625ULL,
    1953125ULL,
    9765625ULL,
    48828125ULL,
    244140625ULL,
    1220703125ULL,
    6103515625ULL,
    30517578125ULL,
    152587890625ULL,
    762939453125ULL,
    3814697265625ULL,
    19073486328125ULL,
    95367431640625ULL,
    476837158203125ULL,
    2384185791015625ULL,
    11920928955078125ULL,
    59604644775390625ULL,
    298023223876953125ULL,
    1490116119384765625ULL,
    7450580596923828125ULL,
};

/* Computes mantissa * 10^exponent, correctly rounded, or returns false. The quotient by 5^-exponent
   has 63 bits or more, and its last bit is set where the division leaves a rest. So the conversion
   to double rounds once, and the power of two is exact. */
static bool plain_real(uint64_t mantissa, int exponent, double *out) {
  const int power = exponent < 0 ? -exponent : exponent;
  if ((size_t)power >= PAWL_COUNT(powers_of_five)) return false;
  uint64_t five = powers_of_five[power];
  if (mantissa == 0) {
    *out = 0;
  } else if (exponent >= 0) {
    if (__builtin_mul_overflow(mantissa, five, &mantissa)) return false;
    *out = ldexp((double)mantissa, power);
  } else {
    const int up = __builtin_clzll(mantissa), five_up = __builtin_clzll(five);
    const json_wide dividend = (json_wide)(mantissa << up) << 63;
    five <<= five_up;
    const uint64_t quotient = (uint64_t)(dividend / five);
    const uint64_t rest = (uint64_t)(dividend - (json_wide)quotient * five);
    *out = ldexp((double)(quotient | (rest != 0)), five_up - up - 63 - power);
  }
  return true;
}

/* Appends digits to the mantissa, and counts those behind its leading zeros. Returns how many
   characters it passed. */
static int plain_digits(struct json_plain *in, uint64_t *mantissa, int *significant) {
  const char *const begin = in->at, *at = begin;
  uint64_t value = *mantissa;
  while (value == 0 && at < in->end && *at == '0') at++;
  const char *const first = at;
  for (; at < in->end && *at >= '0' && *at <= '9'; at++) value = value * 10 + (uint64_t)(*at - '0');
  *mantissa = value;
  *significant += (int)(at - first);
  in->at = at;
  return (int)(at - begin);
}

/* Reads "e-12". Returns false for an exponent without digits. */
static bool plain_exponent(struct json_plain *in, int *exponent) {
  const bool negative = ++in->at < in->end && *in->at == '-';
  if (in->at < in->end && (*in->at == '-' || *in->at == '+')) in->at++;
  uint64_t value = 0;
  int significant = 0;
  if (plain_digits(in, &value, &significant) == 0 || significant > 3) return false;
  *exponent += negative ? -(int)value : (int)value;
  return true;
}

/* Takes a number of the last item, unless somebody kept it: jansson allocates each one. */
static json_t *plain_new_real(struct json_plain *in, double value) {
  if (!in->items || in->number_count == NUMBERS) return json_real(value);
  json_t **kept = &in->numbers[in->number_count++];
  if (!*kept || (*kept)->refcount > 1) {
    json_decref(*kept);
    *kept = json_real(value);
  }
  json_real_set(*kept, value);
  return json_incref(*kept);
}

static json_t *plain_number(struct json_plain *in) {
  const char *begin = in->at;
  const bool negative = *in->at == '-';
  if (negative) in->at++;
  const char *first = in->at;
  uint64_t mantissa = 0;
  int significant = 0, exponent = 0;
  bool real = false;
  const int whole = plain_digits(in, &mantissa, &significant);
  if (whole == 0 || (whole > 1 && *first == '0')) return NULL;
  if (in->at < in->end && *in->at == '.') {
    in->at++;
    exponent = -plain_digits(in, &mantissa, &significant);
    if (exponent == 0) return NULL;
    real = true;
  }
  if (in->at < in->end && (*in->at == 'e' || *in->at == 'E')) {
    if (!plain_exponent(in, &exponent)) return NULL;
    real = true;
  }
  double value;
  if (!real && significant < DIGITS)
    return json_integer(negative ? -(json_int_t)mantissa : (json_int_t)mantissa);
  if (!real || significant > DIGITS || !plain_real(mantissa, exponent, &value))
    return plain_by_jansson(begin, in->at);
  return plain_new_real(in, negative ? -value : value);
}

/* Returns the end of a string of plain ASCII, and its quote at in->at, or NULL. */
static const char *plain_text(struct json_plain *in) {
  const char *begin = in->at;
  while (in->at < in->end && *in->at != '"' && *in->at != '\\' && *in->at >= ' ' && *in->at < 127)
    in->at++;
  return in->at < in->end && *in->at == '"' ? begin : NULL;
}

static json_t *plain_string(struct json_plain *in) {
  const char *quote = in->at++, *begin = plain_text(in);
  if (begin) return json_stringn_nocheck(begin, (size_t)(in->at++ - begin));
  while (in->at < in->end && *in->at != '"')
    in->at += *in->at == '\\' && in->end - in->at > 1 ? 2 : 1;
  return in->at < in->end ? plain_by_jansson(quote, ++in->at) : NULL;
}

static json_t *plain_items(struct json_plain *in);

/* Adds a member to `object`. Returns false for anything that is not plain. */
static bool plain_member(struct json_plain *in, json_t *object) {
  char key[KEY_LIMIT];
  if (!plain_take(in, '"')) return false;
  const char *begin = plain_text(in);
  if (!begin || (size_t)(in->at - begin) >= sizeof key) return false;
  const size_t length = (size_t)(in->at++ - begin), members = json_object_size(object);
  memcpy(key, begin, length);
  key[length] = '\0';
  json_t *value = NULL;
  if (plain_take(in, ':')) {
    const bool taken = in->items && in->depth == 1 && !strcmp(key, in->items->key);
    if (taken) in->document = object;
    value = taken ? plain_items(in) : plain_value(in);
  }
  return value && !json_object_set_new_nocheck(object, key, value) &&
         json_object_size(object) == members + 1;
}

static bool plain_item(struct json_plain *in, json_t *array) {
  json_t *value = plain_value(in);
  return value && !json_array_append_new(array, value);
}

/* Reads an object or an array up to `close`. */
static json_t *plain_list(struct json_plain *in, json_t *list, char close,
                          bool (*add)(struct json_plain *, json_t *)) {
  bool good = ++in->depth < DEPTH_LIMIT;
  in->at++;
  if (good && !plain_take(in, close)) {
    do good = add(in, list);
    while (good && plain_take(in, ','));
    good = good && plain_take(in, close);
  }
  in->depth--;
  if (good) return list;
  json_decref(list);
  return NULL;
}

static bool plain_taken_item(struct json_plain *in, json_t *array) {
  json_t *item = plain_value(in);
  if (!item) return false;
  json_t *kept = in->items->take(in->items->context, in->document, item);
  json_decref(item);
  in->number_count = 0;
  return kept && !json_array_append_new(array, kept);
}

/* Reads the list whose items the caller takes one by one. */
static json_t *plain_items(struct json_plain *in) {
  plain_skip_space(in);
  if (in->at == in->end || *in->at != '[') return NULL;
  return plain_list(in, json_array(), ']', plain_taken_item);
}

static json_t *plain_word(struct json_plain *in, const char *word, json_t *value) {
  const size_t length = strlen(word);
  if ((size_t)(in->end - in->at) < length || memcmp(in->at, word, length) != 0) return NULL;
  in->at += length;
  return value;
}

static json_t *plain_value(struct json_plain *in) {
  plain_skip_space(in);
  if (in->at == in->end) return NULL;
  switch (*in->at) {
    case '{': return plain_list(in, json_object(), '}', plain_member);
    case '[': return plain_list(in, json_array(), ']', plain_item);
    case '"': return plain_string(in);
    case 't': return plain_word(in, "true", json_true());
    case 'f': return plain_word(in, "false", json_false());
    case 'n': return plain_word(in, "null", json_null());
    default: return plain_number(in);
  }
}

json_t *pawl_json_plain(const char *text, size_t length, const struct pawl_json_items *items) {
  struct json_plain in = {.at = text, .end = text + length, .items = items};
  json_t *value = plain_value(&in);
  plain_skip_space(&in);
  for (size_t i = 0; i < NUMBERS; i++) json_decref(in.numbers[i]);
  if (value && in.at == in.end) return value;
  json_decref(value);
  return NULL;
}
