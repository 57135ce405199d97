/* SPDX-License-Identifier: Apache-2.0 */
/* The handler of computes_in_handler.c has a child do the work. */
#define IN_CHILD
#define NAME "computes_in_child"
#include "computes_in_handler.c"
