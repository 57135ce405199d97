/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those before it */
#include <cmocka.h>
#include <string.h>

#include "serve/signature.h"

/* https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
 */
static const char secret[] = "It's a Secret to Everybody";
static const char body[] = "Hello, World!";
static const char wanted[] =
    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

static void github_s_example_is_right(void **state) {
  (void)state;
  char made[PAWL_SIGNATURE_LENGTH + 1];
  pawl_signature_make(secret, body, strlen(body), made);
  assert_string_equal(made, wanted);
  assert_true(pawl_signature_valid(secret, body, strlen(body), wanted));
}

static void every_changed_character_is_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < PAWL_SIGNATURE_LENGTH; i++) {
    char changed[sizeof wanted];
    memcpy(changed, wanted, sizeof wanted);
    changed[i] ^= 1;
    assert_false(pawl_signature_valid(secret, body, strlen(body), changed));
  }
}

static void every_length_but_one_is_refused(void **state) {
  (void)state;
  char longer[sizeof wanted + 1];
  strcpy(longer, wanted);
  strcat(longer, "0");
  assert_false(pawl_signature_valid(secret, body, strlen(body), longer));
  for (size_t length = 0; length < PAWL_SIGNATURE_LENGTH; length++) {
    char shorter[sizeof wanted] = "";
    memcpy(shorter, wanted, length);
    assert_false(pawl_signature_valid(secret, body, strlen(body), shorter));
  }
  assert_false(pawl_signature_valid(secret, body, strlen(body), NULL));
}

static void body_and_secret_count_to_the_last_byte(void **state) {
  (void)state;
  assert_false(pawl_signature_valid(secret, body, strlen(body) - 1, wanted));
  assert_false(pawl_signature_valid(secret, "hello, World!", strlen(body), wanted));
  assert_false(pawl_signature_valid("It's a Secret to Everybod", body, strlen(body), wanted));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(github_s_example_is_right),
      cmocka_unit_test(every_changed_character_is_refused),
      cmocka_unit_test(every_length_but_one_is_refused),
      cmocka_unit_test(body_and_secret_count_to_the_last_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
