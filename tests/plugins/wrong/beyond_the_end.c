/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one element past the end of its output. */
#define AFTER(launch) put(launch, O, elements(launch), 1.0)
#include "attention.h"
