/* SPDX-License-Identifier: Apache-2.0 */
/* Finds folders for a user's files, not a project's (XDG Base Directory Specification). */
#pragma once

/* Returns pawl's folder below $variable (such as XDG_CACHE_HOME), else below $HOME/by_default (such
 * as .cache), or NULL if the environment sets neither. The folder may not exist yet. Free the path
 * with pawl_free. */
char *pawl_user_folder(const char *variable, const char *by_default);
