/* SPDX-License-Identifier: Apache-2.0 */
/* Finds loops as strongly connected parts of the control flow (R. Tarjan, "Depth-first search and
   linear graph algorithms", 1972). Without the first instruction of a part, the loops inside of it
   are parts again. */
#include <stdbool.h>
#include <string.h>

#include "build/instructions.h"

#define DEEPEST 8

struct loop_search {
  struct pawl_function_code *function;
  int *region;       /* the part of the instruction that the search looks at; -1: none */
  int *order, *low;  /* by Tarjan; order 0: not visited yet */
  int *edge;         /* the next successor to visit */
  int *path, *stack; /* indexes */
  bool *on_stack;
  int regions, visited;
};

/* Returns the index of the instruction at the address, or -1. Addresses rise. */
static int instruction_at(const struct pawl_function_code *function, int64_t address) {
  size_t low = 0, high = function->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if ((int64_t)function->items[middle].address < address)
      low = middle + 1;
    else
      high = middle;
  }
  const bool found = low < function->count && (int64_t)function->items[low].address == address;
  return found ? (int)low : -1;
}

/* Returns the successor 0 (the next instruction) or 1 (the target of a jump), or -1. */
static int successor(const struct loop_search *search, int at, int which, int region) {
  const struct pawl_instruction *item = &search->function->items[at];
  int next = -1;
  if (which == 0 && !item->ends && (size_t)at + 1 < search->function->count) next = at + 1;
  if (which == 1 && item->target >= 0) next = instruction_at(search->function, item->target);
  return next >= 0 && search->region[next] == region ? next : -1;
}

/* Takes the part above `root` from the stack. If it is a loop, its instructions get a region of
   their own, but for the first. */
static void close_part(struct loop_search *search, int root, int *top, int region) {
  int first = root, bottom = *top;
  do bottom--;
  while (search->stack[bottom] != root);
  const bool loops = *top - bottom > 1 || successor(search, root, 1, region) == root;
  for (int i = bottom; i < *top; i++)
    if (search->stack[i] < first) first = search->stack[i];
  for (int i = bottom; i < *top; i++) {
    const int at = search->stack[i];
    search->on_stack[at] = false;
    search->function->items[at].loops += loops;
    search->region[at] = loops && at != first ? search->regions : -1;
  }
  search->regions += loops;
  *top = bottom;
}

static void visit_from(struct loop_search *search, int begin, int region) {
  int depth = 0, top = 0;
  search->path[depth++] = begin;
  while (depth) {
    const int at = search->path[depth - 1];
    if (!search->order[at]) {
      search->order[at] = search->low[at] = ++search->visited;
      search->stack[top++] = at;
      search->on_stack[at] = true;
    }
    if (search->edge[at] < 2) {
      const int next = successor(search, at, search->edge[at]++, region);
      if (next >= 0 && !search->order[next])
        search->path[depth++] = next;
      else if (next >= 0 && search->on_stack[next] && search->order[next] < search->low[at])
        search->low[at] = search->order[next];
      continue;
    }
    depth--;
    const int low = search->low[at];
    if (low == search->order[at]) close_part(search, at, &top, region);
    if (depth && low < search->low[search->path[depth - 1]])
      search->low[search->path[depth - 1]] = low;
  }
}

void pawl_find_loops(struct pawl_function_code *function) {
  const size_t count = function->count;
  PAWL_CLEANUP(pawl_free_pointer) int *numbers = pawl_alloc(6 * count + 1, sizeof *numbers);
  PAWL_CLEANUP(pawl_free_pointer) bool *on_stack = pawl_alloc(count + 1, sizeof *on_stack);
  struct loop_search search = {.function = function,
                               .region = numbers,
                               .order = numbers + count,
                               .low = numbers + 2 * count,
                               .edge = numbers + 3 * count,
                               .path = numbers + 4 * count,
                               .stack = numbers + 5 * count,
                               .on_stack = on_stack,
                               .regions = 1};
  for (int level = 0, first = 0; level < DEEPEST && first < search.regions; level++) {
    const int end = search.regions;
    memset(search.order, 0, count * sizeof *search.order);
    memset(search.edge, 0, count * sizeof *search.edge);
    for (size_t i = 0; i < count; i++) {
      const int region = search.region[i];
      if (region >= first && region < end && !search.order[i]) visit_from(&search, (int)i, region);
    }
    first = end;
  }
}
