/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the files that the workers of a project see. */
#pragma once

#include "project/project.h"
#include "worker/surroundings.h"

/* Finds them once. The project owns them. */
const struct pawl_surroundings *pawl_project_surroundings(struct pawl_project *project);
