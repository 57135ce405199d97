/* SPDX-License-Identifier: Apache-2.0 */
/* The program pawl-clock-guard UUID. */
#include <stdio.h>

#include "device/cuda/clocks.h"

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr,
            "usage: pawl-clock-guard UUID\nHolds a GPU's clock at its base value until stdin "
            "closes.\n");
    return PAWL_USAGE;
  }
  return pawl_clock_guard(argv[1], 0, 1);
}
