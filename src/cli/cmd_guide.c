/* SPDX-License-Identifier: Apache-2.0 */
/* The guides are the installed files share/pawl/guides/TOPIC.md. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "process/process.h"

#define MOST_TOPICS 64
#define LONGEST_GUIDE ((size_t)4 << 20)

struct topics {
  const char *folder;
  const char *names[MOST_TOPICS]; /* sorted */
  size_t count;
};

static const char *cmd_guide_path_of(const struct topics *topics, const char *name,
                                     struct pawl_arena *arena) {
  return pawl_arena_printf(arena, "%s/%s.md", topics->folder, name);
}

static int is_guide(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length > 3 && !strcmp(entry->d_name + length - 3, ".md");
}

static pawl_status find_topics(struct pawl_arena *arena, struct topics *out,
                               struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  struct dirent **entries = NULL;
  out->folder = pawl_arena_printf(arena, "%s/share/pawl/guides", home);
  const int count = scandir(out->folder, &entries, is_guide, alphasort);
  for (int i = 0; i < count; i++) {
    const int length = (int)strlen(entries[i]->d_name) - 3;
    if (out->count < MOST_TOPICS)
      out->names[out->count++] = pawl_arena_printf(arena, "%.*s", length, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  if (out->count) return PAWL_OK;
  return pawl_fail(err, PAWL_UNAVAILABLE, "no guides in '%s'; install pawl again, or set PAWL_HOME",
                   out->folder);
}

/* Reads a guide; *title is its heading, from the first line. */
static pawl_status read_guide(const struct topics *topics, const char *name,
                              struct pawl_arena *arena, struct pawl_text *text, const char **title,
                              struct pawl_error *err) {
  PAWL_TRY(pawl_file_read(cmd_guide_path_of(topics, name, arena), LONGEST_GUIDE, text, err));
  const char *heading = pawl_text_string(text) + strspn(pawl_text_string(text), "# ");
  *title = pawl_arena_printf(arena, "%.*s", (int)strcspn(heading, "\n"), heading);
  return PAWL_OK;
}

static json_t *cmd_guide_to_json(const char *name, const char *title, const char *text) {
  json_t *guide = json_object();
  pawl_json_set_string(guide, "name", name);
  pawl_json_set_string(guide, "title", title);
  if (text) pawl_json_set_string(guide, "text", text);
  return guide;
}

static pawl_status write_json(json_t *guides, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set(document, "guides", guides);
  return pawl_cli_write_json(NULL, document, err);
}

static pawl_status list(struct pawl_cli *cli, const struct topics *topics, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *guides = json_array();
  for (size_t i = 0; i < topics->count; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text guide = {0};
    const char *title;
    PAWL_TRY(read_guide(topics, topics->names[i], &cli->arena, &guide, &title, err));
    pawl_text_printf(&out, "%-24s %s\n", topics->names[i], title);
    json_array_append_new(guides, cmd_guide_to_json(topics->names[i], title, NULL));
  }
  if (cli->json) return write_json(json_incref(guides), err);
  pawl_cli_print(pawl_text_string(&out));
  return PAWL_OK;
}

/* The pager replaces pawl's process and gets its terminal and signals. Returns only on failure. */
static pawl_status page(const char *pager, const char *path, struct pawl_arena *arena,
                        struct pawl_error *err) {
  fflush(stdout);
  signal(SIGPIPE, SIG_DFL);
  execl("/bin/sh", "sh", "-c", pawl_arena_printf(arena, "%s \"$1\"", pager), "pawl", path,
        (char *)NULL);
  return pawl_fail_errno(err, errno, "cannot start the pager '%s'; set PAGER", pager);
}

/* Finds $PAGER, else an installed less. NULL: there is none, or no terminal. */
static const char *find_pager(void) {
  const char *pager = getenv("PAGER");
  if (isatty(STDOUT_FILENO) != 1) return NULL;
  if (pager) return *pager ? pager : NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *less = pawl_process_find("less");
  return less ? "less" : NULL;
}

/* Finds the topic whose beginning is nearest to the word: "quik" finds "quick-start". */
static const char *nearest_beginning(const struct topics *topics, const char *word,
                                     struct pawl_arena *arena) {
  const char *parts[MOST_TOPICS];
  for (size_t i = 0; i < topics->count; i++)
    parts[i] =
        pawl_arena_printf(arena, "%.*s", (int)strcspn(topics->names[i], "-"), topics->names[i]);
  const char *nearest = pawl_nearest(word, parts, topics->count);
  for (size_t i = 0; i < topics->count; i++)
    if (nearest == parts[i]) return topics->names[i];
  return NULL;
}

/* Finds the only topic that begins with the word, else the nearest; NULL: none is near. */
static const char *cmd_guide_suggest(const struct topics *topics, const char *word,
                                     struct pawl_arena *arena) {
  const char *found = NULL;
  size_t count = 0;
  for (size_t i = 0; *word && i < topics->count; i++)
    if (pawl_starts_with(topics->names[i], word)) found = topics->names[i], count++;
  if (count == 1) return found;
  found = pawl_nearest(word, topics->names, topics->count);
  return found ? found : nearest_beginning(topics, word, arena);
}

static pawl_status show(struct pawl_cli *cli, const struct topics *topics, const char *name,
                        struct pawl_error *err) {
  size_t i = 0;
  while (i < topics->count && strcmp(topics->names[i], name) != 0) i++;
  if (i == topics->count) {
    const char *nearest = cmd_guide_suggest(topics, name, &cli->arena);
    if (nearest)
      return pawl_fail(err, PAWL_USAGE, "no guide '%s'; did you mean '%s'?", name, nearest);
    return pawl_fail(err, PAWL_USAGE, "no guide '%s'; pawl guide lists them", name);
  }
  const char *pager = cli->json ? NULL : find_pager(), *title;
  if (pager) return page(pager, cmd_guide_path_of(topics, name, &cli->arena), &cli->arena, err);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text guide = {0};
  PAWL_TRY(read_guide(topics, name, &cli->arena, &guide, &title, err));
  if (!cli->json) return pawl_cli_write(NULL, guide.data, guide.length, err);
  json_t *guides = json_array();
  json_array_append_new(guides, cmd_guide_to_json(name, title, pawl_text_string(&guide)));
  return write_json(guides, err);
}

enum pawl_status_code pawl_cmd_guide(struct pawl_cli *cli, int argc, char **argv,
                                     struct pawl_error *err) {
  const struct pawl_option options[] = {{PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 1, &done, err));
  if (done) return PAWL_OK;
  struct topics topics = {0};
  PAWL_TRY(find_topics(&cli->arena, &topics, err));
  return argc ? show(cli, &topics, argv[0], err) : list(cli, &topics, err);
}
