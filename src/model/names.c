/* SPDX-License-Identifier: Apache-2.0 */
#include "model/names.h"

#include <string.h>

#define LONGEST_NAME 100

bool pawl_is_identifier(const char *name) {
  if (!(*name == '_' || (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z')))
    return false;
  return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] ==
         '\0';
}

bool pawl_is_name(const char *text) {
  const size_t length = strnlen(text, LONGEST_NAME + 1);
  if (length == 0 || length > LONGEST_NAME || *text == '.' || *text == '-') return false;
  return text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")] ==
         '\0';
}

bool pawl_is_operator_name(const char *text) {
  const size_t length = strnlen(text, LONGEST_NAME + 1);
  if (length > LONGEST_NAME || !(*text >= 'a' && *text <= 'z')) return false;
  return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}
