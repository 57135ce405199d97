/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a report of ncu, or other bytes. pawl reads kernels whose findings and changes it
   can tell, or gives one line that names the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/ncu_csv.h"
#include "profile/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tell(const struct pawl_profile *profile, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_profile_change change;
  pawl_profile_compare(profile, profile, arena, &change);
  pawl_profile_summary(profile, &text);
  pawl_profile_change_summary(&change, &text);
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_profile_to_json(profile, &change);
  if (!document || change.count != profile->count) abort();
  for (size_t i = 0; i < change.count; i++)
    if (change.kernels[i].count != 0) abort(); /* nothing differs from itself */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_profile profile = {0};
  const enum pawl_status_code status =
      pawl_ncu_csv_parse((const char *)data, size, "ncu", &arena, &profile, &err);
  if (status == PAWL_OK)
    tell(&profile, &arena);
  else if ((status != PAWL_BAD_DATA && status != PAWL_NOT_PERMITTED) ||
           strncmp(err.message, "ncu: ", 5) != 0 || strchr(err.message, '\n') || profile.count)
    abort();
  struct pawl_code_samples samples[2] = {0};
  const size_t launches[2] = {1, 1};
  if (pawl_ncu_samples_parse((const char *)data, size, "ncu", launches, 2, &arena, samples, &err) ==
          PAWL_OK &&
      !(samples[0].count && samples[1].count && samples[1].total > 0))
    abort();
  pawl_arena_clear(&arena);
  return 0;
}
