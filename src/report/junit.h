/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit's XML, which GitLab, Jenkins and others show beside a change. There is no official schema;
   this keeps to what https://github.com/testmoapp/junitxml describes. */
#pragma once

#include "report/report.h"

/* Builds, correctness and performance have a test suite each. A test case is a kernel, or a kernel
   on a case. It fails if it makes the run fail. If it was not decided or not supported, it is
   skipped with the reason. Nothing is left out. */
void pawl_report_junit(const struct pawl_run_report *report, struct pawl_text *out);
