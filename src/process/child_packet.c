/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over all fields writes a packet or reads it. */
#include "process/child_packet.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define NO_TEXT "\x01" /* stands for NULL */

struct walk {
  struct pawl_text *out; /* NULL: the walk reads */
  char *next, *end;      /* the rest of the packet, if the walk reads */
  int *fds;              /* the descriptors of the packet */
  int fd_count, fd_next; /* how many there are; the next one */
  struct pawl_arena *arena;
  bool broken;
};

static void walk_bytes(struct walk *walk, void *bytes, size_t size) {
  if (walk->out) {
    pawl_text_add_bytes(walk->out, bytes, size);
  } else if (walk->broken || (size_t)(walk->end - walk->next) < size) {
    walk->broken = true;
    memset(bytes, 0, size);
  } else {
    memcpy(bytes, walk->next, size);
    walk->next += size;
  }
}

static void walk_text(struct walk *walk, const char **text) {
  const char *given = walk->out && *text ? *text : NO_TEXT;
  size_t size = walk->out ? strlen(given) + 1 : 0;
  walk_bytes(walk, &size, sizeof size);
  if (walk->out) {
    pawl_text_add_bytes(walk->out, given, size);
    return;
  }
  *text = NULL;
  if (walk->broken || size == 0 || size > (size_t)(walk->end - walk->next) ||
      walk->next[size - 1]) {
    walk->broken = true;
    return;
  }
  if (strcmp(walk->next, NO_TEXT) != 0) *text = walk->next;
  walk->next += size;
}

/* Returns room for a list of `count` items when the walk reads, else the list itself. */
static void *walk_items(struct walk *walk, const void *list, size_t *count, size_t size) {
  walk_bytes(walk, count, sizeof *count);
  if (walk->out) return (void *)(uintptr_t)list;
  if (walk->broken || *count > (size_t)(walk->end - walk->next)) *count = 0, walk->broken = true;
  return pawl_arena_alloc(walk->arena, *count + 1, size);
}

/* A list that ends with NULL, or NULL. */
static void walk_texts(struct walk *walk, const char *const **list) {
  bool given = *list != NULL;
  size_t count = 0;
  walk_bytes(walk, &given, sizeof given);
  if (!given) return;
  while (walk->out && (*list)[count]) count++;
  const char **items = walk_items(walk, *list, &count, sizeof *items);
  for (size_t i = 0; i < count; i++) walk_text(walk, &items[i]);
  *list = items;
}

static void walk_fd(struct walk *walk, int *fd) {
  bool given = walk->out && *fd >= 0;
  walk_bytes(walk, &given, sizeof given);
  if (walk->out && given)
    walk->fds[walk->fd_next++] = *fd;
  else if (!walk->out)
    *fd = given && walk->fd_next < walk->fd_count ? walk->fds[walk->fd_next++] : -1;
}

static void walk_steps(struct walk *walk, struct pawl_sandbox_plan *plan) {
  plan->steps = walk_items(walk, plan->steps, &plan->step_count, sizeof *plan->steps);
  for (size_t i = 0; i < plan->step_count; i++) {
    struct pawl_sandbox_step *step = &plan->steps[i];
    walk_bytes(walk, &step->kind, sizeof step->kind);
    walk_text(walk, &step->source);
    walk_text(walk, &step->target);
    walk_text(walk, &step->options);
    walk_texts(walk, &step->names);
    walk_bytes(walk, &step->file, sizeof step->file);
    walk_bytes(walk, &step->writable, sizeof step->writable);
  }
}

