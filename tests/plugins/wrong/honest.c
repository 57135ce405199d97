/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing wrong: what the wrong kernels are made from must itself pass. */
#include "attention.h"
