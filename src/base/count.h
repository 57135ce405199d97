/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The number of elements of an array, as a size_t. The argument must not be a pointer. */
#define PAWL_COUNT(array) (sizeof(array) / sizeof *(array))
