/* SPDX-License-Identifier: Apache-2.0 */
/* The same when it comes there for the second time: no call on the first follows. */
#define VISITS 2
#define NAME "writes_at_last"
#include "writes_elsewhere.c"
