/* SPDX-License-Identifier: Apache-2.0 */
/* libcrypto, which pawl opens at its first use. Its functions have their usual names. */
#pragma once

#include "base/late_library.h"

extern struct pawl_late_library pawl_crypto;
