/* SPDX-License-Identifier: Apache-2.0 */
/* Where pawl keeps what belongs to a user of a machine, and to no project (XDG Base Directory
 * Specification). */
#ifndef PAWL_BASE_USER_FOLDER_H
#define PAWL_BASE_USER_FOLDER_H

/* pawl's folder below $variable (XDG_CACHE_HOME ...), else below $HOME/by_default (.cache ...). It
   may not exist yet. Allocated; NULL: the environment names no place. */
char *pawl_user_folder(const char *variable, const char *by_default);

#endif
