/* SPDX-License-Identifier: Apache-2.0 */
/* Folders for files of a user, not of a project (XDG Base Directory Specification). */
#pragma once

/* Returns pawl's folder below $variable (such as XDG_CACHE_HOME), else below $HOME/by_default (such
   as .cache). The folder may not exist yet. Allocated. NULL: the environment sets neither. */
char *pawl_user_folder(const char *variable, const char *by_default);
