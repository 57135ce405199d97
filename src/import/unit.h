/* SPDX-License-Identifier: Apache-2.0 */
/* Units of time in the files of other harnesses. */
#ifndef PAWL_IMPORT_UNIT_H
#define PAWL_IMPORT_UNIT_H

/* The unit in seconds: "us", "ms/op", "seconds" ..., as harnesses spell it. 0: it is no unit of
 * time. */
double pawl_unit_seconds(const char *unit);

#endif
