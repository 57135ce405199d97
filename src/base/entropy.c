/* SPDX-License-Identifier: Apache-2.0 */
#include "base/entropy.h"

#include <errno.h>
#include <sys/random.h>

pawl_status pawl_entropy(void *out, size_t bytes, struct pawl_error *err) {
  PAWL_ASSERT(bytes <= 256);
  return getrandom(out, bytes, 0) == (ssize_t)bytes
             ? PAWL_OK
             : pawl_fail_errno(err, errno, "no random numbers");
}

pawl_status pawl_entropy_seed(uint64_t *out, struct pawl_error *err) {
  uint64_t drawn;
  PAWL_TRY(pawl_entropy(&drawn, sizeof drawn, err));
  drawn >>= 12;
  *out = drawn ? drawn : 1;
  return PAWL_OK;
}