static void walk_plan(struct walk *walk, struct pawl_sandbox_plan *plan) {
  walk_bytes(walk, &plan->namespaces, sizeof plan->namespaces);
  walk_bytes(walk, &plan->root, sizeof plan->root);
  walk_steps(walk, plan);
  walk_text(walk, &plan->folder);
  walk_text(walk, &plan->shared);
  const char *const *hidden = (const char *const *)plan->hidden;
  walk_texts(walk, &hidden);
  plan->hidden = (const char **)(uintptr_t)hidden;
  walk_bytes(walk, &plan->overlay_count, sizeof plan->overlay_count);
  for (int i = 0; i < plan->overlay_count && i < PAWL_SANDBOX_OVERLAYS; i++) {
    walk_text(walk, &plan->overlays[i].path);
    walk_text(walk, &plan->overlays[i].options);
    walk_text(walk, &plan->overlays[i].upper);
    walk_text(walk, &plan->overlays[i].work);
  }
  walk_text(walk, &plan->scratch);
  walk_texts(walk, &plan->changeable);
  walk_texts(walk, &plan->readable);
  walk_texts(walk, &plan->devices);
  walk_bytes(walk, plan->user_map, sizeof plan->user_map);
  walk_bytes(walk, plan->group_map, sizeof plan->group_map);
}

static void walk_options(struct walk *walk, struct pawl_process_options *options,
                         struct pawl_cpus *cpus) {
  walk_text(walk, &options->folder);
  walk_bytes(walk, &options->die_with_parent, sizeof options->die_with_parent);
  walk_bytes(walk, &options->shield_us, sizeof options->shield_us);
  walk_bytes(walk, &options->memory_limit, sizeof options->memory_limit);
  walk_bytes(walk, &options->cpu_limit_seconds, sizeof options->cpu_limit_seconds);
  walk_bytes(walk, &options->fd_count, sizeof options->fd_count);
  for (int i = 0; i < options->fd_count && i < PAWL_PROCESS_FDS; i++)
    walk_fd(walk, &options->fds[i]);
  cpus->numbers = walk_items(walk, cpus->numbers, &cpus->count, sizeof *cpus->numbers);
  for (size_t i = 0; i < cpus->count; i++)
    walk_bytes(walk, &cpus->numbers[i], sizeof *cpus->numbers);
}

/* The parts of a child that travel, as copies. */
struct parts {
  struct pawl_child child;
  struct pawl_process_options options;
  struct pawl_cpus cpus;
  struct pawl_sandbox_plan plan;
  struct pawl_cgroup group;
  bool planned;
};

static void walk_parts(struct walk *walk, struct parts *parts) {
  walk_bytes(walk, &parts->child.parent, sizeof parts->child.parent);
  walk_fd(walk, &parts->child.report[1]);
  walk_options(walk, &parts->options, &parts->cpus);
  walk_bytes(walk, &parts->planned, sizeof parts->planned);
  if (parts->planned) walk_plan(walk, &parts->plan);
  walk_bytes(walk, &parts->group.version, sizeof parts->group.version);
  for (int i = 0; parts->group.version && i < PAWL_CGROUP_FOLDERS; i++)
    walk_fd(walk, &parts->group.folders[i].enter);
}

int pawl_child_packet_write(const struct pawl_child *child, struct pawl_text *out,
                            int fds[PAWL_CHILD_PACKET_FDS]) {
  struct walk walk = {.out = out, .fds = fds};
  struct parts parts = {.child = *child, .options = *child->options, .planned = child->plan};
  if (child->options->cpus) parts.cpus = *child->options->cpus;
  if (child->plan) parts.plan = *child->plan;
  if (child->group) parts.group = *child->group;
  walk_parts(&walk, &parts);
  return walk.fd_next;
}

struct pawl_child *pawl_child_packet_read(char *bytes, size_t length, const int *fds, int count,
                                          struct pawl_arena *arena) {
  int copies[PAWL_CHILD_PACKET_FDS];
  if (count < 0 || count > PAWL_CHILD_PACKET_FDS) return NULL;
  memcpy(copies, fds, (size_t)count * sizeof *copies);
  struct walk walk = {
      .next = bytes, .end = bytes + length, .fds = copies, .fd_count = count, .arena = arena};
  struct parts *parts = pawl_arena_alloc(arena, 1, sizeof *parts);
  walk_parts(&walk, parts);
  if (walk.broken || walk.next != walk.end || walk.fd_next != count) return NULL;
  if (parts->cpus.count) parts->options.cpus = &parts->cpus;
  if (parts->planned) parts->child.plan = &parts->plan;
  parts->child.options = &parts->options;
  parts->child.group = &parts->group;
  return &parts->child;
}
