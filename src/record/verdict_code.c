/* SPDX-License-Identifier: Apache-2.0 */
#include "record/verdict_code.h"

static const struct pawl_code *read_side(struct pawl_reader *reader, const json_t *side) {
  if (!json_is_object(side)) return NULL;
  struct pawl_code *const code = pawl_arena_alloc(reader->arena, 1, sizeof *code);
  *code = (struct pawl_code){.arch = pawl_reader_name(reader, side, "arch"),
                             .registers = pawl_reader_count(reader, side, "registers", -1),
                             .spill_bytes = pawl_reader_count(reader, side, "spill_bytes", -1),
                             .stack_bytes = pawl_reader_count(reader, side, "stack_bytes", -1),
                             .shared_bytes = pawl_reader_count(reader, side, "shared_bytes", -1),
                             .code_bytes = pawl_reader_count(reader, side, "code_bytes", -1),
                             .occupancy_pct = pawl_reader_number(reader, side, "occupancy_pct")};
  return code;
}

void pawl_read_code(struct pawl_reader *reader, const json_t *object, struct pawl_ratchet_row *row) {
  const json_t *const code = json_object_get(object, "code");
  if (!json_is_object(code)) return;
  row->code_before = read_side(reader, json_object_get(code, "before"));
  row->code_now = read_side(reader, json_object_get(code, "now"));
}
