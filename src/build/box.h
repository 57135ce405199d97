/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what a build's commands see: docs/adr/sandbox.md. If the machine allows it, they see the
 * repository and their build folder at the same paths in each build, the compiler's own folders and
 * the declared folders of headers, and nothing else of the user. */
#pragma once

#include "base/strings.h"
#include "build/build_options.h"
#include "build/words.h"
#include "process/sandbox.h"

#define PAWL_BOX_TREE "/pawl/tree"       /* the top of the repository */
#define PAWL_BOX_BUILD "/pawl/build"     /* the folder of a build command, where writes stay */
#define PAWL_BOX_INCLUDE "/pawl/include" /* pawl's own headers */

struct pawl_build_box {
  struct pawl_arena *arena;
  bool moved;             /* commands see the paths above, else our own */
  bool sandbox;           /* false: the suite turned it off */
  bool by_command;        /* for a build command of the suite, else for compilers */
  bool required;          /* nothing runs without a full sandbox */
  bool hides;             /* commands cannot read files that no view shows */
  bool shows_ignored;     /* build/ignored.h */
  const char *top, *tree; /* the repository, and the suite's folder in it; our paths */
  const char *user_top;   /* the user's tree, also for a worktree */
  const char *copy;       /* commands see a copy of the repository there: build/tree_copy.h */
  const char *own;        /* the sources that come with pawl; NULL: none */
  const struct pawl_strings *outside; /* as pawl_build_options */
  struct pawl_sandbox_view_list views;
};

/* Sets the surroundings of a build in options->folder. With `writes` a command may write into its
 * tree; if the machine has namespaces, these writes end with the command. */
void pawl_box_make(struct pawl_build_box *box, const struct pawl_build_options *options,
                   bool writes, struct pawl_arena *arena);
/* Returns whether the suite may show this file or folder outside of the repository. */
bool pawl_box_may_show(const struct pawl_build_box *box, const char *path);
/* Shows a folder of the suite's own, by its absolute path, if the suite may show it. Fails if it
   would show the user's home or the whole system. */
pawl_status pawl_box_declare(struct pawl_build_box *box, const char *path, const char *what,
                             struct pawl_error *err);
/* Shows the folders that an installed program needs, if the system's own do not hold it. */
void pawl_box_add_program(struct pawl_build_box *box, const char *path);
/* Shows the program's own folder at its real path, also where that lies in the repository. */
void pawl_box_show_program(struct pawl_build_box *box, const char *path);
/* Shows the folders of all programs that PATH finds. */
void pawl_box_add_path(struct pawl_build_box *box);
/* Shows one of our files at another path. */
void pawl_box_add_file(struct pawl_build_box *box, const char *path, const char *target);
/* Adds the variables by which programs find their folders without the user's home. */
void pawl_box_add_variables(const struct pawl_build_box *box, struct pawl_words *environment);
/* Shows the folder of the build, where the writes of its commands stay. That of compilers holds
 * what the last build left, so its name is drawn anew and no source can name a file in it. */
void pawl_box_add_folder(struct pawl_build_box *box, const char *folder);

/* Turn one of our absolute paths into a command's, and a command's into ours. */
const char *pawl_box_seen(const struct pawl_build_box *box, const char *path);
const char *pawl_box_real(const struct pawl_build_box *box, const char *path);
/* Returns our path of the file that commands find at our path `path`, relative to the suite's
 * folder or absolute. A view may show a file of the user's tree there. */
const char *pawl_box_found(const struct pawl_build_box *box, const char *path);
/* Returns whether the file lies in the repository, in the user's tree of it, or comes with pawl,
 * with all links followed. An absent file does. */
bool pawl_box_holds(const struct pawl_build_box *box, const char *path);
/* Returns whether a build may see the file: in the system, the repository or a view. pawl itself
 * reads no other file for a build, whatever a flag or a compiler's answer names. */
bool pawl_box_shows(const struct pawl_build_box *box, const char *path);
/* Returns whether one of the folders that a build sees empty holds our path. */
bool pawl_box_is_hidden(const struct pawl_build_box *box, const char *path);
/* Returns whether a compiler's complaint is of a file that the sandbox hides. */
bool pawl_box_hides(const struct pawl_build_box *box, const char *line);
/* Returns a sentence about a link in a folder that builds see, to a path that they do not see;
 * NULL: there is none. */
const char *pawl_box_hidden_link(const struct pawl_build_box *box);
/* Returns whether pawl may write the file `name`, relative to box->tree, for a build: in the
 * repository, through no link, and in no folder of git's or of pawl's own. */
bool pawl_box_may_place(const struct pawl_build_box *box, const char *name);
/* Returns the text with the folder of the build as PAWL_BOX_BUILD. */
const char *pawl_box_plain(const struct pawl_build_box *box, const char *text);
/* Returns the same with paths of the tree as the user names them: relative to the suite's
 * folder. */
const char *pawl_box_words(const struct pawl_build_box *box, const char *text);
